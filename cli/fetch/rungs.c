/* What early stopping did; see rungs.h. */
#include "cli/fetch/rungs.h"
#include "common/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 10000, PAGES = 8 };

void rungs_fini(struct rungs *rungs)
{
    map_fini(&rungs->paused);
    *rungs = (struct rungs){0};
}

/* The rung at a step, made where it was not; NULL: there are too many. */
static struct rung_looks *find_rung(struct rungs *rungs, uint64_t bracket, uint64_t step)
{
    size_t at = 0;
    while (at < rungs->count && (rungs->items[at].step != step || rungs->items[at].bracket != bracket))
        at++;
    if (at == RUNGS_MOST)
        return NULL;
    if (at == rungs->count)
        rungs->items[rungs->count++] =
            (struct rung_looks){.bracket = bracket, .step = step, .best = NAN, .cut_off = NAN};
    return &rungs->items[at];
}

/* A trial that waited at a rung no longer does; that rung, or NULL. */
static struct rung_looks *leave_rung(struct rungs *rungs, uint64_t trial)
{
    const char *mark = map_remove(&rungs->paused, trial);
    if (!mark)
        return NULL;
    struct rung_looks *rung = &rungs->items[mark - (const char *)rungs - 1];
    rung->waiting--;
    return rung;
}

/* The map's values are addresses within `rungs`, one for each rung: no memory of their own. */
static void wait_at(struct rungs *rungs, const struct rung_looks *rung, uint64_t trial)
{
    map_put(&rungs->paused, trial, (char *)rungs + (rung - rungs->items) + 1);
}

static void take_look(struct rungs *rungs, struct rung_looks *rung, int64_t decision, uint64_t trial, double value)
{
    rung->reached++;
    bool better = isnan(rung->best) || (rungs->maximize ? value > rung->best : value < rung->best);
    if (!isnan(value) && better) {
        rung->best = value;
        rung->best_trial = trial;
    }
    rung->passed += decision == DECISION_GOES_ON;
    rung->stopped += decision == DECISION_STOPS;
    if (decision == DECISION_PAUSES) {
        leave_rung(rungs, trial);
        rung->waiting++;
        wait_at(rungs, rung, trial);
    }
}

/* A trial that waited was taken up again, or ended. */
static void take_end_of_wait(struct rungs *rungs, uint64_t trial, bool went_on, double cut_off)
{
    struct rung_looks *left = leave_rung(rungs, trial);
    if (!left)
        return;
    left->passed += went_on;
    left->stopped += !went_on;
    if (went_on && !isnan(cut_off))
        left->cut_off = cut_off;
}

/* A row of reader_decided. */
static void take_row(struct rungs *rungs, const json_t *row)
{
    uint64_t trial = (uint64_t)json_integer_value(json_array_get(row, 1)),
             step = (uint64_t)json_integer_value(json_array_get(row, 3)),
             bracket = (uint64_t)json_integer_value(json_array_get(row, 7));
    int64_t decision = json_integer_value(json_array_get(row, 2));
    const char *why = json_string_value(json_array_get(row, 5));
    double value = NAN, cut_off = NAN;
    rungs->read = (uint64_t)json_integer_value(json_array_get(row, 0));
    (void)json_to_real(json_array_get(row, 4), &value);
    (void)json_to_real(json_array_get(row, 6), &cut_off);
    if (decision == DECISION_WENT_ON || decision == DECISION_ENDED) {
        take_end_of_wait(rungs, trial, decision == DECISION_WENT_ON, cut_off);
        return;
    }
    if (rungs->max_steps && step >= rungs->max_steps)
        return;
    struct rung_looks *rung = find_rung(rungs, bracket, step);
    rungs->looks++;
    rungs->elsewhere += !rung;
    if (!rung)
        return;
    take_look(rungs, rung, decision, trial, value);
    if (!why || !*why)
        return;
    rung->cut_off = cut_off;
    snprintf(rung->why, sizeof rung->why, "trial %llu: %s", (unsigned long long)trial, why);
}

int rungs_update(struct rungs *rungs, struct source *source, struct err *err)
{
    size_t index, count = PAGE;
    json_t *row;
    for (int page = 0; page < PAGES && count == PAGE; page++) {
        uint64_t before = rungs->read;
        json_t *list = source_read(source, "decided",
                                   json_pack("{s:I, s:i}", "after", (json_int_t)before, "limit", (int)PAGE), err);
        if (!list)
            return -1;
        count = json_array_size(list);
        json_array_foreach(list, index, row) take_row(rungs, row);
        json_decref(list);
        if (count && rungs->read <= before)
            return err_set(err, "the store is damaged: decisions don't come in the order of their numbers");
    }
    rungs->more = count == PAGE;
    return 0;
}

/* Puts a trial at its place among the first ones; one behind a full list is left out. */
static void name_waiting(struct rung_waiting *waiting, uint64_t trial)
{
    size_t at = waiting->count;
    if (at == RUNG_NAMED && trial > waiting->trials[at - 1])
        return;
    at = at == RUNG_NAMED ? at - 1 : waiting->count++;
    for (; at > 0 && waiting->trials[at - 1] > trial; at--)
        waiting->trials[at] = waiting->trials[at - 1];
    waiting->trials[at] = trial;
}

uint64_t rungs_name_waiting(const struct rungs *rungs, struct rung_waiting out[RUNGS_MOST])
{
    struct map_entry entry;
    uint64_t looked = 0;
    memset(out, 0, RUNGS_MOST * sizeof *out);
    for (size_t at = 0; map_next(&rungs->paused, &at, &entry); looked++)
        name_waiting(&out[(const char *)entry.value - (const char *)rungs - 1], entry.key);
    return looked;
}

static json_t *list_waiting(const struct rung_waiting *waiting)
{
    json_t *list = json_array();
    for (size_t i = 0; i < waiting->count; i++)
        json_array_append_new(list, json_integer((json_int_t)waiting->trials[i]));
    return list;
}

static json_t *rung_json(const struct rungs *rungs, const struct rung_looks *rung, const struct rung_waiting *waiting)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:o}", "bracket", (json_int_t)rung->bracket,
                     "step", (json_int_t)rung->step, "reached", (json_int_t)rung->reached, "passed",
                     (json_int_t)rung->passed, "stopped", (json_int_t)rung->stopped, "waiting",
                     (json_int_t)rung->waiting, "who", list_waiting(waiting), "cut_off",
                     json_of_known(rungs->own ? NAN : rung->cut_off), "best", json_of_known(rung->best), "best_trial",
                     (json_int_t)rung->best_trial, "why", json_of_text(*rung->why ? rung->why : NULL));
}

static bool has_said_why(const struct rungs *rungs)
{
    for (size_t i = 0; i < rungs->count; i++)
        if (*rungs->items[i].why)
            return true;
    return false;
}

static int compare_rungs(const void *a, const void *b)
{
    const struct rung_looks *one = *(const struct rung_looks *const *)a, *other = *(const struct rung_looks *const *)b;
    int by_bracket = (one->bracket > other->bracket) - (one->bracket < other->bracket);
    return by_bracket ? by_bracket : (one->step > other->step) - (one->step < other->step);
}

json_t *rungs_json(const struct rungs *rungs)
{
    json_t *list = json_array();
    const struct rung_looks *order[RUNGS_MOST];
    struct rung_waiting waiting[RUNGS_MOST];
    rungs_name_waiting(rungs, waiting);
    bool why = has_said_why(rungs);
    for (size_t i = 0; i < rungs->count; i++)
        order[i] = &rungs->items[i];
    if (rungs->count)
        qsort(order, rungs->count, sizeof *order, compare_rungs);
    for (size_t i = 0; i < rungs->count; i++)
        if (*order[i]->why || !why)
            json_array_append_new(list, rung_json(rungs, order[i], &waiting[order[i] - rungs->items]));
    return list;
}
