/* Profiles of the best trials: where the time of each went, and what bounded it. */
#include "cli/plot/values.h"

#include "cli/json.h"
#include "common/mem.h"
#include "common/phases.h"

#include <math.h>
#include <string.h>

enum { MOST_PHASES = 32, SHOWN_PHASES = INK_SERIES - 1 /* of colours of their own */ };

/* A phase that occurs, over all trials. */
struct phase_share {
    const char *name;
    double seconds;
};

/* Waiting for a slot is no time of a run. */
static bool is_part(const char *phase)
{
    return strcmp(phase, phase_name(PHASE_QUEUE)) != 0;
}

static size_t find_parts(const json_t *profiles, struct phase_share *parts)
{
    size_t count = 0, index;
    json_t *trial;
    json_array_foreach(profiles, index, trial)
    {
        const char *phase;
        json_t *times;
        json_object_foreach(json_object_get(trial, "profile"), phase, times)
        {
            size_t at = 0;
            double seconds = 0;
            json_number(times, "seconds", &seconds);
            while (at < count && strcmp(parts[at].name, phase) != 0)
                at++;
            if (at == MOST_PHASES || !is_part(phase) || !(seconds > 0))
                continue;
            parts[at].name = phase;
            parts[at].seconds += seconds;
            count = at == count ? count + 1 : count;
        }
    }
    return count;
}

/* The one of most time first. */
static void sort_parts(struct phase_share *parts, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && parts[j].seconds > parts[j - 1].seconds; j--) {
            struct phase_share other = parts[j];
            parts[j] = parts[j - 1];
            parts[j - 1] = other;
        }
}

static enum ink ink_of(const char *phase, size_t at)
{
    if (strcmp(phase, phase_name(PHASE_IDLE)) == 0)
        return INK_FAINT;
    return (enum ink)(INK_SERIES_1 + (at < SHOWN_PHASES ? at : SHOWN_PHASES));
}

static double add_trial(const json_t *trial, const struct phase_share *parts, size_t count, struct panel *panel)
{
    double from = 0, row = (double)panel->y.name_count + 0.5;
    const json_t *profile = json_object_get(trial, "profile");
    char name[32];
    snprintf(name, sizeof name, "trial %lld", (long long)json_integer_value(json_object_get(trial, "trial")));
    scale_name(&panel->y, name);
    for (size_t i = 0; i < count; i++) {
        double seconds = 0;
        if (!json_number(json_object_get(profile, parts[i].name), "seconds", &seconds) || !(seconds > 0))
            continue;
        struct mark *box = panel_box(panel, ink_of(parts[i].name, i), from, row - 0.34, from + seconds, row + 0.34);
        box->text = mem_format("%s: %.3g s", parts[i].name, seconds);
        from += seconds;
    }
    const char *verdict = json_text(trial, "verdict");
    if (*verdict)
        panel_text(panel, INK_QUIET, from, row, verdict);
    return from;
}

static json_t *numbers_of(const json_t *profiles)
{
    json_t *list = json_array(), *trial;
    size_t index;
    json_array_foreach(profiles, index, trial)
    {
        json_t *row = json_object();
        for (size_t i = 0; i < 4; i++) {
            static const char *const members[] = {"trial", "profile", "verdict", "figure"};
            json_t *value = json_object_get(trial, members[i]);
            json_object_set_new(row, members[i], value ? json_incref(value) : json_null());
        }
        json_array_append_new(list, row);
    }
    return list;
}

static void describe_phases(const struct plot_subject *subject, const struct phase_share *parts, struct picture *out)
{
    const char *words = json_text(json_array_get(subject->profiles, 0), "words");
    char all[VALUES_COUNT];
    picture_say(out, "The best %s by where the time went: most of it into %s.%s%s%s",
                values_count(json_array_size(subject->profiles), "trial", all), parts[0].name,
                *words ? " The best: " : "", words, *words ? "." : "");
}

static int draw_phases(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    struct phase_share parts[MOST_PHASES] = {0};
    size_t count = find_parts(subject->profiles, parts), index;
    double longest = 0;
    json_t *trial;
    if (!count)
        return err_set(err, "nothing is known of where the time of the trials of %s went", subject->data.name);
    sort_parts(parts, count);
    json_decref(out->numbers);
    out->numbers = numbers_of(subject->profiles);
    picture_title(out, "Profiles of the best trials");
    struct panel *panel = picture_panel(out, NULL);
    json_array_foreach(subject->profiles, index, trial) longest = fmax(longest, add_trial(trial, parts, count, panel));
    scale_set(&panel->x, axis_of(0, longest * 1.2, AXIS_SECONDS), "time, and what bounded the trial");
    panel->height = 24.0 * (double)panel->y.name_count;
    for (size_t i = 0; i < count && i < SHOWN_PHASES; i++)
        picture_legend(out, ink_of(parts[i].name, i), MARK_BOX, parts[i].name);
    if (count > SHOWN_PHASES)
        picture_legend(out, INK_SERIES_8, MARK_BOX, "others");
    describe_phases(subject, parts, out);
    return 0;
}

const struct plot_kind plot_phases = {.name = "phases",
                                      .summary = "where the time of the best trials went, and what bounded them",
                                      .needs = PLOT_PROFILES,
                                      .draw = draw_phases};
