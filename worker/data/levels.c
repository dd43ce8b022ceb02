/* A column's different values; see levels.h. */
#include "worker/data/levels.h"

#include "common/hash.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One way in which a value is written. */
struct spelling {
    const char *text;
    uint32_t code;
};

void levels_fini(struct levels *levels)
{
    map_fini(&levels->spellings);
    map_fini(&levels->by_number);
    arena_fini(&levels->memory);
    free(levels->numbers);
    *levels = (struct levels){0};
}

/* Two texts may have the same hash: the later one is at the next free key. */
static struct spelling *find_text(const struct levels *levels, const char *text, uint64_t *key)
{
    struct spelling *spelling;
    *key = hash_text(text);
    while ((spelling = map_get(&levels->spellings, *key)) && strcmp(spelling->text, text) != 0)
        ++*key;
    return spelling;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool is_number(const char *text, double *number)
{
    return units_number(text, number) && isfinite(*number);
}

static uint32_t new_code(struct levels *levels, double number)
{
    MEM_GROW(levels->numbers, levels->capacity, levels->count + 1);
    levels->numbers[levels->count] = number;
    return (uint32_t)levels->count++;
}

uint32_t levels_add(struct levels *levels, const char *cell)
{
    uint64_t key;
    struct spelling *spelling = find_text(levels, cell, &key);
    if (spelling)
        return spelling->code;
    double number = NAN;
    bool numeric = is_number(cell, &number);
    const struct spelling *other = numeric ? map_get(&levels->by_number, bits_of(number)) : NULL;
    spelling = arena_zero(&levels->memory, 1, sizeof *spelling);
    spelling->text = arena_text(&levels->memory, cell);
    spelling->code = other ? other->code : new_code(levels, numeric ? number : NAN);
    map_put(&levels->spellings, key, spelling);
    if (numeric && !other)
        map_put(&levels->by_number, bits_of(number), spelling);
    return spelling->code;
}

static bool find_number(const struct levels *levels, double number, uint32_t *code)
{
    const struct spelling *same = map_get(&levels->by_number, bits_of(number));
    if (same) {
        *code = same->code;
        return true;
    }
    /* A range with a step yields 0.30000000000000004 where the table says 0.3. */
    for (uint32_t i = 0; i < levels->count; i++)
        if (fabs(levels->numbers[i] - number) <= 1e-9 * fabs(number)) {
            *code = i;
            return true;
        }
    return false;
}

static bool find_one_of(const struct levels *levels, const char *const *texts, uint32_t *code)
{
    uint64_t key;
    for (; *texts; texts++) {
        const struct spelling *spelling = find_text(levels, *texts, &key);
        if (spelling) {
            *code = spelling->code;
            return true;
        }
    }
    return false;
}

bool levels_find(const struct levels *levels, const json_t *value, uint32_t *code)
{
    static const char *const none[] = {"", "null", "None", NULL};
    static const char *const yes[] = {"true", "True", "TRUE", NULL}, *const no[] = {"false", "False", "FALSE", NULL};
    double number;
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_INTEGER:
    case JSON_REAL:
        return find_number(levels, json_number_value(value), code);
    case JSON_STRING: {
        const char *const text[] = {json_string_value(value), NULL};
        return find_one_of(levels, text, code) || (is_number(text[0], &number) && find_number(levels, number, code));
    }
    case JSON_TRUE:
        return find_one_of(levels, yes, code);
    case JSON_FALSE:
        return find_one_of(levels, no, code);
    case JSON_NULL:
        return find_one_of(levels, none, code);
    default:
        return false;
    }
}
