/* What early stopping did; see rungs.h. */
#include "cli/fetch/rungs.h"
#include "common/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 10000, PAGES = 8 };

void rungs_fini(struct rungs *rungs)
{
    map_fini(&rungs->paused);
    *rungs = (struct rungs){0};
}

/* The rung at a step, made where it was not; NULL: there are too many. */
static struct rung_looks *find_rung(struct rungs *rungs, uint64_t step)
{
    size_t at = 0;
    while (at < rungs->count && rungs->items[at].step != step)
        at++;
    if (at == RUNGS_MOST)
        return NULL;
    if (at == rungs->count)
        rungs->items[rungs->count++] = (struct rung_looks){.step = step, .best = NAN};
    return &rungs->items[at];
}

/* A trial that waited at a rung no longer does; that rung, or NULL. */
static struct rung_looks *leave_rung(struct rungs *rungs, uint64_t trial)
{
    const char *mark = map_remove(&rungs->paused, trial);
    if (!mark)
        return NULL;
    struct rung_looks *rung = &rungs->items[mark - (const char *)rungs - 1];
    rung->paused--;
    return rung;
}

/* The map's values are addresses within `rungs`, one for each rung: no memory of their own. */
static void wait_at(struct rungs *rungs, const struct rung_looks *rung, uint64_t trial)
{
    map_put(&rungs->paused, trial, (char *)rungs + (rung - rungs->items) + 1);
}

static void take_look(struct rungs *rungs, struct rung_looks *rung, int64_t decision, uint64_t trial, double value)
{
    rung->looks++;
    bool better = isnan(rung->best) || (rungs->maximize ? value > rung->best : value < rung->best);
    if (!isnan(value) && better) {
        rung->best = value;
        rung->best_trial = trial;
    }
    rung->went_on += decision == DECISION_GOES_ON;
    rung->stopped += decision == DECISION_STOPS;
    if (decision == DECISION_PAUSES) {
        leave_rung(rungs, trial);
        rung->paused++;
        wait_at(rungs, rung, trial);
    }
}

/* A row of reader_decided. */
static void take_row(struct rungs *rungs, const json_t *row)
{
    uint64_t trial = (uint64_t)json_integer_value(json_array_get(row, 1)),
             step = (uint64_t)json_integer_value(json_array_get(row, 3));
    int64_t decision = json_integer_value(json_array_get(row, 2));
    const char *why = json_string_value(json_array_get(row, 5));
    double value = NAN;
    rungs->read = (uint64_t)json_integer_value(json_array_get(row, 0));
    (void)json_to_real(json_array_get(row, 4), &value);
    if (decision == DECISION_WENT_ON || decision == DECISION_ENDED) {
        struct rung_looks *left = leave_rung(rungs, trial);
        if (left && decision == DECISION_WENT_ON)
            left->went_on++;
        return;
    }
    struct rung_looks *rung = find_rung(rungs, step);
    rungs->looks++;
    rungs->elsewhere += !rung;
    if (rung)
        take_look(rungs, rung, decision, trial, value);
    if (rung && why && *why)
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

static json_t *rung_json(const struct rung_looks *rung)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:o}", "step", (json_int_t)rung->step, "looks",
                     (json_int_t)rung->looks, "went_on", (json_int_t)rung->went_on, "stopped",
                     (json_int_t)rung->stopped, "paused", (json_int_t)rung->paused, "best",
                     isnan(rung->best) ? json_null() : json_of_real(rung->best), "best_trial",
                     (json_int_t)rung->best_trial, "why", json_of_text(*rung->why ? rung->why : NULL));
}

static bool has_said_why(const struct rungs *rungs)
{
    for (size_t i = 0; i < rungs->count; i++)
        if (*rungs->items[i].why)
            return true;
    return false;
}

json_t *rungs_json(const struct rungs *rungs)
{
    json_t *list = json_array();
    uint64_t after = 0;
    bool why = has_said_why(rungs);
    for (size_t done = 0; done < rungs->count; done++) {
        const struct rung_looks *next = NULL;
        for (size_t i = 0; i < rungs->count; i++)
            if ((!done || rungs->items[i].step > after) && (!next || rungs->items[i].step < next->step))
                next = &rungs->items[i];
        if (!next)
            break;
        after = next->step;
        if (*next->why || !why)
            json_array_append_new(list, rung_json(next));
    }
    return list;
}
