/* Choosing trials and reading their part; see sample.h. */
#include "cli/data/sample.h"

json_t *sample_choose(struct source *source, uint64_t most, struct err *err)
{
    return source_read(source, "sample", json_pack("{s:I}", "most", (json_int_t)most), err);
}

json_t *sample_read(struct source *source, const char *function, const json_t *sample, struct err *err)
{
    if (!sample)
        return NULL;
    return source_read(source, function, json_pack("{s:O}", "every", json_object_get(sample, "every")), err);
}

json_t *sample_json(const json_t *sample)
{
    json_int_t every = json_integer_value(json_object_get(sample, "every"));
    if (every <= 1)
        return json_null();
    return json_pack("{s:O, s:O}", "trials", json_object_get(sample, "trials"), "of", json_object_get(sample, "of"));
}
