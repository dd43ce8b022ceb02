/* The section attention: what a person may have to do something about. */
#include "cli/fetch/sections.h"
#include "cli/session/attention.h"
#include "cli/session/missing.h"
#include "common/json.h"

enum { MOST_SLOTS = 2000 };

/* Nodes of its job without workers are known by all of these: a long list of a very large search is not asked for. */
static json_t *read_missing(struct source *source, const struct seen *seen)
{
    const struct overview *overview = &seen->overview;
    struct experiment_standing standing;
    struct buf text = {0};
    if (overview->lives && overview->snapshot.slots <= MOST_SLOTS && source_standing(source, &standing, NULL) == 0) {
        missing_describe(source_dir(source), &seen->jobs, &standing.snapshot, overview->now, &text);
        standing_fini(&standing);
    } else if (!overview->lives) {
        missing_quote(source_dir(source), &seen->jobs, &text);
    }
    json_t *out = json_of_text(buf_str(&text));
    buf_fini(&text);
    return out;
}

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
    if (out)
        json_object_set_new(out, "missing", read_missing(reading->source, &seen));
    seen_fini(&seen);
    return out;
}
