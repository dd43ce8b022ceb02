/* Values that came at the end; see held_back.h. */
#include "cli/view/held_back.h"
#include "cli/json.h"
#include "common/units.h"

#include <string.h>

/* What a trial ran for at least: a shorter one may well print all at its end. Values come some tenths of a second after
 * they were printed, and a search of such short trials has nothing to gain from early stopping. */
#define LEAST_SECONDS 5.0
#define LAST_SHARE    0.95 /* of its time: what came later came at the end */

/* When its first value came, of all of its time; negative: it has none. */
static double first_time(const json_t *curve)
{
    double first = -1, time;
    size_t index;
    const json_t *sample;
    json_array_foreach(curve, index, sample)
    {
        time = 0;
        if (json_number(sample, "time", &time) && (first < 0 || time < first))
            first = time;
    }
    return first;
}

/* Of a trial of several attempts the times of samples say less: each counts from its own beginning. */
bool held_back_add(const json_t *trial, struct buf *out)
{
    const json_t *curve = json_object_get(trial, "curve"), *runs = json_object_get(trial, "runs");
    char shown[32];
    double seconds = 0, first = first_time(curve);
    json_number(json_array_get(runs, 0), "seconds", &seconds);
    if (json_array_size(runs) != 1 || seconds < LEAST_SECONDS || first < LAST_SHARE * seconds)
        return false;
    size_t count = json_array_size(curve);
    buf_format(out, "trial %" JSON_INTEGER_FORMAT " ran for %s, and ",
               json_integer_value(json_object_get(trial, "trial")), units_show_duration(seconds, shown, sizeof shown));
    buf_format(out, count == 1 ? "its only value came" : "all of its %zu values came", count);
    buf_text(out,
             " when it ended, so early stopping could not act on the way. A program that prints a value at each step "
             "has to let it out: print(..., flush=True) in Python, fflush(stdout) in C; trial.output: lines does so "
             "for most");
    return true;
}
