/* A slot in words and for programs; see slots.h. */
#include "worker/hardware/slots.h"
#include "common/gpu_share.h"
#include "common/units.h"

#include <stdlib.h>

/* --- words --- */

void slot_gpus(const struct topology *topology, const struct slot_place *place, struct numbers *out)
{
    for (size_t i = 0; i < place->gpus.count; i++)
        numbers_add(out, topology->gpus[place->gpus.items[i]].index);
}

uint64_t slot_gpu_memory(const struct topology *topology, const struct slot_place *place)
{
    return place->gpus.count && place->gpu_slots ? topology->gpus[place->gpus.items[0]].memory / place->gpu_slots : 0;
}

static void list_words(struct buf *out, const char *part, const char *what, const struct numbers *set)
{
    if (!set->count)
        return;
    buf_format(out, ", %s%s%s ", part, what, set->count == 1 ? "" : "s");
    numbers_show(set, out);
}

void slot_words(const struct topology *topology, const struct slot_place *place, struct buf *out)
{
    char size[32], part[32];
    struct numbers gpus = {0};
    slot_gpus(topology, place, &gpus);
    buf_format(out, "%zu core%s", place->cores.count, place->cores.count == 1 ? "" : "s");
    if (!place->cpus.count)
        buf_text(out, ", not bound");
    list_words(out, "", "cpu", &place->cpus);
    list_words(out, "", "NUMA node", &place->nodes);
    list_words(out, gpu_share_words(place->gpu_slots, part, sizeof part), "GPU", &gpus);
    if (place->memory)
        buf_format(out, ", %s", units_show_size(place->memory, size, sizeof size));
    if (place->fused > 1)
        buf_format(out, ", with %u other%s", place->fused - 1, place->fused == 2 ? "" : "s");
    numbers_fini(&gpus);
}

static json_t *list_json(const struct numbers *set)
{
    struct buf text = {0};
    numbers_show(set, &text);
    json_t *json = json_string(buf_str(&text));
    buf_fini(&text);
    return json;
}

json_t *slots_json(const struct topology *topology, const struct slots *slots)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slot_place *place = &slots->places[i];
        struct numbers gpus = {0};
        slot_gpus(topology, place, &gpus);
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "slot", (json_int_t)i, "cores",
                                              list_json(&place->cores), "cpus", list_json(&place->cpus), "numa",
                                              list_json(&place->nodes), "gpus", list_json(&gpus), "gpu_slots",
                                              (json_int_t)place->gpu_slots, "memory", (json_int_t)place->memory));
        numbers_fini(&gpus);
    }
    return list;
}
