/* From a spec and a store to a searcher; see search.h. */
#include "scheduler/session/search.h"

#include "scheduler/spec/task.h"

struct searcher *search_make(const struct spec *spec, const struct searcher_past *past, size_t past_count,
                             struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    struct searcher_setup setup = {
        .space = spec->space,
        .strategy = spec->strategy.name,
        .plugin = spec->strategy.plugin,
        .options = spec->strategy.options,
        .seed = spec->seed,
        .max_trials = spec->limits.max_trials,
        .repeat = spec->strategy.repeat,
        .start = (const char *const *)spec->start,
        .start_count = spec->start_count,
        .past = past,
        .past_count = past_count,
        .objectives = metrics_objectives(&metrics),
        .limits = metrics_limits(&metrics),
        .max_steps = task_max_steps(spec),
        .can_continue = spec->trial.checkpoint == CHECKPOINT_YES,
    };
    return searcher_create(&setup, err);
}

int search_early_stopping(const struct spec *spec, bool can_pause, struct early_stopping **out, struct err *err)
{
    *out = NULL;
    if (!spec->early_stop)
        return 0;
    struct metrics metrics = spec_metrics(spec);
    json_t *options = json_copy(spec->early_stop);
    json_object_del(options, "name");
    struct stopper_setup setup = {.name = json_string_value(json_object_get(spec->early_stop, "name")),
                                  .options = options,
                                  .seed = spec->seed,
                                  .objectives = metrics_objectives(&metrics),
                                  .can_pause = can_pause,
                                  .maximize = spec->metric.maximize,
                                  .use_best = spec->metric.use_best};
    struct stopper *stopper = stopper_create(&setup, err);
    json_decref(options);
    if (stopper)
        *out = early_stopping_create(stopper, &metrics);
    return stopper ? 0 : -1;
}

struct searcher *search_create(const struct spec *spec, struct reader *reader, struct err *err)
{
    struct searcher_past *past = NULL;
    size_t count = 0;
    if (reader_earlier(reader, &past, &count, err))
        return NULL;
    struct searcher *searcher = search_make(spec, past, count, err);
    reader_free_earlier(past, count);
    return searcher;
}

int search_retell(struct searcher *searcher, const struct metrics *metrics, const struct replay_tell *tell,
                  struct err *err)
{
    struct told told = {.trial = tell->trial,
                        .ending = tell->ending,
                        .seconds = tell->seconds,
                        .energy = tell->energy,
                        .step = tell->step,
                        .params = tell->params};
    if (tell->ignored)
        told.ending = ENDING_CANCELLED;
    else if (tell->has_value && tell->value_count == metrics->count)
        told.values = tell->values;
    else if (tell->has_value && metrics->count == 1)
        told.values = &tell->value;
    return told_pass_on(&told, metrics, searcher, err);
}

void search_observe(struct searcher *searcher, const struct metrics *metrics, const struct replay_observation *seen)
{
    struct told told = {.trial = seen->trial, .seconds = seen->seconds, .step = seen->step, .observed = true};
    if (seen->ignored)
        return;
    if (seen->value_count == metrics->count)
        told.values = seen->values;
    (void)told_pass_on(&told, metrics, searcher, NULL);
}

struct recall {
    struct searcher *searcher;
    struct metrics metrics;
    struct ask_past *past;
};

static int recall_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                           struct err *err)
{
    (void)told_before;
    (void)from_start;
    struct recall *recall = context;
    recall->past->open++;
    return searcher_recall(recall->searcher, trial, params, err);
}

static int recall_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    struct recall *recall = context;
    recall->past->told++;
    if (tell->reopened)
        return 0;
    recall->past->open -= !tell->params && recall->past->open > 0;
    return search_retell(recall->searcher, &recall->metrics, tell, err);
}

static int recall_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    struct recall *recall = context;
    recall->past->told++;
    search_observe(recall->searcher, &recall->metrics, seen);
    return 0;
}

/* What is ignored by now never was told: there is nothing left to do but to count. */
static int recall_ignored(void *context, uint64_t trial, bool ignored, struct err *err)
{
    (void)trial;
    (void)ignored;
    (void)err;
    struct recall *recall = context;
    recall->past->told++;
    return 0;
}

/* The end that it took back was passed over. */
static int recall_reopened(void *context, uint64_t trial, uint64_t told, struct err *err)
{
    (void)trial;
    (void)told;
    (void)err;
    struct recall *recall = context;
    recall->past->told++;
    return 0;
}

int search_recall(struct searcher *searcher, const struct spec *spec, struct reader *reader, struct ask_past *past,
                  struct err *err)
{
    struct recall recall = {.searcher = searcher, .metrics = spec_metrics(spec), .past = past};
    struct replay_visitor visitor = {.context = &recall,
                                     .proposal = recall_proposal,
                                     .tell = recall_tell,
                                     .observation = recall_observation,
                                     .ignored = recall_ignored,
                                     .reopened = recall_reopened};
    *past = (struct ask_past){0};
    return reader_replay(reader, &visitor, err) ? err_prefix(err, "the recorded search can't be taken up again") : 0;
}
