/* Changes of the past of a living search; see amends.h.
 *
 *     waits --(first in the line)--> looks at the store --> core decides --(on disk)--> looks once more --> answered
 */
#include "scheduler/coordinator/amends.h"

#include "common/clock.h"
#include "common/list.h"
#include "common/mem.h"
#include "scheduler/coordinator/service.h"
#include "scheduler/session/added_point.h"
#include "scheduler/session/amend_check.h"
#include "scheduler/store/reader.h"

#include <stdlib.h>
#include <string.h>

enum amend_kind { AMEND_IGNORE, AMEND_RETRY, AMEND_ADD };

/* One change. It goes to the store's thread and back; `amends` NULL: nobody waits for it any more. */
struct amending {
    struct list_link link;
    struct amends *amends;
    enum amend_kind kind;
    json_t *numbers;            /* IGNORE, RETRY: of the trials; RETRY: NULL: all that have failed */
    bool undo;                  /* IGNORE */
    struct added_point *points; /* ADD, as many as... */
    size_t point_count;         /* ...these */
    struct core_ended *trials;  /* those that change, in numbers' order */
    size_t count, capacity;
    uint64_t event;          /* until this one is on disk; 0: the core has not decided yet */
    bool looks;              /* the best trial is to be looked for */
    uint64_t first;          /* ADD */
    struct tally tally;      /* as of now: the best */
    struct memory *reopened; /* RETRY: of each trial, what the store knows */
    int status;              /* 0, or an exit status with a sentence in `why` */
    struct err why;
    amends_answered *answered;
    void *context;
};

struct amends {
    struct core *core;
    struct commit *commit;
    const struct spec *spec;
    struct metrics metrics;
    struct list_link line; /* of changes, the first one at work */
};

static void destroy_amending(struct amending *amending)
{
    for (size_t i = 0; i < amending->point_count; i++)
        added_point_fini(&amending->points[i]);
    for (size_t i = 0; amending->reopened && i < amending->count; i++)
        memory_fini(&amending->reopened[i]);
    free(amending->points);
    free(amending->reopened);
    free(amending->trials);
    json_decref(amending->numbers);
    list_remove(&amending->link);
    free(amending);
}

/* --- in the store's thread: what the trials are --- */

static int refuse_amending(struct amending *amending, int status, const char *format, uint64_t trial, const char *state)
{
    amending->status = status;
    err_write(&amending->why, format, (unsigned long long)trial, state);
    return -1;
}

static bool is_listed(const struct amending *amending, uint64_t trial)
{
    for (size_t i = 0; i < amending->count; i++)
        if (amending->trials[i].trial == trial)
            return true;
    return false;
}

/* 0: it changes; 1: it stays as it is; -1: the change is refused. */
static int check_trial(struct amending *amending, const json_t *trial)
{
    struct err unfit;
    int checked = amending->kind == AMEND_IGNORE ? amend_check_ignore(trial, !amending->undo, &amending->why)
                  : amending->numbers            ? amend_check_retry(trial, &amending->why)
                                                 : -amend_check_retry(trial, &unfit);
    if (checked < 0)
        amending->status = SERVICE_USAGE;
    return checked;
}

/* -1: the change is refused. */
static int take_trial(void *context, json_t *trial, struct err *err)
{
    struct amending *amending = context;
    const char *reason = json_string_value(json_object_get(trial, "reason"));
    int ending = reason ? ending_named(reason) : -1, checked = check_trial(amending, trial);
    (void)err;
    if (checked)
        return checked < 0 ? -1 : 0;
    if (amending->count == AMENDS_MOST)
        return refuse_amending(amending, SERVICE_USAGE,
                               "more than %llu trials are too many at once while the search runs%s", AMENDS_MOST,
                               "; name some of them");
    MEM_GROW(amending->trials, amending->capacity, amending->count + 1);
    amending->trials[amending->count++] =
        (struct core_ended){.trial = (uint64_t)json_integer_value(json_object_get(trial, "trial")),
                            .ending = (enum ending)ending,
                            .added = json_is_true(json_object_get(trial, "added"))};
    return 0;
}

static int look_at_one(struct amending *amending, struct reader *reader, const json_t *number)
{
    struct trial_query query = {.trial = (uint64_t)json_integer_value(number)};
    json_t *found = query.trial ? reader_trials(reader, &query, &amending->why) : json_array();
    int failed = !found;
    if (failed)
        amending->status = SERVICE_FAILED;
    else if (!json_array_size(found))
        failed = refuse_amending(amending, SERVICE_NO_TRIAL, "there is no trial %llu%s", query.trial, "");
    else if (!is_listed(amending, query.trial))
        failed = take_trial(amending, json_array_get(found, 0), &amending->why);
    json_decref(found);
    return failed;
}

static void look_at_trials(struct store *store, void *context)
{
    struct amending *amending = context;
    struct reader *reader = store_reader(store);
    struct trial_query failed = {.state = TRIAL_FAILED + 1};
    size_t index;
    json_t *number;
    if (!amending->numbers && reader_trials_each(reader, &failed, take_trial, amending, &amending->why) &&
        !amending->status)
        amending->status = SERVICE_FAILED;
    json_array_foreach(amending->numbers, index, number)
    {
        if (look_at_one(amending, reader, number))
            return;
    }
}

/* What the core has forgotten, when it is on disk. */
static void look_again(struct store *store, void *context)
{
    struct amending *amending = context;
    amending->tally = store_tally(store);
    if (amending->kind != AMEND_RETRY)
        return;
    amending->reopened = MEM_ARRAY(struct memory, amending->count);
    for (size_t i = 0; i < amending->count && !amending->status; i++)
        if (store_recall_trial(store, amending->trials[i].trial, &amending->reopened[i], &amending->why))
            amending->status = SERVICE_FAILED;
}

/* --- on the loop --- */

static void begin_next(struct amends *amends);

static void answer_amending(struct amending *amending)
{
    struct amends *amends = amending->amends;
    json_t *answer = NULL;
    if (!amending->status && amending->kind == AMEND_ADD)
        answer =
            json_pack("{s:I, s:I}", "first", (json_int_t)amending->first, "added", (json_int_t)amending->point_count);
    else if (!amending->status)
        answer = json_pack("{s:I}", "changed", (json_int_t)amending->count);
    amending->answered(amending->context, amending->status, answer, &amending->why);
    destroy_amending(amending);
    begin_next(amends);
}

static int decide_retry(struct amends *amends, struct amending *amending)
{
    uint64_t *trials = MEM_ARRAY(uint64_t, amending->count);
    for (size_t i = 0; i < amending->count; i++)
        trials[i] = amending->trials[i].trial;
    int failed = core_reopen(amends->core, clock_monotonic(), trials, amending->count, &amending->why);
    free(trials);
    return failed;
}

static int decide_add(struct amends *amends, struct amending *amending)
{
    struct event_added *trials = MEM_ARRAY(struct event_added, amending->point_count);
    for (size_t i = 0; i < amending->point_count; i++)
        trials[i] = added_point_event(&amending->points[i], &amends->metrics, 0);
    int failed =
        core_add(amends->core, clock_monotonic(), trials, amending->point_count, &amending->first, &amending->why);
    free(trials);
    return failed;
}

static void decide_amending(struct amends *amends, struct amending *amending)
{
    int failed = amending->kind == AMEND_ADD ? decide_add(amends, amending)
                 : amending->kind == AMEND_RETRY
                     ? decide_retry(amends, amending)
                     : core_ignore(amends->core, clock_monotonic(), amending->trials, amending->count, !amending->undo,
                                   &amending->looks, &amending->why);
    if (failed) {
        amending->status = SERVICE_FAILED;
        answer_amending(amending);
        return;
    }
    amending->event = core_events(amends->core);
}

static void trials_seen(void *context)
{
    struct amending *amending = context;
    if (!amending->amends)
        destroy_amending(amending);
    else if (amending->status || !amending->count)
        answer_amending(amending);
    else
        decide_amending(amending->amends, amending);
}

static void trials_seen_again(void *context)
{
    struct amending *amending = context;
    struct amends *amends = amending->amends;
    if (!amends) {
        destroy_amending(amending);
        return;
    }
    const struct tally *tally = &amending->tally;
    if (amending->looks)
        core_best(amends->core, clock_monotonic(), tally->has_best, tally->best_trial, tally->best);
    for (size_t i = 0; amending->reopened && i < amending->count; i++)
        for (uint32_t j = 0; j < amending->reopened[i].trial_count; j++)
            core_take_up(amends->core, clock_monotonic(), &amending->reopened[i].trials[j]);
    answer_amending(amending);
}

static struct amending *first_of(struct amends *amends)
{
    struct list_link *link = list_first(&amends->line);
    return link ? LIST_ITEM(link, struct amending, link) : NULL;
}

static void begin_next(struct amends *amends)
{
    struct amending *amending = first_of(amends);
    if (!amending)
        return;
    if (amending->kind == AMEND_ADD)
        decide_amending(amends, amending);
    else
        commit_call(amends->commit, look_at_trials, trials_seen, amending);
}

void amends_committed(struct amends *amends, uint64_t number)
{
    struct amending *amending = first_of(amends);
    if (!amending || !amending->event || number < amending->event)
        return;
    amending->event = 0;
    commit_call(amends->commit, look_again, trials_seen_again, amending);
}

/* --- asking --- */

static int take_numbers(struct amending *amending, const json_t *numbers, struct err *err)
{
    size_t index;
    json_t *number;
    if (!numbers && amending->kind == AMEND_RETRY)
        return 0;
    if (!json_is_array(numbers) || json_array_size(numbers) > AMENDS_MOST)
        return err_set(err, "say which trials, at most %d at once while the search runs", AMENDS_MOST);
    json_array_foreach((json_t *)numbers, index, number)
    {
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return err_set(err, "the trials have to be whole numbers");
    }
    amending->numbers = json_deep_copy(numbers);
    return 0;
}

static int take_points(struct amends *amends, struct amending *amending, const json_t *points, struct err *err)
{
    size_t index;
    json_t *point;
    if (!json_array_size(points) || json_array_size(points) > AMENDS_MOST)
        return err_set(err, "from 1 to %d trials can be added at once while the search runs; for more, end it first",
                       AMENDS_MOST);
    amending->points = MEM_ARRAY(struct added_point, json_array_size(points));
    json_array_foreach((json_t *)points, index, point)
    {
        if (added_point_read(amends->spec, point, &amending->points[amending->point_count++], err))
            return -1;
    }
    return 0;
}

static int take_arguments(struct amends *amends, struct amending *amending, const json_t *arguments, struct err *err)
{
    amending->undo = json_is_true(json_object_get(arguments, "undo"));
    return amending->kind == AMEND_ADD ? take_points(amends, amending, json_object_get(arguments, "points"), err)
                                       : take_numbers(amending, json_object_get(arguments, "trials"), err);
}

struct amends *amends_open(struct core *core, struct commit *commit, const struct spec *spec)
{
    struct amends *amends = MEM_NEW(struct amends);
    *amends = (struct amends){.core = core, .commit = commit, .spec = spec, .metrics = spec_metrics(spec)};
    list_init(&amends->line);
    return amends;
}

/* The first one may be in the store's thread, which comes back. */
void amends_close(struct amends *amends)
{
    struct amending *first = amends ? first_of(amends) : NULL;
    if (first && !first->event) {
        first->amends = NULL;
        list_remove(&first->link);
    }
    while (amends && (first = first_of(amends)))
        destroy_amending(first);
    free(amends);
}

int amends_ask(struct amends *amends, const char *what, const json_t *arguments, amends_answered *answered,
               void *context, struct err *err)
{
    struct amending *amending = MEM_NEW(struct amending);
    amending->amends = amends;
    amending->kind = strcmp(what, "ignore") == 0 ? AMEND_IGNORE : strcmp(what, "retry") == 0 ? AMEND_RETRY : AMEND_ADD;
    amending->answered = answered;
    amending->context = context;
    if (take_arguments(amends, amending, arguments, err)) {
        destroy_amending(amending);
        return -1;
    }
    bool is_first = !first_of(amends);
    list_append(&amends->line, &amending->link);
    if (is_first)
        begin_next(amends);
    return 0;
}
