/* The section attention: what a person may have to do something about. */
#include "cli/fetch/sections.h"
#include "cli/session/attention.h"

json_t *section_attention(const struct section_reading *reading, struct err *err)
{
    struct section_memory *memory = reading->memory;
    struct seen seen;
    json_t *out = NULL;
    if (!memory->data)
        *memory = (struct section_memory){.data = attention_remember(), .free = attention_forget};
    if (seen_short(reading->source, false, &seen, err) == 0) {
        seen.overview.best = seen.best = json_null();
        out = attention_read(memory->data, reading->source, &seen, err);
    }
    seen_fini(&seen);
    return out;
}
