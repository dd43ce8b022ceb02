/* Replay; see replay.h. */
#include "scheduler/session/replay.h"

#include "common/mem.h"
#include "scheduler/session/search_record.h"
#include "scheduler/session/search.h"
#include "scheduler/store/reader.h"
#include "search/gp/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_DIFFERENCES = 20 };

struct replay {
    const struct rundir *dir;
    const struct spec *spec;
    struct searcher *searcher;
    uint64_t visits; /* of what is recorded, in its order */
    bool stale;      /* somebody has changed what was before, since the searcher lived through it */
    const struct space *space;
    struct metrics metrics;
    struct processor here;               /* this one */
    struct reader_processor *processors; /* those of the record, in their order */
    size_t processor_count;
    uint64_t proposals, same, close;
    uint64_t elsewhere;  /* proposed on another kind of processor, or on one that is not recorded */
    uint64_t unrecorded; /* of these, the ones whose kind of processor is not recorded */
    json_t *different;
};

/* --- kinds of processors --- */

static bool is_same_kind(const struct processor *a, const struct processor *b)
{
    return strcmp(a->vector, b->vector) == 0 && strcmp(a->kernels, b->kernels) == 0 &&
           strcmp(a->gannet, b->gannet) == 0;
}

/* Where a trial was proposed: the last row whose first trial is not behind it. NULL: an older gannet proposed it, which
 * did not record that. */
static const struct processor *processor_of(const struct replay *replay, uint64_t trial)
{
    size_t i = replay->processor_count;
    while (i && replay->processors[i - 1].trial > trial)
        i--;
    return i ? &replay->processors[i - 1].processor : NULL;
}

static json_t *processor_json(const struct processor *processor)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "model", processor->model, "vector", processor->vector, "kernels",
                     processor->kernels, "gannet", processor->gannet);
}

static json_t *recorded_json(const struct replay *replay)
{
    json_t *list = json_array();
    for (size_t i = 0; i < replay->processor_count; i++) {
        const struct reader_processor *from = &replay->processors[i];
        json_t *one = processor_json(&from->processor);
        json_object_set_new(one, "trial", json_integer((json_int_t)from->trial));
        json_object_set_new(one, "same_kind", json_boolean(is_same_kind(&from->processor, &replay->here)));
        json_array_append_new(list, one);
    }
    return list;
}

static void describe_processor(const struct processor *processor, struct buf *out)
{
    buf_format(out, " (%s, %s, OpenBLAS for %s, gannet %s)", processor->model, processor->vector, processor->kernels,
               processor->gannet);
}

/* The first of the recorded kinds that is not this one; there is one when a trial was recorded elsewhere. */
static const struct processor *find_other_kind(const struct replay *replay)
{
    size_t i = 0;
    while (is_same_kind(&replay->processors[i].processor, &replay->here))
        i++;
    return &replay->processors[i].processor;
}

static void describe_comparison(const struct replay *replay, struct buf *out)
{
    if (!replay->elsewhere) {
        buf_text(out, "compared exactly: proposed on this kind of processor");
        return;
    }
    buf_format(out, "%llu of %llu compared to within %g of each parameter's range, since ",
               (unsigned long long)replay->elsewhere, (unsigned long long)replay->proposals, REPLAY_TOLERANCE);
    if (replay->unrecorded)
        buf_format(out, "the processor that %llu were proposed on is not recorded, and may round differently",
                   (unsigned long long)replay->unrecorded);
    if (replay->elsewhere == replay->unrecorded)
        return;
    buf_text(out, replay->unrecorded ? "; the others were" : "they were");
    buf_text(out, " proposed on another kind of processor");
    describe_processor(find_other_kind(replay), out);
    buf_text(out, " than this one");
    describe_processor(&replay->here, out);
    buf_text(out, ", which rounds differently");
}

/* --- trials that no longer count --- */

/* Lets a new searcher live through everything up to here: as the session did that somebody said which trials count to.
 * The reader that is at work can't read twice at once. */
static int renew_searcher(struct replay *replay, struct err *err)
{
    struct ask_past past;
    struct reader *reader = reader_open(replay->dir->store, err);
    struct search_record *record = reader ? search_record_read(reader, UINT64_MAX, replay->visits, err) : NULL;
    struct searcher *searcher = record ? search_record_live(record, replay->spec, &past, err) : NULL;
    search_record_destroy(record);
    reader_close(reader);
    if (!searcher)
        return -1;
    searcher_destroy(replay->searcher);
    replay->searcher = searcher;
    replay->stale = false;
    return 0;
}

/* --- comparing --- */

/* How far two proposals are from each other: the most that a parameter differs, as a share of its range. */
static double distance_of_values(const struct space *space, const char *a, const char *b)
{
    uint32_t dimension = space_dimension(space);
    double *units = MEM_ARRAY(double, 2 * (size_t)dimension), most = INFINITY;
    if (space_point_of_json(space, a, units, NULL) == 0 &&
        space_point_of_json(space, b, units + dimension, NULL) == 0) {
        most = 0;
        for (uint32_t i = 0; i < dimension; i++)
            if (!(isnan(units[i]) && isnan(units[dimension + i])))
                most = fmax(most, fabs(units[i] - units[dimension + i]));
    }
    free(units);
    return most;
}

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

static void compare_proposals(struct replay *replay, uint64_t trial, const char *recorded, const char *replayed)
{
    const struct processor *where = processor_of(replay, trial);
    bool here = where && is_same_kind(where, &replay->here);
    replay->proposals++;
    replay->elsewhere += !here;
    replay->unrecorded += !where;
    if (strcmp(recorded, replayed) == 0)
        replay->same++;
    else if (!here && distance_of_values(replay->space, recorded, replayed) <= REPLAY_TOLERANCE)
        replay->close++;
    else
        note_difference(replay, trial, recorded, replayed);
}

static int replay_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                           struct err *err)
{
    (void)told_before;
    (void)from_start;
    struct replay *replay = context;
    struct proposal proposal = {0};
    struct err why = {0};
    if (replay->stale && renew_searcher(replay, err))
        return -1;
    replay->visits++;
    enum searcher_answer answer = searcher_ask_again(replay->searcher, trial, params, &proposal, &why);
    if (answer != SEARCHER_PROPOSED)
        proposal.params = words_of(answer, &why);
    compare_proposals(replay, trial, params, proposal.params);
    free(proposal.params);
    return 0;
}

static int replay_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    struct replay *replay = context;
    struct replay_tell then = *tell;
    then.ignored = false; /* not yet, when it was told */
    replay->visits++;
    return replay->stale ? 0 : search_retell(replay->searcher, &replay->metrics, &then, err);
}

static int replay_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    struct replay *replay = context;
    struct replay_observation then = *seen;
    then.ignored = false; /* not yet, when it was observed */
    replay->visits++;
    if (!replay->stale)
        search_observe(replay->searcher, &replay->metrics, &then);
    return 0;
}

static void change_past(struct replay *replay)
{
    replay->visits++;
    replay->stale = true;
}

static int replay_ignored(void *context, uint64_t trial, bool ignored, struct err *err)
{
    (void)trial;
    (void)ignored;
    (void)err;
    change_past(context);
    return 0;
}

static int replay_reopened(void *context, uint64_t trial, uint64_t told, struct err *err)
{
    (void)trial;
    (void)told;
    (void)err;
    change_past(context);
    return 0;
}

static int run_replay(struct replay *replay, struct reader *reader, json_t **out, struct err *err)
{
    struct replay_visitor visitor = {.context = replay,
                                     .proposal = replay_proposal,
                                     .tell = replay_tell,
                                     .observation = replay_observation,
                                     .ignored = replay_ignored,
                                     .reopened = replay_reopened};
    if (reader_replay(reader, &visitor, err))
        return -1;
    struct buf note = {0};
    describe_comparison(replay, &note);
    const char *comparison = !replay->elsewhere                       ? "exact"
                             : replay->elsewhere == replay->proposals ? "tolerant"
                                                                      : "mixed";
    *out = json_pack("{s:I, s:I, s:I, s:I, s:f, s:s, s:s, s:o, s:o, s:O}", "proposals", (json_int_t)replay->proposals,
                     "same", (json_int_t)replay->same, "close", (json_int_t)replay->close, "unrecorded",
                     (json_int_t)replay->unrecorded, "tolerance", REPLAY_TOLERANCE, "comparison", comparison, "note",
                     buf_str(&note), "here", processor_json(&replay->here), "recorded", recorded_json(replay),
                     "different", replay->different);
    buf_fini(&note);
    return replay->same + replay->close == replay->proposals ? 0 : 1;
}

int replay_check(const struct rundir *dir, json_t **out, struct err *err)
{
    int result = -1;
    *out = NULL;
    struct spec *spec = rundir_spec_recorded(dir, err);
    struct reader *reader = spec ? reader_open(dir->store, err) : NULL;
    struct searcher *searcher = reader ? search_create(spec, reader, err) : NULL;
    if (searcher) {
        struct replay replay = {.dir = dir,
                                .spec = spec,
                                .searcher = searcher,
                                .space = spec->space,
                                .metrics = spec_metrics(spec),
                                .different = json_array()};
        processor_here(&replay.here, linalg_core());
        if (reader_processors(reader, &replay.processors, &replay.processor_count, err) == 0)
            result = run_replay(&replay, reader, out, err);
        json_decref(replay.different);
        free(replay.processors);
        searcher = replay.searcher;
    }
    reader_close(reader);
    searcher_destroy(searcher);
    spec_destroy(spec);
    return result;
}
