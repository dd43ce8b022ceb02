/* The counters of a run as one text; see counted.h. */
#include "scheduler/store/counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *put_value(char *at, enum run_counter counter, double value)
{
    enum { ROOM = 18 };
    if (!run_counter_is_sane(counter, value))
        return at + snprintf(at, ROOM, "null");
    return at + snprintf(at, ROOM, "%llu", (unsigned long long)round(value * run_counter_scale(counter)));
}

const char *counted_encode(const struct run_counters *counters, char *out)
{
    char *at = out;
    int count = RUN_COUNTERS_COUNT;
    while (counters && count && isnan(counters->values[count - 1]))
        count--;
    if (!counters || !count)
        return NULL;
    for (int i = 0; i < count; i++) {
        *at++ = i ? ',' : '[';
        at = put_value(at, (enum run_counter)i, counters->values[i]);
    }
    memcpy(at, "]", 2);
    return out;
}

void counted_decode(const char *text, struct run_counters *out)
{
    run_counters_clear(out);
    for (int i = 0; text && i < RUN_COUNTERS_COUNT && *text == (i ? ',' : '['); i++) {
        char *end;
        bool is_known = text[1] >= '0' && text[1] <= '9';
        double number = is_known ? (double)strtoull(text + 1, &end, 10) : NAN;
        if (number <= RUN_COUNTER_MOST)
            out->values[i] = number / run_counter_scale((enum run_counter)i);
        text += 1 + strcspn(text + 1, ",]");
    }
}
