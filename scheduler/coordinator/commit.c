/* The store thread; see commit.h.
 *
 *     loop                                  thread
 *     events of a turn gather
 *     GROUP(1..9)            ------->       one transaction
 *     events gather                         ... fsync ...
 *                            <-------       GROUP, written: core_committed(9)
 *     GROUP(10..140)         ------->       the disk is full
 *                            <-------       GROUP, with a sentence
 *     (a second later) GROUP(10..140) --->  one transaction
 *     (the session is to end, and it has failed for a while: unwritten)
 *
 * A group is the message both ways; two of them take turns. */
#include "scheduler/coordinator/commit.h"
#include "scheduler/coordinator/query.h"

#include "common/actor.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"

#include <stdlib.h>

static const double retry_seconds = 1;

enum commit_note_kind { NOTE_GROUP, NOTE_READ, NOTE_CALL };

struct commit_note {
    struct message message;
    enum commit_note_kind kind;
};

struct commit_group {
    struct commit_note note;
    struct event *events;
    size_t count, capacity;
    struct arena memory; /* what they say: in one place, which serves group after group */
    uint64_t ends;       /* of trials, among them */
    double seconds;      /* on its way back: that writing it took */
    uint64_t statements; /* on its way back: of this group and all before it */
    bool failed;         /* on its way back: it was not written, for the reason in `why` */
    bool lost;           /* and never will be: the store is not where it was */
    struct err why;
};

struct commit_question {
    struct commit_note note;
    json_t *arguments;
    char *answer;
    struct err why;
    void (*answered)(void *context, char *answer, const struct err *err);
    void *context;
};

struct commit_work {
    struct commit_note note;
    void (*work)(struct store *store, void *context);
    void (*done)(void *context);
    void *context;
};

struct commit {
    struct loop *loop;
    struct actor *actor;
    struct commit_calls calls;
    struct commit_group *gathering;
    struct commit_group *resting; /* the other one; NULL while it is being written */
    struct commit_group *failed;  /* the other one, when it waits for another try */
    struct loop_watch *retry;     /* at this time */
    struct err trouble;           /* why the last try failed; empty: it did not */
    bool lost;                    /* the store is not where it was: there is no other try */
    double hurry;                 /* seconds for which trouble is waited out; 0: for ever */
    struct loop_watch *patience;  /* until then */
    uint64_t ends;                /* of trials, that are not on disk yet */
    struct commit_counts counts;
    bool stopping;
};

/* --- in the thread --- */

static void write_group(struct store *store, struct commit_group *group)
{
    double start = clock_monotonic();
    group->failed = store_write(store, group->events, group->count, &group->why) != 0;
    group->lost = store_is_lost(store);
    group->seconds = clock_monotonic() - start;
    group->statements = store_statements(store);
}

static void answer_question(struct store *store, struct commit_question *question)
{
    question->answer = read_text(store_reader(store), question->arguments, &question->why);
}

static struct message *write_and_answer(void *state, struct message *messages)
{
    struct store *store = state;
    for (struct message *message = messages; message; message = message->next) {
        struct commit_note *note = (struct commit_note *)message;
        if (note->kind == NOTE_GROUP)
            write_group(store, (struct commit_group *)note);
        else if (note->kind == NOTE_CALL)
            ((struct commit_work *)note)->work(store, ((struct commit_work *)note)->context);
        else
            answer_question(store, (struct commit_question *)note);
    }
    return messages;
}

/* --- on the loop --- */

static struct commit_group *group_make(void)
{
    struct commit_group *group = MEM_NEW(struct commit_group);
    group->note.kind = NOTE_GROUP;
    return group;
}

static void group_destroy(struct commit_group *group)
{
    if (!group)
        return;
    arena_fini(&group->memory);
    free(group->events);
    free(group);
}

static void try_again(void *context)
{
    struct commit *commit = context;
    struct commit_group *group = commit->failed;
    commit->retry = NULL;
    commit->failed = NULL;
    actor_send(commit->actor, &group->note.message);
}

static void lose_patience(void *context)
{
    struct commit *commit = context;
    commit->patience = NULL;
    commit->calls.unwritten(commit->calls.context);
}

static void watch_patience(struct commit *commit)
{
    if (commit->hurry > 0 && *commit->trouble.text && !commit->patience)
        commit->patience = loop_timer(commit->loop, commit->hurry, lose_patience, commit);
}

static void group_lost(struct commit *commit, struct commit_group *group)
{
    log_error("%s", group->why.text);
    commit->trouble = group->why;
    commit->lost = true;
    group_destroy(group);
    if (!commit->stopping)
        commit->calls.unwritten(commit->calls.context);
}

static void group_failed(struct commit *commit, struct commit_group *group)
{
    commit->counts.failures++;
    if (group->lost) {
        group_lost(commit, group);
        return;
    }
    if (!*commit->trouble.text)
        log_error("the store can't be written, nothing new is started until this is mended: %s", group->why.text);
    if (commit->stopping) {
        group_destroy(group);
        return;
    }
    commit->trouble = group->why;
    commit->failed = group;
    commit->retry = loop_timer(commit->loop, retry_seconds, try_again, commit);
    watch_patience(commit);
}

static void empty_group(struct commit_group *group)
{
    arena_reset(&group->memory);
    group->count = 0;
    group->ends = 0;
}

static void count_group(struct commit_counts *counts, const struct commit_group *group)
{
    counts->commits++;
    counts->events += group->count;
    counts->statements = group->statements;
    counts->commit_seconds += group->seconds;
    counts->queue -= group->count;
    if (group->count > counts->largest_commit)
        counts->largest_commit = group->count;
    if (group->seconds > counts->longest_commit)
        counts->longest_commit = group->seconds;
}

static void group_written(struct commit *commit, struct commit_group *group)
{
    uint64_t number = group->events[group->count - 1].number;
    if (*commit->trouble.text)
        log_info("the store can be written again");
    commit->trouble = (struct err){0};
    loop_remove(commit->patience);
    commit->patience = NULL;
    commit->ends -= group->ends;
    count_group(&commit->counts, group);
    empty_group(group);
    if (commit->stopping) {
        group_destroy(group);
        return;
    }
    commit->resting = group;
    commit->calls.committed(commit->calls.context, number);
}

static void question_answered(struct commit_question *question)
{
    question->answered(question->context, question->answer, &question->why);
    json_decref(question->arguments);
    free(question);
}

static void work_done(struct commit_work *work)
{
    work->done(work->context);
    free(work);
}

static void receive_note(void *context, struct message *message)
{
    struct commit *commit = context;
    struct commit_group *group = (struct commit_group *)message;
    if (group->note.kind == NOTE_READ)
        question_answered((struct commit_question *)message);
    else if (group->note.kind == NOTE_CALL)
        work_done((struct commit_work *)message);
    else if (group->failed)
        group_failed(commit, group);
    else
        group_written(commit, group);
}

struct commit *commit_start(struct loop *loop, struct store *store, const struct commit_calls *calls, struct err *err)
{
    struct commit *commit = MEM_NEW(struct commit);
    *commit = (struct commit){.loop = loop, .calls = *calls};
    commit->gathering = group_make();
    commit->resting = group_make();
    commit->actor = actor_start(loop, "store", write_and_answer, store, receive_note, commit, err);
    if (commit->actor)
        return commit;
    commit_stop(commit);
    return NULL;
}

void commit_add(struct commit *commit, const struct event *event)
{
    struct commit_group *group = commit->gathering;
    MEM_GROW(group->events, group->capacity, group->count + 1);
    struct event *kept = &group->events[group->count++];
    *kept = *event;
    event_keep_in(kept, &group->memory);
    group->ends += event->kind == EVENT_TRIAL_ENDED;
    commit->ends += event->kind == EVENT_TRIAL_ENDED;
    commit->counts.queue++;
}

void commit_flush(struct commit *commit)
{
    struct commit_group *group = commit->gathering;
    if (!commit->resting || !group->count)
        return;
    commit->gathering = commit->resting;
    commit->resting = NULL;
    actor_send(commit->actor, &group->note.message);
}

const char *commit_trouble(const struct commit *commit)
{
    return *commit->trouble.text ? commit->trouble.text : NULL;
}

bool commit_is_lost(const struct commit *commit)
{
    return commit->lost;
}

void commit_hurry(struct commit *commit, double seconds)
{
    if (commit->hurry <= 0)
        commit->hurry = seconds;
    watch_patience(commit);
}

uint64_t commit_unwritten_ends(const struct commit *commit)
{
    return commit->ends;
}

void commit_read(struct commit *commit, const json_t *arguments,
                 void (*answered)(void *context, char *answer, const struct err *err), void *context)
{
    struct commit_question *question = MEM_NEW(struct commit_question);
    *question = (struct commit_question){
        .note.kind = NOTE_READ, .arguments = json_deep_copy(arguments), .answered = answered, .context = context};
    actor_send(commit->actor, &question->note.message);
}

void commit_call(struct commit *commit, void (*work)(struct store *store, void *context), void (*done)(void *context),
                 void *context)
{
    struct commit_work *note = MEM_NEW(struct commit_work);
    *note = (struct commit_work){.note.kind = NOTE_CALL, .work = work, .done = done, .context = context};
    actor_send(commit->actor, &note->note.message);
}

const struct commit_counts *commit_counts(const struct commit *commit)
{
    return &commit->counts;
}

#define ROW(type, name, unit, help) COUNTER_ROW(struct commit_counts, type, name, unit, help)

void commit_add_counts(struct counters *tree, const struct commit_counts *counts)
{
    static const struct counter rows[] = {COMMIT_COUNTS(ROW)};
    counters_add(tree, COUNTERS_NODE("store", rows, counts));
}

void commit_finish(struct commit *commit)
{
    struct commit_group *last = commit ? commit->gathering : NULL;
    if (last && last->count && !commit->failed && !commit->lost) {
        commit->gathering = NULL;
        actor_send(commit->actor, &last->note.message);
    }
    commit_stop(commit);
}

void commit_stop(struct commit *commit)
{
    if (!commit)
        return;
    commit->stopping = true;
    loop_remove(commit->retry);
    loop_remove(commit->patience);
    actor_stop(commit->actor);
    group_destroy(commit->gathering);
    group_destroy(commit->resting);
    group_destroy(commit->failed);
    free(commit);
}
