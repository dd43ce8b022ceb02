/* Sets of numbers as sorted arrays: a node has a few hundred of anything; see numbers.h. */
#include "worker/hardware/numbers.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void numbers_fini(struct numbers *set)
{
    free(set->items);
    *set = (struct numbers){0};
}

/* The first place whose number is not below `number`. */
static size_t place_of(const struct numbers *set, uint32_t number)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->items[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void numbers_add(struct numbers *set, uint32_t number)
{
    size_t at = place_of(set, number);
    if (at < set->count && set->items[at] == number)
        return;
    MEM_GROW(set->items, set->capacity, set->count + 1);
    memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof *set->items);
    set->items[at] = number;
    set->count++;
}

void numbers_merge(struct numbers *set, const struct numbers *more)
{
    for (size_t i = 0; i < more->count; i++)
        numbers_add(set, more->items[i]);
}

bool numbers_has(const struct numbers *set, uint32_t number)
{
    size_t at = place_of(set, number);
    return at < set->count && set->items[at] == number;
}

void numbers_show(const struct numbers *set, struct buf *out)
{
    for (size_t i = 0, last; i < set->count; i = last + 1) {
        last = i;
        while (last + 1 < set->count && set->items[last + 1] == set->items[last] + 1)
            last++;
        buf_format(out, i ? ",%u" : "%u", set->items[i]);
        if (last > i)
            buf_format(out, "-%u", set->items[last]);
    }
}

/* One number at *at, which moves behind it. */
static bool take_number(const char **at, unsigned long *number)
{
    if (!isdigit((unsigned char)**at))
        return false;
    char *end;
    *number = strtoul(*at, &end, 10);
    *at = end;
    return *number <= NUMBERS_LARGEST;
}

int numbers_read(const char *text, struct numbers *set, struct err *err)
{
    const char *at = text;
    while (*at) {
        unsigned long first, last;
        if (!take_number(&at, &first))
            break;
        last = first;
        if (*at == '-' && (at++, !take_number(&at, &last) || last < first))
            break;
        for (unsigned long number = first; number <= last; number++)
            numbers_add(set, (uint32_t)number);
        if (!*at)
            return 0;
        if (*at != ',' || !at[1])
            break;
        at++;
    }
    return *text ? err_set(err, "'%s' is no list of numbers; write for example 0-3,8", text) : 0;
}
