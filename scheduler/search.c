/* From a spec and a store to a searcher; see search.h. */
#include "scheduler/search.h"

struct searcher *search_create(const struct spec *spec, struct err *err)
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
        .objectives = metrics_objectives(&metrics),
        .limits = metrics_limits(&metrics),
    };
    return searcher_create(&setup, err);
}

void search_retell(struct searcher *searcher, const struct metrics *metrics, const struct replay_tell *tell)
{
    struct told told = {.trial = tell->trial, .ending = tell->ending, .seconds = tell->seconds};
    if (tell->has_value && tell->value_count == metrics->count)
        told.values = tell->values;
    else if (tell->has_value && metrics->count == 1)
        told.values = &tell->value;
    told_pass_on(&told, metrics, searcher);
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
    (void)err;
    struct recall *recall = context;
    recall->past->open -= recall->past->open > 0;
    recall->past->told++;
    search_retell(recall->searcher, &recall->metrics, tell);
    return 0;
}

int search_recall(struct searcher *searcher, const struct spec *spec, struct reader *reader, struct ask_past *past,
                  struct err *err)
{
    struct recall recall = {.searcher = searcher, .metrics = spec_metrics(spec), .past = past};
    struct replay_visitor visitor = {.context = &recall, .proposal = recall_proposal, .tell = recall_tell};
    *past = (struct ask_past){0};
    return reader_replay(reader, &visitor, err) ? err_prefix(err, "the recorded search can't be taken up again") : 0;
}
