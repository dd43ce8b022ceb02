/* A record in memory; see search_record.h. */
#include "scheduler/session/search_record.h"

#include "common/arena.h"
#include "common/map.h"
#include "common/mem.h"
#include "scheduler/session/search.h"

#include <stdlib.h>
#include <string.h>

enum visit_kind { VISIT_PROPOSAL, VISIT_TELL, VISIT_OBSERVATION, VISIT_IGNORED, VISIT_REOPENED };

struct visit {
    enum visit_kind kind;
    uint64_t trial;
    bool ignored;       /* IGNORED: from here on; else it counts */
    const char *params; /* PROPOSAL */
    union {
        struct replay_tell tell;
        struct replay_observation seen;
    };
};

struct search_record {
    struct searcher_past *past; /* trials of earlier experiments */
    size_t past_count;
    struct visit *visits;
    size_t count, capacity;
    uint64_t told;       /* how many of them have a number among the tells */
    uint64_t last, most; /* where to end: at this number, or after so many visits */
    bool whole;          /* it is read as far as was wanted */
    struct arena arena;  /* owns texts and values */
};

/* --- reading --- */

/* NULL: this one is beyond the end. */
static struct visit *add_visit(struct search_record *record, enum visit_kind kind, uint64_t trial)
{
    bool is_told = kind != VISIT_PROPOSAL;
    record->whole = record->count == record->most || (is_told && record->told == record->last);
    if (record->whole)
        return NULL;
    record->told += is_told;
    MEM_GROW(record->visits, record->capacity, record->count + 1);
    struct visit *visit = &record->visits[record->count++];
    *visit = (struct visit){.kind = kind, .trial = trial};
    return visit;
}

static int keep_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                         struct err *err)
{
    (void)told_before;
    (void)from_start;
    (void)err;
    struct search_record *record = context;
    struct visit *visit = add_visit(record, VISIT_PROPOSAL, trial);
    if (visit)
        visit->params = arena_text(&record->arena, params);
    return visit ? 0 : -1;
}

static int keep_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    struct search_record *record = context;
    struct visit *visit = add_visit(record, VISIT_TELL, tell->trial);
    if (!visit)
        return -1;
    visit->tell = *tell;
    visit->tell.values = arena_copy(&record->arena, tell->values, tell->value_count * sizeof *tell->values);
    visit->tell.params = tell->params ? arena_text(&record->arena, tell->params) : NULL;
    return 0;
}

static int keep_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    struct search_record *record = context;
    struct visit *visit = add_visit(record, VISIT_OBSERVATION, seen->trial);
    if (!visit)
        return -1;
    visit->seen = *seen;
    visit->seen.values = arena_copy(&record->arena, seen->values, seen->value_count * sizeof *seen->values);
    return 0;
}

static int keep_ignored(void *context, uint64_t trial, bool ignored, struct err *err)
{
    (void)err;
    struct visit *visit = add_visit(context, VISIT_IGNORED, trial);
    if (visit)
        visit->ignored = ignored;
    return visit ? 0 : -1;
}

static int keep_reopened(void *context, uint64_t trial, uint64_t told, struct err *err)
{
    (void)told;
    (void)err;
    return add_visit(context, VISIT_REOPENED, trial) ? 0 : -1;
}

struct search_record *search_record_read(struct reader *reader, uint64_t told, uint64_t visits, struct err *err)
{
    struct search_record *record = MEM_NEW(struct search_record);
    record->last = told;
    record->most = visits;
    struct replay_visitor visitor = {.context = record,
                                     .proposal = keep_proposal,
                                     .tell = keep_tell,
                                     .observation = keep_observation,
                                     .ignored = keep_ignored,
                                     .reopened = keep_reopened};
    if (reader_earlier(reader, &record->past, &record->past_count, err) == 0 &&
        (reader_replay(reader, &visitor, err) == 0 || record->whole))
        return record;
    search_record_destroy(record);
    return NULL;
}

void search_record_destroy(struct search_record *record)
{
    if (!record)
        return;
    reader_free_earlier(record->past, record->past_count);
    arena_fini(&record->arena);
    free(record->visits);
    free(record);
}

/* --- living through it --- */

struct life {
    const struct search_record *record;
    struct searcher *searcher;
    struct metrics metrics;
    struct map ignored; /* trials that don't count at the end of the record */
    struct ask_past *past;
};

static void note_ignored(struct life *life)
{
    for (size_t i = 0; i < life->record->count; i++) {
        const struct visit *visit = &life->record->visits[i];
        if (visit->kind == VISIT_IGNORED && visit->ignored)
            map_put(&life->ignored, visit->trial, life);
        else if (visit->kind == VISIT_IGNORED)
            map_remove(&life->ignored, visit->trial);
    }
}

/* An end that was taken back by then is passed over. */
static int live_tell(struct life *life, const struct visit *visit, struct err *err)
{
    struct replay_tell tell = visit->tell;
    if (tell.reopened && tell.reopened <= life->record->told)
        return 0;
    tell.ignored = map_get(&life->ignored, tell.trial) != NULL;
    life->past->open -= !tell.params && life->past->open > 0;
    return search_retell(life->searcher, &life->metrics, &tell, err);
}

static int live_one(struct life *life, const struct visit *visit, struct err *err)
{
    struct replay_observation seen;
    life->past->told += visit->kind != VISIT_PROPOSAL;
    switch (visit->kind) {
    case VISIT_PROPOSAL:
        life->past->open++;
        return searcher_recall(life->searcher, visit->trial, visit->params, err);
    case VISIT_TELL:
        return live_tell(life, visit, err);
    case VISIT_OBSERVATION:
        seen = visit->seen;
        seen.ignored = map_get(&life->ignored, seen.trial) != NULL;
        search_observe(life->searcher, &life->metrics, &seen);
        return 0;
    default:
        return 0;
    }
}

struct searcher *search_record_live(const struct search_record *record, const struct spec *spec, struct ask_past *past,
                                    struct err *err)
{
    struct life life = {.record = record, .metrics = spec_metrics(spec), .past = past};
    *past = (struct ask_past){0};
    life.searcher = search_make(spec, record->past, record->past_count, err);
    int failed = !life.searcher;
    note_ignored(&life);
    for (size_t i = 0; i < record->count && !failed; i++)
        failed = live_one(&life, &record->visits[i], err);
    map_fini(&life.ignored);
    if (!failed)
        return life.searcher;
    searcher_destroy(life.searcher);
    return NULL;
}
