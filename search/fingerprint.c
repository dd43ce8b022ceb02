/* One number for a configuration: equal for equal ones, whatever order parameters and choices were declared in. Each
 * active searched parameter gives a hash of its name and its value; they are added, which knows no order. */
#include "search/tables.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>

static uint64_t hash_number(double number)
{
    double plain = number + 0.0; /* -0 is 0 */
    return rng_mix(hash_bytes(HASH_START, &plain, sizeof plain), VALUE_REAL);
}

uint64_t fingerprint_value(const struct value *value)
{
    switch (value->kind) {
    case VALUE_REAL:
        return hash_number(value->real);
    case VALUE_INT: /* equal to the real of the same number, where there is one */
        if (value->integer >= -(1ll << 53) && value->integer <= 1ll << 53)
            return hash_number((double)value->integer);
        return rng_mix((uint64_t)value->integer, VALUE_INT);
    case VALUE_BOOL:
        return rng_mix(value->truth, VALUE_BOOL);
    case VALUE_TEXT:
    case VALUE_LIST:
        return rng_mix(hash_text(value->text), value->kind);
    case VALUE_NULL:
    case VALUE_NONE:
        return rng_mix(0, value->kind);
    }
    return 0;
}

void fingerprint_prepare(struct space_entry *entry)
{
    entry->name_hash = hash_text(entry->param.name);
    if (entry->param.kind != PARAM_CHOICE)
        return;
    entry->value_hashes = MEM_ARRAY(uint64_t, entry->param.count);
    for (uint32_t i = 0; i < entry->param.count; i++)
        entry->value_hashes[i] = fingerprint_value(&entry->param.values[i]);
}

uint64_t space_fingerprint(const struct space *space, const double *unit)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < space->dimension; c++) {
        if (isnan(unit[c]))
            continue;
        const struct space_entry *entry = space_searched(space, c);
        double natural = scale_natural(&entry->scale, unit[c]);
        uint64_t value = entry->value_hashes ? entry->value_hashes[(uint32_t)natural] : hash_number(natural);
        sum += rng_mix(entry->name_hash, value);
    }
    return sum;
}
