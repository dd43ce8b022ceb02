/* Where the slots' time went: what became of the attempts, and what was idle. */
#include "cli/plot/values.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>

enum slot_use { USE_COMPLETED, USE_STOPPED, USE_LAUNCH, USE_FAILED, USE_LOST, USE_OTHER, USE_IDLE, USES };

static const struct {
    const char *name, *text;
    enum ink ink;
} uses[USES] = {
    [USE_COMPLETED] = {"completed", "trials that completed", INK_PLAIN},
    [USE_STOPPED] = {"stopped", "stopped early or paused", INK_EARLY},
    [USE_LAUNCH] = {"launch", "starting programs", INK_WARN},
    [USE_FAILED] = {"failed", "attempts that failed", INK_BAD},
    [USE_LOST] = {"lost", "lost with worker or node", INK_BAD},
    [USE_OTHER] = {"other", "interrupted, cancelled, running", INK_FAINT},
    [USE_IDLE] = {"idle", "slots without an attempt", INK_FAINT},
};

static enum slot_use use_of(const struct slot_span *span)
{
    if (span->reason < 0)
        return USE_OTHER;
    enum ending ending = (enum ending)span->reason;
    if (ending_retry(ending) == RETRY_FREE)
        return USE_LOST;
    enum trial_state state = ending_state(ending);
    return state == TRIAL_COMPLETED                          ? USE_COMPLETED
           : state == TRIAL_STOPPED || state == TRIAL_PAUSED ? USE_STOPPED
           : state == TRIAL_FAILED                           ? USE_FAILED
                                                             : USE_OTHER;
}

static int draw_losses(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const struct slot_spans *spans = &subject->spans;
    double seconds[USES] = {0}, all = slot_spans_there(spans), used = 0;
    if (!spans->count || !(all > 0))
        return err_set(err, "no attempt of %s has begun yet", subject->data.name);
    for (size_t i = 0; i < spans->count; i++) {
        seconds[use_of(&spans->items[i])] += spans->items[i].seconds - spans->items[i].launch;
        seconds[USE_LAUNCH] += spans->items[i].launch;
        used += spans->items[i].seconds;
    }
    seconds[USE_IDLE] = fmax(all - used, 0);
    picture_title(out, "Where the time went");
    struct panel *panel = picture_panel(out, NULL);
    json_t *list = json_array();
    for (enum slot_use use = 0; use < USES; use++) {
        double share = 100 * seconds[use] / all, row = (double)panel->y.name_count + 0.5;
        char took[40], *text;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "use", uses[use].name, "seconds",
                                              json_of_real(seconds[use]), "share", json_of_real(share / 100)));
        if (seconds[use] <= 0)
            continue;
        scale_name(&panel->y, uses[use].text);
        panel_box(panel, uses[use].ink, 0, row - 0.32, share, row + 0.32);
        text = mem_format("%.1f %%: %s", share, units_show_duration(seconds[use], took, sizeof took));
        panel_text(panel, INK_QUIET, share, row, text);
        free(text);
    }
    json_decref(out->numbers);
    out->numbers = list;
    scale_set(&panel->x, (struct axis){0, 125, AXIS_LINEAR}, NULL);
    panel->x.bare = true;
    panel->height = 24.0 * (double)panel->y.name_count;
    double good = 100 * (seconds[USE_COMPLETED] + seconds[USE_STOPPED]) / all;
    picture_say(out,
                "%.0f %% of the slots' time went into trials that completed or were stopped early; %.0f %% was idle, "
                "%.0f %% went into attempts that failed or were lost.",
                good, 100 * seconds[USE_IDLE] / all, 100 * (seconds[USE_FAILED] + seconds[USE_LOST]) / all);
    return 0;
}

const struct plot_kind plot_losses = {.name = "losses",
                                      .summary = "where the slots' time went, and what of it was lost",
                                      .needs = PLOT_SPANS,
                                      .draw = draw_losses};
