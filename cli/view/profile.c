/* Where the time went; see profile.h. */
#include "cli/view/profile.h"
#include "cli/look.h"
#include "cli/json.h"
#include "common/phases.h"
#include "common/units.h"

#include <math.h>
#include <stddef.h>

enum { BAR = 30 };

/* What can bound a trial: the phases that count for it, and what that means for the person. */
static const struct bound {
    const char *what, *meaning;
    enum phase phases[3];
    size_t count;
} bounds[] = {
    {"computing", "the training itself is what takes the time", {PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE}, 3},
    {"evaluating", "evaluate less often, or on less data", {PHASE_EVALUATION}, 1},
    {"waiting for data", "reading and preparing data is what takes the time", {PHASE_DATA}, 1},
    {"at checkpoints", "save less often, or to a faster disk", {PHASE_CHECKPOINT}, 1},
    {"launching", "the trials are so short that starting them is what takes the time", {PHASE_LAUNCH}, 1},
    {"in the program", "it does not say what it does with its time", {PHASE_WORK}, 1},
    {"idle", "the trial waited without saying for what", {PHASE_IDLE}, 1},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* The phases of a JSON object or list: ours, and those that programs named. */
struct drawn {
    struct phase_time phases[PHASES_COUNT];
    struct named {
        const char *name;
        double seconds;
    } named[PHASES_NAMED_MOST];
    int named_count;
};

static void read_phase(const char *name, const json_t *json, struct drawn *drawn)
{
    struct phase_time time = {0};
    int phase = name ? phase_named(name) : -1;
    json_number(json, "seconds", &time.seconds);
    json_number(json, "min", &time.min);
    json_number(json, "max", &time.max);
    time.count = (uint64_t)json_integer_value(json_object_get(json, "count"));
    if (!isfinite(time.seconds) || time.seconds < 0)
        time.seconds = 0;
    if (phase >= 0)
        drawn->phases[phase] = time;
    else if (name && phase_is_name(name) && drawn->named_count < PHASES_NAMED_MOST)
        drawn->named[drawn->named_count++] = (struct named){name, time.seconds};
}

static void read_phases(const json_t *json, struct drawn *drawn)
{
    const char *name;
    size_t index;
    json_t *phase;
    *drawn = (struct drawn){.named_count = 0};
    json_object_foreach((json_t *)json, name, phase) read_phase(name, phase, drawn);
    json_array_foreach(json, index, phase) read_phase(json_text(phase, "phase"), phase, drawn);
}

static double sum_of(const struct drawn *drawn)
{
    double sum = 0;
    for (int i = 0; i < PHASES_COUNT; i++)
        sum += i == PHASE_QUEUE ? 0 : drawn->phases[i].seconds;
    for (int i = 0; i < drawn->named_count; i++)
        sum += drawn->named[i].seconds;
    return sum;
}

static void draw_phase(const char *name, double seconds, double sum, const struct look *look, struct buf *out)
{
    char text[32];
    if (!(seconds > 0))
        return;
    buf_format(out, "  %-11s %8s %4.0f %%  ", name, units_show_duration(seconds, text, sizeof text),
               100 * seconds / sum);
    chart_bar(look, seconds / sum, BAR, out);
    buf_text(out, "\n");
}

static void draw_phases(const struct drawn *drawn, const struct look *look, struct buf *out)
{
    double sum = sum_of(drawn);
    for (int i = 0; i < PHASES_COUNT; i++)
        if (i != PHASE_QUEUE)
            draw_phase(phase_name((enum phase)i), drawn->phases[i].seconds, sum, look, out);
    for (int i = 0; i < drawn->named_count; i++)
        draw_phase(drawn->named[i].name, drawn->named[i].seconds, sum, look, out);
}

static double share_of(const struct bound *bound, const struct phase_time *phases, double sum)
{
    double seconds = 0;
    for (size_t i = 0; i < bound->count; i++)
        seconds += phases[bound->phases[i]].seconds;
    return seconds / sum;
}

/* Handing a run to its trainer and taking the result back costs some 0.1 ms, in which it neither launches nor works. */
static bool is_hand_over(const struct bound *bound, const struct phase_time *phases)
{
    const double most = 0.001; /* seconds a trial */
    const struct phase_time *idle = &phases[PHASE_IDLE];
    return bound->phases[0] == PHASE_IDLE && idle->count && idle->seconds < most * (double)idle->count;
}

/* Whether a program of a person's own worked, and told nothing of what it did. */
static bool tells_nothing(const struct drawn *drawn)
{
    double told = 0;
    for (int i = PHASE_DATA; i <= PHASE_CHECKPOINT; i++)
        told += drawn->phases[i].seconds;
    return !(told > 0) && !drawn->named_count && drawn->phases[PHASE_WORK].seconds > sum_of(drawn) / 2;
}

/* What takes the most of the time, when that is a phase that programs named; else NULL. */
static const struct named *find_named(const struct drawn *drawn, double most)
{
    const struct named *found = NULL;
    for (int i = 0; i < drawn->named_count; i++)
        if (drawn->named[i].seconds > most) {
            found = &drawn->named[i];
            most = found->seconds;
        }
    return found;
}

static void add_bound(const struct drawn *drawn, struct buf *out)
{
    double sum = sum_of(drawn);
    const struct bound *largest = &bounds[0];
    const struct phase_time *phases = drawn->phases;
    if (!(sum > 0))
        return;
    for (size_t i = 1; i < BOUNDS; i++)
        if (share_of(&bounds[i], phases, sum) > share_of(largest, phases, sum))
            largest = &bounds[i];
    const struct named *named = find_named(drawn, share_of(largest, phases, sum) * sum);
    if (named)
        buf_format(out, "%.0f %% %s: so the program called it", 100 * named->seconds / sum, named->name);
    else
        buf_format(out, "%.0f %% %s: %s", 100 * share_of(largest, phases, sum), largest->what,
                   is_hand_over(largest, phases)
                       ? "the trials are so short that handing them over is what takes the time"
                       : largest->meaning);
}

void profile_draw(const json_t *json, const struct look *look, struct buf *out)
{
    struct drawn drawn;
    struct buf bound = {0};
    read_phases(json, &drawn);
    add_bound(&drawn, &bound);
    if (tells_nothing(&drawn)) {
        look_heading(look, "Where the time went", out);
        buf_text(out, "  the program does not say: `with trial.phase(\"data\")` in Python, or a line time.data=SECONDS "
                      "(docs/trial.md)\n");
    } else if (bound.length) {
        look_heading(look, "Where the time went", out);
        draw_phases(&drawn, look, out);
        buf_format(out, "  %s\n", buf_str(&bound));
    }
    buf_fini(&bound);
}
