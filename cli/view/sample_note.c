/* The words; see sample_note.h. */
#include "cli/view/sample_note.h"

static long long count_of(const json_t *sample, const char *member)
{
    return (long long)json_integer_value(json_object_get(sample, member));
}

bool sample_note_add(const json_t *sample, struct buf *out)
{
    if (json_is_object(sample))
        buf_format(out, "a sample: %lld of %lld trials", count_of(sample, "trials"), count_of(sample, "of"));
    return json_is_object(sample);
}
