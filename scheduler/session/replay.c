/* Replay; see replay.h. */
#include "scheduler/session/replay.h"

#include "common/mem.h"
#include "scheduler/session/search.h"
#include "scheduler/store/reader.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_DIFFERENCES = 20 };

struct replay {
    struct searcher *searcher;
    struct metrics metrics;
    uint64_t proposals, same;
    json_t *different;
};

/* Why the strategy gave no proposal, as text in the place of one. */
static char *words_of(enum searcher_answer answer, const struct err *err)
{
    const char *words = answer == SEARCHER_NO_MORE ? "nothing left to propose"
                        : answer == SEARCHER_LATER ? "nothing before the next tell"
                                                   : err->text;
    return mem_text(words);
}

static void note_difference(struct replay *replay, uint64_t trial, const char *recorded, const char *replayed)
{
    if (json_array_size(replay->different) >= SHOWN_DIFFERENCES)
        return;
    json_array_append_new(replay->different, json_pack("{s:I, s:s, s:s}", "trial", (json_int_t)trial, "recorded",
                                                       recorded, "replayed", replayed));
}

static int replay_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                           struct err *err)
{
    (void)told_before;
    (void)from_start;
    (void)err;
    struct replay *replay = context;
    struct proposal proposal = {0};
    struct err why = {0};
    enum searcher_answer answer = searcher_ask(replay->searcher, trial, &proposal, &why);
    if (answer != SEARCHER_PROPOSED)
        proposal.params = words_of(answer, &why);
    replay->proposals++;
    if (answer == SEARCHER_PROPOSED && strcmp(proposal.params, params) == 0)
        replay->same++;
    else
        note_difference(replay, trial, params, proposal.params);
    free(proposal.params);
    return 0;
}

static int replay_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    struct replay *replay = context;
    search_retell(replay->searcher, &replay->metrics, tell);
    return 0;
}

static int replay_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    struct replay *replay = context;
    search_observe(replay->searcher, &replay->metrics, seen);
    return 0;
}

static int run(struct replay *replay, struct reader *reader, json_t **out, struct err *err)
{
    struct replay_visitor visitor = {
        .context = replay, .proposal = replay_proposal, .tell = replay_tell, .observation = replay_observation};
    if (reader_replay(reader, &visitor, err))
        return -1;
    *out = json_pack("{s:I, s:I, s:O}", "proposals", (json_int_t)replay->proposals, "same", (json_int_t)replay->same,
                     "different", replay->different);
    return replay->same == replay->proposals ? 0 : 1;
}

int replay_check(const struct rundir *dir, json_t **out, struct err *err)
{
    int result = -1;
    *out = NULL;
    struct spec *spec = rundir_spec(dir, err);
    struct reader *reader = spec ? reader_open(dir->store, err) : NULL;
    struct searcher *searcher = reader ? search_create(spec, reader, err) : NULL;
    if (searcher) {
        struct replay replay = {.searcher = searcher, .metrics = spec_metrics(spec), .different = json_array()};
        result = run(&replay, reader, out, err);
        json_decref(replay.different);
    }
    reader_close(reader);
    searcher_destroy(searcher);
    spec_destroy(spec);
    return result;
}
