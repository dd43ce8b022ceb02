/* Where the time went; see profile.h. */
#include "cli/view/profile.h"
#include "cli/json.h"
#include "common/phases.h"
#include "common/units.h"

#include <math.h>
#include <stddef.h>

enum { BAR = 30 };

/* The phases of a JSON object or list: ours, and those that programs named. */
struct phase_times {
    struct phase_time phases[PHASES_COUNT];
    struct named {
        const char *name;
        double seconds;
    } named[PHASES_NAMED_MOST];
    int named_count;
};

static void read_phase(const char *name, const json_t *json, struct phase_times *drawn)
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

static void read_phases(const json_t *json, struct phase_times *drawn)
{
    const char *name;
    size_t index;
    json_t *phase;
    *drawn = (struct phase_times){.named_count = 0};
    json_object_foreach((json_t *)json, name, phase) read_phase(name, phase, drawn);
    json_array_foreach(json, index, phase) read_phase(json_text(phase, "phase"), phase, drawn);
}

static double sum_of(const struct phase_times *drawn)
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

static void draw_phases(const struct phase_times *drawn, const struct look *look, struct buf *out)
{
    double sum = sum_of(drawn);
    for (int i = 0; i < PHASES_COUNT; i++)
        if (i != PHASE_QUEUE)
            draw_phase(phase_name((enum phase)i), drawn->phases[i].seconds, sum, look, out);
    for (int i = 0; i < drawn->named_count; i++)
        draw_phase(drawn->named[i].name, drawn->named[i].seconds, sum, look, out);
}

/* Whether a program of a person's own worked, and told nothing of what it did. */
static bool tells_nothing(const struct phase_times *drawn)
{
    double told = 0;
    for (int i = PHASE_DATA; i <= PHASE_CHECKPOINT; i++)
        told += drawn->phases[i].seconds;
    return !(told > 0) && !drawn->named_count && drawn->phases[PHASE_WORK].seconds > sum_of(drawn) / 2;
}

static void draw_drawn(const struct phase_times *drawn, const struct look *look, struct buf *out)
{
    if (tells_nothing(drawn))
        buf_text(out, "  the program does not say: `with trial.phase(\"data\")` in Python, or a line time.data=SECONDS "
                      "(docs/trial.md)\n");
    else
        draw_phases(drawn, look, out);
}

void profile_draw(const json_t *json, const char *bound, const struct look *look, struct buf *out)
{
    struct phase_times drawn;
    read_phases(json, &drawn);
    if (!(sum_of(&drawn) > 0))
        return;
    look_heading(look, "Where the time went", out);
    draw_drawn(&drawn, look, out);
    if (*bound)
        buf_format(out, "  %s\n", bound);
}
