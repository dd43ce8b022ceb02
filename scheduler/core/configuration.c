/* Parameters as numbers; see configuration.h. */
#include "scheduler/core/configuration.h"
#include "common/hash.h"
#include "common/mem.h"

#include <jansson.h>
#include <stdlib.h>

static uint64_t hash_value(const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    uint64_t hash = hash_text(text ? text : "");
    free(text);
    return hash;
}

struct configuration *configuration_read(const char *params)
{
    const char *name;
    json_t *value, *json = json_loads(params, 0, NULL);
    size_t count = json_object_size(json), bytes = sizeof(struct configuration_value);
    struct configuration *out = mem_resize(NULL, 1, sizeof *out + count * bytes);
    out->count = 0;
    json_object_foreach(json, name, value) out->values[out->count++] =
        (struct configuration_value){.name = hash_text(name),
                                     .choice = json_is_number(value) ? 0 : hash_value(value),
                                     .number = json_number_value(value)};
    json_decref(json);
    return out;
}

const struct configuration_value *configuration_find(const struct configuration *configuration, uint64_t name,
                                                     size_t hint)
{
    if (hint < configuration->count && configuration->values[hint].name == name)
        return &configuration->values[hint];
    for (size_t i = 0; i < configuration->count; i++)
        if (configuration->values[i].name == name)
            return &configuration->values[i];
    return NULL;
}
