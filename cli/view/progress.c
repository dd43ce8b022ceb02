/* The progress of a run; see progress.h. */
#include "cli/view/progress.h"
#include "cli/look.h"
#include "cli/format.h"
#include "common/units.h"

#include <inttypes.h>
#include <math.h>

/* A bar is for wide terminals: where it would come and go with the other parts there is none. */
enum { BAR = 10, BAR_FROM = 100, PACE_SECONDS = 60 };

const char progress_no_room[] =
    "its coordinator is started, but can't write yet: the disk or a quota is full, or memory or descriptors run short; "
    "it goes on by itself as soon as there is room";

struct run_progress progress_of(const char *name, const char *metric, const struct snapshot *snapshot)
{
    struct run_progress progress = {.name = name,
                                    .metric = metric,
                                    .total = snapshot->max_trials,
                                    .running = snapshot->trials[TRIAL_RUNNING],
                                    .waiting = snapshot->trials[TRIAL_WAITING],
                                    .failed = snapshot->trials[TRIAL_FAILED],
                                    .paused = snapshot->trials[TRIAL_PAUSED],
                                    .stopped = snapshot->trials[TRIAL_STOPPED],
                                    .has_best = snapshot->has_best,
                                    .best = snapshot->best,
                                    .best_trial = snapshot->best_trial,
                                    .rate = snapshot->rate,
                                    .left = snapshot->left,
                                    .elapsed = snapshot->held,
                                    .slots = snapshot->slots};
    for (int state = 0; state < TRIAL_STATES; state++)
        progress.ended += trial_state_is_end((enum trial_state)state) ? snapshot->trials[state] : 0;
    progress.ended -= snapshot->added < progress.ended ? snapshot->added : progress.ended;
    return progress;
}

void progress_steps(const struct snapshot *snapshot, struct buf *out)
{
    double full = (double)snapshot->max_steps * (double)snapshot->stepped;
    if (snapshot->early_stop && full > 0)
        buf_format(out, "%.0f %% of full training, %" PRIu64 " of %.0f", 100 * (double)snapshot->steps / full,
                   snapshot->steps, full);
}

/* --- on a terminal: parts in the order they are shown, left out by rank until the rest fits --- */

struct progress_part {
    int rank; /* the highest is left out first when the line is too long */
    enum tint tint;
    struct buf text;
};

enum { PARTS = 11 };

static void add_counts(const struct run_progress *progress, struct buf *out)
{
    buf_format(out, "%" PRIu64, progress->ended);
    if (progress->total)
        buf_format(out, "/%" PRIu64, progress->total);
    buf_text(out, " done");
}

static void add_best(const struct run_progress *progress, struct buf *out)
{
    char number[32];
    if (!progress->has_best)
        return;
    buf_text(out, "best ");
    format_safe(progress->metric, out);
    buf_format(out, " %s", format_number(progress->best, number, sizeof number));
}

static void add_rate(double rate, struct buf *out)
{
    if (rate >= 0.1)
        buf_format(out, rate < 100 ? "%.1f/s" : "%.0f/s", rate);
    else if (rate > 0)
        buf_format(out, "%.1f/min", rate * 60);
}

/* Whole seconds: a line that is redrawn all the time need not say more. */
static void add_seconds(double seconds, struct buf *out)
{
    char text[32];
    if (seconds < 60)
        buf_format(out, "%.0fs", floor(seconds));
    else
        buf_text(out, units_show_duration(seconds, text, sizeof text));
}

static void add_left(const struct run_progress *progress, struct buf *out)
{
    if (progress->left < 0)
        return;
    add_seconds(ceil(progress->left), out);
    buf_text(out, " left");
}

static void make_parts(const struct run_progress *progress, const struct look *look, struct progress_part *parts)
{
    parts[0] = (struct progress_part){.rank = 5, .tint = TINT_STRONG};
    format_safe(progress->name, &parts[0].text);
    parts[1] = (struct progress_part){.rank = 4, .tint = TINT_GOOD};
    if (progress->total && (!look->width || look->width >= BAR_FROM))
        chart_bar(look, (double)progress->ended / (double)progress->total, BAR, &parts[1].text);
    parts[2] = (struct progress_part){.rank = 0};
    add_counts(progress, &parts[2].text);
    parts[3] = (struct progress_part){.rank = 3, .tint = TINT_BUSY};
    buf_format(&parts[3].text, "%" PRIu64 " running", progress->running);
    parts[4] = (struct progress_part){.rank = 2, .tint = TINT_BAD};
    if (progress->failed)
        buf_format(&parts[4].text, "%" PRIu64 " failed", progress->failed);
    parts[5] = (struct progress_part){.rank = 9};
    if (progress->paused)
        buf_format(&parts[5].text, "%" PRIu64 " paused", progress->paused);
    parts[6] = (struct progress_part){.rank = 10};
    if (progress->stopped)
        buf_format(&parts[6].text, "%" PRIu64 " stopped", progress->stopped);
    parts[7] = (struct progress_part){.rank = 1};
    add_best(progress, &parts[7].text);
    parts[8] = (struct progress_part){.rank = 7};
    add_rate(progress->rate, &parts[8].text);
    parts[9] = (struct progress_part){.rank = 6};
    add_left(progress, &parts[9].text);
    parts[10] = (struct progress_part){.rank = 8, .tint = TINT_QUIET};
    add_seconds(progress->elapsed, &parts[10].text);
}

static size_t parts_width(const struct progress_part *parts)
{
    size_t width = 0;
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].text.length)
            width += (width ? 2 : 0) + format_width(buf_str(&parts[i].text));
    return width;
}

/* Empties parts, the highest rank first, until the line fits; the counts (rank 0) stay. */
static void drop_parts(struct progress_part *parts, size_t limit)
{
    for (int rank = PARTS; rank > 0 && parts_width(parts) > limit; rank--)
        for (size_t i = 0; i < PARTS; i++)
            if (parts[i].rank == rank)
                buf_clear(&parts[i].text);
}

void progress_line(const struct run_progress *progress, const struct look *look, struct buf *out)
{
    struct progress_part parts[PARTS];
    size_t limit = look->width ? look->width - 1 : SIZE_MAX, shown = 0;
    if (progress->note) {
        format_cut(look, progress->note, limit, out);
        return;
    }
    make_parts(progress, look, parts);
    drop_parts(parts, limit);
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].text.length) {
            buf_text(out, shown++ ? "  " : "");
            look_add(look, parts[i].tint, buf_str(&parts[i].text), out);
        }
        buf_fini(&parts[i].text);
    }
}

/* --- in a log --- */

void progress_plain(const struct run_progress *progress, double wall, struct buf *out)
{
    char text[40];
    buf_format(out, "%s done=%" PRIu64, units_show_time(wall, text, sizeof text), progress->ended);
    if (progress->total)
        buf_format(out, "/%" PRIu64, progress->total);
    buf_format(out, " running=%" PRIu64 " failed=%" PRIu64, progress->running, progress->failed);
    if (progress->has_best)
        buf_format(out, " best=%s best_trial=%" PRIu64, units_show_real(progress->best, text, sizeof text),
                   progress->best_trial);
    if (progress->rate > 0)
        buf_format(out, " rate=%.3g", progress->rate);
    if (progress->left >= 0)
        buf_format(out, " left=%.0f", progress->left);
    buf_text(out, "\n");
}

bool pace_due(struct pace *pace, const struct run_progress *progress, double now)
{
    bool better = progress->has_best && progress->best_trial != pace->best_trial;
    if (pace->last > 0 && !better && now - pace->last < (double)PACE_SECONDS)
        return false;
    *pace = (struct pace){.last = now, .best_trial = progress->has_best ? progress->best_trial : 0};
    return true;
}
