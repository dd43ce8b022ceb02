/* Topology and slots, shown; see show_slots.h. */
#include "worker/agent/show_slots.h"

#include <stdlib.h>

static void add_text(const struct topology *topology, const struct slots *slots, struct buf *out)
{
    topology_words(topology, out);
    buf_text(out, "\n");
    for (uint32_t i = 0; i < slots->count; i++) {
        buf_format(out, "slot %u: ", i);
        slot_words(topology, &slots->places[i], out);
        buf_text(out, "\n");
    }
}

static void add_json(const struct topology *topology, const struct slots *slots, const char *error, struct buf *out)
{
    json_t *json = json_pack("{s:o, s:o, s:s}", "topology", topology_json(topology), "slots",
                             slots_json(topology, slots), "error", error);
    char *text = json_dumps(json, JSON_INDENT(2));
    buf_text(out, text ? text : "{}");
    buf_text(out, "\n");
    free(text);
    json_decref(json);
}

int show_slots(const struct topology *topology, const struct slot_wish *wish, bool json, struct buf *out,
               struct err *err)
{
    struct slots slots;
    int result = slots_make(topology, wish, &slots, err);
    if (json)
        add_json(topology, &slots, result ? err->text : "", out);
    else
        add_text(topology, &slots, out);
    slots_fini(&slots);
    return result;
}
