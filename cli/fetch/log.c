/* The section log: the newest events, read as they come. */
#include "cli/fetch/sections.h"
#include "common/mem.h"

#include <stdlib.h>

enum { KEPT = 2000 };

struct log_memory {
    json_t *events; /* the newest ones, oldest first */
    json_int_t last;
};

static void free_memory(void *data)
{
    struct log_memory *memory = data;
    json_decref(memory->events);
    free(memory);
}

static void keep_newest(struct log_memory *memory)
{
    size_t count = json_array_size(memory->events);
    if (count <= KEPT)
        return;
    json_t *kept = json_array();
    for (size_t i = count - KEPT / 2; i < count; i++)
        json_array_append(kept, json_array_get(memory->events, i));
    json_decref(memory->events);
    memory->events = kept;
}

json_t *section_log(const struct section_reading *reading, struct err *err)
{
    struct log_memory *memory = reading->memory->data;
    if (!memory) {
        memory = MEM_NEW(struct log_memory);
        memory->events = json_array();
        *reading->memory = (struct section_memory){.data = memory, .free = free_memory};
    }
    json_t *events = source_read(reading->source, "events", json_pack("{s:I}", "after", memory->last), err), *event;
    size_t index;
    if (!events)
        return NULL;
    json_array_foreach(events, index, event)
    {
        json_array_append(memory->events, event);
        memory->last = json_integer_value(json_object_get(event, "id"));
    }
    json_decref(events);
    keep_newest(memory);
    size_t count = json_array_size(memory->events), wanted = reading->wants->events,
           first = wanted && count > wanted ? count - wanted : 0;
    json_t *out = json_array();
    for (size_t i = first; i < count; i++)
        json_array_append(out, json_array_get(memory->events, i));
    return json_pack("{s:o, s:I}", "events", out, "last", memory->last);
}
