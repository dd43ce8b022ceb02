/* Asynchronous successive halving; see brackets.h.
 *
 * When trials can be continued, a trial pauses at each rung, and whenever a slot is free the best paused trial that is
 * among the best 1 / eta of its rung goes on, the highest rung first (Li et al., algorithm 2) - as long as fewer than 1
 * / eta of the rung's trials went on. Without that condition of ours nearly all trials of a search that keeps improving
 * would go on, each being among the best when it comes. Otherwise a trial that is not among the best 1 / eta of those
 * that came to the rung before it is stopped, unless fewer than eta did. */
#include "search/stop/brackets.h"
#include "search/stop/rung.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_BRACKETS = 32,
    MOST_RUNGS = 64 /* their steps at least double, up to 2^53 */
};

struct bracket {
    struct rung *rungs;
    size_t count, capacity;
    double share; /* of trials that belong to this bracket or one before it */
};

/* A live trial. */
struct climb {
    uint32_t bracket, next; /* the rung that it has not come to yet */
    bool paused;
    double loss; /* at the rung before */
};

struct brackets {
    const struct stop_problem *problem;
    struct brackets_setup setup;
    struct bracket brackets[MOST_BRACKETS];
    struct map climbs; /* trial -> struct climb */
    uint32_t paused;
    bool idle;     /* nothing can go on: known since the last change */
    bool complete; /* a trial did all of its steps */
};

/* --- steps --- */

/* The step of a rung; INFINITY: there is none so high. */
static double rung_step(const struct brackets *brackets, uint32_t bracket, size_t rung)
{
    double step = ceil((double)brackets->setup.min_steps * pow(brackets->setup.eta, (double)(bracket + rung)) - 1e-9);
    bool beyond = brackets->problem->max_steps && step >= (double)brackets->problem->max_steps;
    return beyond || step > 0x1p53 ? INFINITY : step;
}

/* How many brackets have at least one rung. */
static uint32_t brackets_allowed(const struct brackets *brackets)
{
    enum { UNKNOWN = 3 };
    uint32_t count = 0;
    if (!brackets->problem->given_steps)
        return UNKNOWN;
    while (count < MOST_BRACKETS && isfinite(rung_step(brackets, count, 0)))
        count++;
    return count;
}

/* Hyperband gives a bracket as many trials as let each bracket have about the same number of steps in all: of S + 1
 * brackets number b gets in proportion to eta^(S-b) (S+1) / (S-b+1) (Li et al., JMLR 18, 2018, algorithm 1). */
static void share_out(struct brackets *brackets)
{
    uint32_t count = brackets->setup.brackets;
    double sum = 0;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t s = count - 1 - b;
        sum += pow(brackets->setup.eta, s) / (s + 1);
        brackets->brackets[b].share = sum;
    }
    for (uint32_t b = 0; b < count; b++)
        brackets->brackets[b].share /= sum;
}

/* Trials are spread evenly over the brackets by the golden ratio, from a place that the seed chooses. */
static uint32_t bracket_of(const struct brackets *brackets, uint64_t trial)
{
    static const double golden = 0.61803398874989485;
    struct rng rng = rng_make(brackets->problem->seed, "bracket", 0);
    double place = rng_unit(&rng) + (double)(trial % (1u << 30)) * golden;
    place -= floor(place);
    uint32_t bracket = 0;
    while (bracket + 1 < brackets->setup.brackets && place >= brackets->brackets[bracket].share)
        bracket++;
    return bracket;
}

/* --- making one --- */

void *brackets_create(const struct stop_problem *problem, const struct brackets_setup *setup, struct err *err)
{
    if (problem->given_steps && problem->given_steps <= setup->min_steps) {
        err_write(err, "early_stop.min_steps is %llu, so no trial is looked at before max_steps, %llu",
                  (unsigned long long)setup->min_steps, (unsigned long long)problem->given_steps);
        return NULL;
    }
    struct brackets *brackets = MEM_NEW(struct brackets);
    brackets->problem = problem;
    brackets->setup = *setup;
    uint32_t allowed = brackets_allowed(brackets);
    if (!setup->brackets || (problem->given_steps && setup->brackets > allowed))
        brackets->setup.brackets = allowed;
    share_out(brackets);
    return brackets;
}

void brackets_destroy(void *self)
{
    struct brackets *brackets = self;
    for (size_t b = 0; b < MOST_BRACKETS; b++) {
        for (size_t r = 0; r < brackets->brackets[b].count; r++)
            rung_fini(&brackets->brackets[b].rungs[r]);
        free(brackets->brackets[b].rungs);
    }
    struct map_entry entry;
    for (size_t at = 0; map_next(&brackets->climbs, &at, &entry);)
        free(entry.value);
    map_fini(&brackets->climbs);
    free(brackets);
}

/* --- trials --- */

static struct climb *climb_of(struct brackets *brackets, uint64_t trial)
{
    struct climb *climb = map_get(&brackets->climbs, trial);
    if (!climb) {
        climb = MEM_NEW(struct climb);
        climb->bracket = bracket_of(brackets, trial);
        map_put(&brackets->climbs, trial, climb);
    }
    return climb;
}

static struct rung *rung_at(struct brackets *brackets, uint32_t bracket, size_t rung)
{
    struct bracket *in = &brackets->brackets[bracket];
    while (in->count <= rung) {
        MEM_GROW(in->rungs, in->capacity, in->count + 1);
        rung_init(&in->rungs[in->count++], brackets->problem->objectives);
    }
    return &in->rungs[rung];
}

/* How many of a rung go on. */
static size_t rung_quota(const struct brackets *brackets, const struct rung *rung)
{
    return (size_t)((double)rung->count / brackets->setup.eta);
}

uint64_t brackets_until(void *self, uint64_t trial)
{
    struct brackets *brackets = self;
    const struct climb *climb = map_get(&brackets->climbs, trial);
    uint32_t bracket = climb ? climb->bracket : bracket_of(brackets, trial);
    double step = rung_step(brackets, bracket, climb ? climb->next : 0);
    return isfinite(step) ? (uint64_t)step : 0;
}

/* --- at a rung --- */

/* A bracket's rung as the sentences name it: "rung 1 (step 3)", with several brackets "rung 1 of bracket 2 (step 9)".
 */
static void say_where(char *out, size_t size, const struct brackets *brackets, uint32_t bracket, size_t rung)
{
    char which[32] = "";
    if (brackets->setup.brackets > 1)
        snprintf(which, sizeof which, " of bracket %u", bracket + 1);
    snprintf(out, size, "rung %zu%s (step %.0f)", rung + 1, which, rung_step(brackets, bracket, rung));
}

/* How many of a rung stay when nothing can be paused: all of the first ones, then the best part, rounded up. */
static size_t rung_staying(const struct brackets *brackets, const struct rung *rung)
{
    if ((double)rung->count < brackets->setup.eta)
        return rung->count;
    return (size_t)ceil((double)rung->count / brackets->setup.eta);
}

/* The value of the last one among the first `most` of a rung; NAN: there is none, or more than one number is compared.
 */
static double cut_off_at(const struct brackets *brackets, const struct rung *rung, size_t most)
{
    bool is_value = most && brackets->problem->objectives == 1 && isfinite(rung->entries[most - 1].key);
    return is_value ? brackets->problem->sign * rung->entries[most - 1].key : NAN;
}

/* How many of a rung may go on. */
static size_t rung_most(const struct brackets *brackets, const struct rung *rung)
{
    return brackets->problem->can_pause ? rung_quota(brackets, rung) : rung_staying(brackets, rung);
}

/* "rung 1 (step 3): 0.412 is number 7 of 12, the best 4 go on, up to 0.335". */
static void say_place(char *why, const struct brackets *brackets, const struct climb *climb, const struct rung *rung,
                      size_t place)
{
    char where[64], up_to[48] = "";
    size_t most = rung_most(brackets, rung);
    say_where(where, sizeof where, brackets, climb->bracket, climb->next - 1u);
    if (most && brackets->problem->objectives == 1)
        snprintf(up_to, sizeof up_to, ", up to %.6g", brackets->problem->sign * rung->entries[most - 1].key);
    snprintf(why, STOPPER_WHY, "%s: %.6g is number %zu of %zu, the best %zu go on%s", where,
             brackets->problem->sign * climb->loss, place + 1, rung->count, most, up_to);
}

/* Puts a trial on its next rung and judges it there. */
static void climb_on(struct brackets *brackets, struct climb *climb, uint64_t trial, const double *losses,
                     struct stopper_decision *out)
{
    struct rung *rung = rung_at(brackets, climb->bracket, climb->next++);
    climb->loss = losses[0];
    brackets->idle = false;
    size_t place = rung_add(rung, trial, losses);
    say_place(out->why, brackets, climb, rung, place);
    out->rung = true;
    out->bracket = brackets->setup.brackets > 1 ? climb->bracket + 1 : 0;
    out->cut_off = cut_off_at(brackets, rung, rung_most(brackets, rung));
    if (brackets->problem->can_pause)
        out->action = STOPPER_PAUSE;
    else
        out->action = place < rung_staying(brackets, rung) ? STOPPER_GO_ON : STOPPER_STOP;
}

void brackets_sample(void *self, const struct stop_point *point, struct stopper_decision *out)
{
    struct brackets *brackets = self;
    struct climb *climb = climb_of(brackets, point->trial);
    while (out->action != STOPPER_STOP && rung_step(brackets, climb->bracket, climb->next) <= (double)point->step)
        climb_on(brackets, climb, point->trial, point->losses, out);
    if (out->action == STOPPER_PAUSE && !climb->paused) {
        climb->paused = true;
        brackets->paused++;
    }
}

/* --- moves --- */

/* The best paused trial among the first `most` of a rung; `most` when there is none. */
static size_t find_paused(const struct brackets *brackets, const struct rung *rung, size_t level, size_t most)
{
    size_t place = 0;
    for (; place < most; place++) {
        const struct rung_entry *entry = &rung->entries[place];
        if (entry->went_on || entry->gone)
            continue;
        const struct climb *climb = map_get(&brackets->climbs, entry->trial);
        if (climb && climb->paused && climb->next == level + 1)
            break;
    }
    return place;
}

/* The rung of a bracket at this distance from its first one; NULL: it has none there. */
static const struct rung *find_rung(const struct brackets *brackets, uint32_t bracket, size_t level)
{
    const struct bracket *of = &brackets->brackets[bracket];
    return level < of->count ? &of->rungs[level] : NULL;
}

/* Whether a trial of this rung can go on; with `last`, the best of each rung goes on however few there are. */
static bool find_on_rung(const struct brackets *brackets, uint32_t bracket, size_t level, bool last,
                         struct stopper_move *out)
{
    const struct rung *rung = &brackets->brackets[bracket].rungs[level];
    size_t most = rung_quota(brackets, rung);
    if (last && !most && rung->count)
        most = 1;
    size_t place = rung->on < most ? find_paused(brackets, rung, level, most) : most;
    if (place == most)
        return false;
    char where[64];
    say_where(where, sizeof where, brackets, bracket, level);
    out->trial = rung->entries[place].trial;
    out->resume = true;
    out->cut_off = cut_off_at(brackets, rung, most);
    snprintf(out->why, sizeof out->why, "%s: %.6g is now number %zu of %zu, the best %zu go on", where,
             brackets->problem->sign * rung_loss(rung, place), place + 1, rung->count, most);
    return true;
}

/* The highest rung of all brackets first, by its distance from the first one of its bracket. */
static bool find_to_resume(struct brackets *brackets, bool last, struct stopper_move *out)
{
    for (size_t level = MOST_RUNGS; level-- > 0;)
        for (uint32_t b = 0; b < brackets->setup.brackets; b++)
            if (find_rung(brackets, b, level) && find_on_rung(brackets, b, level, last, out))
                return true;
    return false;
}

/* At the end, when those that went on did not come to theirs: the best paused trial of the highest rung that has one.
 */
static bool find_instead(const struct brackets *brackets, struct stopper_move *out)
{
    for (size_t level = MOST_RUNGS; level-- > 0;)
        for (uint32_t b = 0; b < brackets->setup.brackets; b++) {
            char where[64];
            const struct rung *rung = find_rung(brackets, b, level);
            size_t place = rung ? find_paused(brackets, rung, level, rung->count) : 0;
            if (!rung || place == rung->count)
                continue;
            say_where(where, sizeof where, brackets, b, level);
            out->trial = rung->entries[place].trial;
            out->resume = true;
            snprintf(out->why, sizeof out->why,
                     "%s: %.6g is number %zu of %zu, and none that went on did all of its steps", where,
                     brackets->problem->sign * rung_loss(rung, place), place + 1, rung->count);
            return true;
        }
    return false;
}

/* The worst paused trial of the lowest rung that has one. */
static bool find_to_end(const struct brackets *brackets, struct stopper_move *out)
{
    for (size_t level = 0; level < MOST_RUNGS; level++)
        for (uint32_t b = 0; b < brackets->setup.brackets; b++) {
            const struct rung *rung = find_rung(brackets, b, level);
            for (size_t place = rung ? rung->count : 0; place-- > 0;) {
                const struct climb *climb = map_get(&brackets->climbs, rung->entries[place].trial);
                if (rung->entries[place].gone || !climb || !climb->paused || climb->next != level + 1)
                    continue;
                out->trial = rung->entries[place].trial;
                say_place(out->why, brackets, climb, rung, place);
                return true;
            }
        }
    return false;
}

bool brackets_next(void *self, bool last, struct stopper_move *out)
{
    struct brackets *brackets = self;
    if (!brackets->paused || (brackets->idle && !last))
        return false;
    if (find_to_resume(brackets, last, out) || (last && !brackets->complete && find_instead(brackets, out)))
        return true;
    if ((last || brackets->paused > brackets->setup.most_paused) && find_to_end(brackets, out))
        return true;
    brackets->idle = true;
    return false;
}

static void unpause_climb(struct brackets *brackets, struct climb *climb)
{
    brackets->paused -= climb->paused;
    climb->paused = false;
    brackets->idle = false;
}

/* The last rung that a trial came to; NULL: it came to none. */
static struct rung *rung_of(struct brackets *brackets, const struct climb *climb)
{
    return climb->next ? &brackets->brackets[climb->bracket].rungs[climb->next - 1] : NULL;
}

/* The entry of a trial on that rung, or NULL. */
static struct rung_entry *entry_of(struct rung *rung, const struct climb *climb, uint64_t trial)
{
    size_t place = rung ? rung_find(rung, trial, climb->loss) : 0;
    return rung && place < rung->count ? &rung->entries[place] : NULL;
}

void brackets_resumed(void *self, uint64_t trial)
{
    struct brackets *brackets = self;
    struct climb *climb = map_get(&brackets->climbs, trial);
    if (!climb)
        return;
    unpause_climb(brackets, climb);
    struct rung *rung = rung_of(brackets, climb);
    struct rung_entry *entry = entry_of(rung, climb, trial);
    if (!entry || entry->went_on)
        return;
    entry->went_on = true;
    rung->on++;
}

/* One that failed has its place on the rung that it was on its way to: the last one. */
void brackets_ended(void *self, uint64_t trial, bool failed, bool completed, const double *losses)
{
    (void)losses;
    struct brackets *brackets = self;
    brackets->complete = brackets->complete || completed;
    struct climb *climb = failed ? climb_of(brackets, trial) : map_get(&brackets->climbs, trial);
    if (!climb)
        return;
    unpause_climb(brackets, climb);
    struct rung_entry *entry = entry_of(rung_of(brackets, climb), climb, trial);
    if (entry)
        entry->gone = true;
    if (failed && isfinite(rung_step(brackets, climb->bracket, climb->next))) {
        double worst[brackets->problem->objectives];
        for (uint32_t i = 0; i < brackets->problem->objectives; i++)
            worst[i] = INFINITY;
        struct rung *rung = rung_at(brackets, climb->bracket, climb->next);
        size_t place = rung_add(rung, trial, worst); /* this may move the entries */
        rung->entries[place].gone = true;
    }
    free(map_remove(&brackets->climbs, trial));
}
