/* Topology and slots, shown; see show_slots.h. */
#include "worker/agent/show_slots.h"
#include "worker/hardware/claim.h"
#include "worker/hardware/mps.h"

#include <stdlib.h>

static void add_text(const struct topology *topology, const struct slots *slots, const struct texts *modes,
                     struct buf *out)
{
    const struct texts *notes[] = {&topology->gpu_notes, modes};
    topology_words(topology, out);
    buf_text(out, "\n");
    for (int n = 0; n < 2; n++)
        for (size_t i = 0; i < notes[n]->count; i++)
            buf_format(out, "%s\n", notes[n]->items[i]);
    for (uint32_t i = 0; i < slots->count; i++) {
        buf_format(out, "slot %u: ", i);
        slot_words(topology, &slots->places[i], out);
        buf_text(out, "\n");
    }
}

/* What other searches on this machine use. */
static json_t *find_in_use(const struct topology *topology, bool this_machine)
{
    const char *directory = this_machine ? claims_directory() : NULL;
    struct claims *claims = directory ? claims_create(directory) : NULL;
    json_t *in_use = claims ? claims_json(claims, topology) : json_array();
    claims_destroy(claims);
    return in_use;
}

static void add_in_use(const struct topology *topology, bool this_machine, struct buf *out)
{
    size_t index;
    json_t *in_use = find_in_use(topology, this_machine), *row;
    json_array_foreach(in_use, index, row)
        buf_format(out, "%s is in use by %s\n", json_string_value(json_object_get(row, "what")),
                   json_string_value(json_object_get(row, "by")));
    json_decref(in_use);
}

static void add_json(const struct topology *topology, const struct slots *slots, const char *error, bool mps,
                     json_t *in_use, struct buf *out)
{
    json_t *json = json_pack("{s:o, s:o, s:b, s:o, s:s}", "topology", topology_json(topology), "slots",
                             slots_json(topology, slots), "mps", mps, "in_use", in_use, "error", error);
    char *text = json_dumps(json, JSON_INDENT(2));
    buf_text(out, text ? text : "{}");
    buf_text(out, "\n");
    free(text);
    json_decref(json);
}

int show_slots(const struct topology *topology, const struct slot_request *request, bool this_machine, bool json,
               struct buf *out, struct err *err)
{
    struct slots slots;
    struct texts modes = {0};
    struct slot_request here = *request;
    here.mps = this_machine && topology->gpu_count && mps_answers();
    int result = slots_make(topology, &here, &slots, err);
    slots_note_modes(topology, &here, &modes);
    if (json)
        add_json(topology, &slots, result ? err->text : "", here.mps, find_in_use(topology, this_machine), out);
    else
        add_text(topology, &slots, &modes, out);
    if (!json)
        add_in_use(topology, this_machine, out);
    texts_fini(&modes);
    slots_fini(&slots);
    return result;
}
