/* Sentences of several views; see notes.h. */
#include "cli/view/notes.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/units.h"

#include <string.h>

enum { SHOWN = 10 };

void notes_add_aside(const json_t *aside, struct buf *out)
{
    buf_text(out, "a worker on ");
    format_safe(json_text(aside, "node"), out);
    buf_text(out, " was set aside: ");
    format_safe(json_text(aside, "why"), out);
}

static bool is_shown(const struct snapshot *shown, const char *node)
{
    for (uint32_t i = 0; shown && i < shown->worker_count; i++)
        if (*shown->workers[i].aside && strcmp(shown->workers[i].name, node) == 0)
            return true;
    return false;
}

void notes_draw_aside(const json_t *experiment, const struct snapshot *shown, struct buf *out)
{
    const json_t *list = json_object_get(experiment, "aside");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *aside = json_array_get(list, i);
        if (is_shown(shown, json_text(aside, "node")) || ++count > SHOWN)
            continue;
        notes_add_aside(aside, out);
        buf_text(out, "\n");
    }
    if (count > SHOWN)
        buf_format(out, "and %zu nodes more; gannet explain names them\n", count - SHOWN);
}

bool notes_add_cost(const json_t *experiment, struct buf *out)
{
    const json_t *energy = json_object_get(experiment, "energy");
    json_int_t ended = json_integer_value(json_object_get(energy, "ended")),
               known = json_integer_value(json_object_get(energy, "known"));
    const char *why = json_text(energy, "why");
    if (!json_is_object(energy) || 2 * known >= (ended ? ended : 1) || !(ended || *why))
        return false;
    if (ended)
        buf_format(out, "cost: energy weighs trials by time, since joules are known of %lld of %lld", (long long)known,
                   (long long)ended);
    else
        buf_text(out, "cost: energy will weigh trials by time, since this worker measures no joules");
    if (*why) {
        buf_text(out, " (");
        format_safe(why, out);
        buf_text(out, ")");
    }
    return true;
}

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
bool notes_add_held_back(const json_t *trial, struct buf *out)
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

static long long count_of(const json_t *sample, const char *member)
{
    return (long long)json_integer_value(json_object_get(sample, member));
}

bool notes_add_sample(const json_t *sample, struct buf *out)
{
    if (json_is_object(sample))
        buf_format(out, "a sample: %lld of %lld trials", count_of(sample, "trials"), count_of(sample, "of"));
    return json_is_object(sample);
}
