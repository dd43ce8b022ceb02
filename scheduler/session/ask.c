/* The strategy's thread; see ask.h.
 *
 *     loop                       thread
 *     ASK(1) ASK(2)  ------->    searcher_ask(1), searcher_ask(2)
 *                    <-------    PROPOSED(1, 0 tells before), PROPOSED(2, 0)
 *     TELL(1)        ------->    searcher_tell(1)
 *     ASK(3)         ------->    searcher_ask(3): later
 *     ASK(4)                     (waits behind 3)
 *     TELL(2)        ------->    searcher_tell(2), searcher_ask(3), searcher_ask(4)
 *                    <-------    PROPOSED(3, 2), PROPOSED(4, 2)
 *     FORGET(3)      ------->    what follows waits
 *                    <-------    HELD(3)
 *     (all that was answered is on disk, and read again up to tell 3)
 *     RENEW          ------->    another searcher, which has lived through that
 */
#include "scheduler/session/ask.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/pool.h"
#include "common/ring.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum ask_note_kind {
    NOTE_ASK,
    NOTE_TELL,
    NOTE_PROPOSED,
    NOTE_NO_MORE,
    NOTE_BROKEN,
    NOTE_FORGET,
    NOTE_HELD,
    NOTE_RENEW,
    NOTE_USED /* a TELL that was passed on, on its way back to serve again */
};

/* What answers cost so far, as the thread counts it. */
struct ask_effort {
    uint64_t batches, forbidden, repeated;
};

/* Both ways: an ASK comes back as its answer. */
struct ask_note {
    struct message message;
    enum ask_note_kind kind;
    uint64_t trial;
    struct told told; /* TELL; its values are the note's own, a single one is `value` */
    double value;
    struct proposal proposal; /* PROPOSED */
    uint64_t told_before;
    double seconds; /* PROPOSED: that the strategy thought about it */
    struct ask_effort effort;
    char *why;      /* BROKEN */
    ask_make *make; /* RENEW */
    void *context;  /* of that */
};

struct ask {
    struct actor *actor;
    struct ask_calls calls;
    struct metrics metrics;
    struct ask_counts counts;
    atomic_bool stopping;   /* set by the loop when nobody wants the answers any more */
    struct message *posted; /* what the next ask_flush sends, in order */
    struct message **end;   /* where the next message is hung on */
    struct pool spare;      /* notes */

    /* The thread's own. */
    struct searcher *searcher;
    uint64_t batches;                       /* times that it was woken */
    struct ask_past past;                   /* counts on */
    struct ring waiting;                    /* of struct ask_note *: trials that are still to be asked for */
    bool later;                             /* the first of them waits for the next tell */
    bool over;                              /* no more, or broken: nothing is asked again */
    bool held;                              /* everything waits to be renewed */
    struct message *answers, **answers_end; /* that gather */
    double answers_since;                   /* when the first of them was asked for */
    struct message *used;                   /* notes for the loop to use again */
    uint32_t used_count;
    struct ring postponed; /* held: struct ask_note *, in their order */
    struct searcher *own;  /* one that was made anew; NULL: none was */
};

/* On the loop. */
static struct ask_note *note_make(struct ask *ask, enum ask_note_kind kind, uint64_t trial)
{
    struct ask_note *note = pool_take(&ask->spare, sizeof *note);
    note->kind = kind;
    note->trial = trial;
    return note;
}

/* --- in the thread --- */

/* The answers that gathered, and notes that served. */
static struct message *take_answers(struct ask *ask)
{
    struct message *answers = ask->answers;
    if (!answers)
        return NULL;
    *ask->answers_end = ask->used;
    ask->used = NULL;
    ask->used_count = 0;
    ask->answers = NULL;
    ask->answers_end = &ask->answers;
    return answers;
}

static void add_answer(struct ask *ask, struct ask_note *note)
{
    note->message.next = NULL;
    *ask->answers_end = &note->message;
    ask->answers_end = &note->message.next;
}

/* All that gathered before it goes with it. */
static void send_answer(struct ask *ask, struct ask_note *note)
{
    add_answer(ask, note);
    actor_answer(ask->actor, take_answers(ask));
}

static void answer_broken(struct ask *ask, struct ask_note *note, const struct err *why)
{
    note->kind = NOTE_BROKEN;
    note->why = mem_text(why->text);
    ask->over = true;
    send_answer(ask, note);
}

static void answer_no_more(struct ask *ask, struct ask_note *note)
{
    note->kind = NOTE_NO_MORE;
    ask->over = true;
    send_answer(ask, note);
}

/* The loop is called once for what a quick strategy answers in a millisecond. */
static void answer_proposed(struct ask *ask, struct ask_note *note, double asked)
{
    static const double gather_seconds = 1e-3;
    double now = clock_monotonic();
    note->kind = NOTE_PROPOSED;
    note->told_before = ask->past.told;
    note->seconds = now - asked;
    note->effort.batches = ask->batches;
    searcher_rejections(ask->searcher, &note->effort.forbidden, &note->effort.repeated);
    ask->past.open++;
    if (!ask->answers)
        ask->answers_since = asked;
    if (ask->calls.gathers && now - ask->answers_since < gather_seconds)
        add_answer(ask, note);
    else
        send_answer(ask, note);
}

static void answer_later(struct ask *ask, struct ask_note *note)
{
    struct err err = {0};
    ask->later = true;
    if (ask->past.open)
        return;
    err_write(&err, "the strategy waits for a trial to end, but none is running");
    answer_broken(ask, note, &err);
}

/* Answers the question, unless it has to wait: then `later` is set. */
static void think_of_proposal(struct ask *ask, struct ask_note *note)
{
    struct err err = {0};
    double start = clock_monotonic();
    switch (searcher_ask(ask->searcher, note->trial, &note->proposal, &err)) {
    case SEARCHER_PROPOSED:
        answer_proposed(ask, note, start);
        break;
    case SEARCHER_NO_MORE:
        answer_no_more(ask, note);
        break;
    case SEARCHER_LATER:
        answer_later(ask, note);
        break;
    case SEARCHER_BROKEN:
        answer_broken(ask, note, &err);
        break;
    }
}

static void tell_searcher(struct ask *ask, const struct ask_note *note)
{
    (void)told_pass_on(&note->told, &ask->metrics, ask->searcher, NULL); /* what is added was checked before */
    ask->past.told++;
    ask->past.open -= !note->told.observed && !note->told.params && ask->past.open > 0;
    ask->later = false;
}

/* What it owns; it may serve again. */
static void empty_note(struct ask_note *note)
{
    if (note->told.values != &note->value)
        free((double *)note->told.values);
    free((char *)note->told.params);
    free(note->proposal.params);
    free(note->why);
}

static void free_note(struct ask_note *note)
{
    empty_note(note);
    free(note);
}

/* In the thread. The loop makes a note for each tell: it gets them back with the next answers. */
static void return_note(struct ask *ask, struct ask_note *note)
{
    enum { MOST = 4096 };
    if (ask->used_count == MOST) {
        free_note(note);
        return;
    }
    empty_note(note);
    note->kind = NOTE_USED;
    note->message.next = ask->used;
    ask->used = &note->message;
    ask->used_count++;
}

static void drop_notes(struct ring *notes)
{
    for (; notes->count; ring_pop(notes))
        free_note(*(struct ask_note **)ring_front(notes));
}

/* Questions behind the last answer of a strategy that had nothing left are not answered any more. */
static void hold_searcher(struct ask *ask, struct ask_note *note)
{
    ask->past.told++;
    ask->held = true;
    if (ask->over)
        drop_notes(&ask->waiting);
    note->kind = NOTE_HELD;
    send_answer(ask, note);
}

static void renew_searcher(struct ask *ask, struct ask_note *note)
{
    struct err err = {0};
    struct ask_past past;
    struct searcher *searcher = note->make(note->context, &past, &err);
    note->make = NULL;
    ask->held = false;
    if (!searcher) {
        answer_broken(ask, note, &err);
        return;
    }
    searcher_destroy(ask->own);
    ask->own = ask->searcher = searcher;
    ask->past = past;
    ask->over = ask->later = false;
    free_note(note);
}

/* One message: what it says, then all questions that can be asked now. */
static void take_note(struct ask *ask, struct ask_note *note)
{
    if (note->kind == NOTE_TELL) {
        tell_searcher(ask, note);
        return_note(ask, note);
    } else if (note->kind == NOTE_FORGET) {
        hold_searcher(ask, note);
    } else if (note->kind == NOTE_RENEW) {
        renew_searcher(ask, note);
    } else {
        *(struct ask_note **)ring_push(&ask->waiting) = note;
    }
    while (ask->waiting.count && !ask->over && !ask->held && !atomic_load(&ask->stopping)) {
        if (!ask->later)
            think_of_proposal(ask, *(struct ask_note **)ring_front(&ask->waiting));
        if (ask->later && !ask->over)
            return;
        ring_pop(&ask->waiting);
    }
}

static void attend_to_note(struct ask *ask, struct ask_note *note)
{
    if (ask->held && note->kind != NOTE_RENEW) {
        *(struct ask_note **)ring_push(&ask->postponed) = note;
        return;
    }
    take_note(ask, note);
    while (!ask->held && ask->postponed.count) {
        struct ask_note *next = *(struct ask_note **)ring_front(&ask->postponed);
        ring_pop(&ask->postponed);
        take_note(ask, next);
    }
}

static struct message *work_through_notes(void *state, struct message *messages)
{
    struct ask *ask = state;
    ask->batches++;
    for (struct message *next; messages; messages = next) {
        next = messages->next;
        attend_to_note(ask, (struct ask_note *)messages);
    }
    return take_answers(ask);
}

/* --- on the loop --- */

static void count_proposal(struct ask_counts *counts, const struct ask_note *note)
{
    counts->unanswered--;
    counts->batches = note->effort.batches;
    counts->forbidden = note->effort.forbidden;
    counts->repeated = note->effort.repeated;
    counts->ask_seconds += note->seconds;
    if (note->seconds > counts->longest_ask)
        counts->longest_ask = note->seconds;
}

static void pass_on_answer(void *context, struct message *message)
{
    struct ask *ask = context;
    struct ask_note *note = (struct ask_note *)message;
    const struct ask_calls *calls = &ask->calls;
    if (note->kind == NOTE_USED) {
        pool_give(&ask->spare, note);
        return;
    }
    if (note->kind == NOTE_PROPOSED)
        count_proposal(&ask->counts, note);
    if (atomic_load(&ask->stopping))
        ; /* nobody listens any more */
    else if (note->kind == NOTE_HELD)
        calls->held(calls->context, note->trial);
    else if (note->kind == NOTE_PROPOSED)
        calls->proposed(calls->context, note->trial,
                        &(struct event_proposed){.params = note->proposal.params,
                                                 .fingerprint = note->proposal.fingerprint,
                                                 .told_before = note->told_before,
                                                 .from_start = note->proposal.from_start,
                                                 .from = note->proposal.from});
    else if (note->kind == NOTE_NO_MORE)
        calls->no_more(calls->context);
    else
        calls->broken(calls->context, note->why);
    empty_note(note);
    pool_give(&ask->spare, note);
}

struct ask *ask_start(struct loop *loop, struct searcher *searcher, const struct metrics *metrics,
                      const struct ask_past *past, const struct ask_calls *calls, struct err *err)
{
    struct ask *ask = MEM_NEW(struct ask);
    ask->searcher = searcher;
    ask->metrics = *metrics;
    ask->past = *past;
    ask->calls = *calls;
    ask->end = &ask->posted;
    ask->answers_end = &ask->answers;
    ring_init(&ask->waiting, sizeof(struct ask_note *));
    ring_init(&ask->postponed, sizeof(struct ask_note *));
    atomic_init(&ask->stopping, false);
    ask->actor = actor_start(loop, "strategy", work_through_notes, ask, pass_on_answer, ask, err);
    if (ask->actor)
        return ask;
    ask_stop(ask);
    return NULL;
}

static void post_note(struct ask *ask, struct ask_note *note)
{
    *ask->end = &note->message;
    ask->end = &note->message.next;
}

void ask_trial(struct ask *ask, uint64_t trial)
{
    ask->counts.asks++;
    ask->counts.unanswered++;
    post_note(ask, note_make(ask, NOTE_ASK, trial));
}

void ask_tell(struct ask *ask, const struct told *told)
{
    struct ask_note *note = note_make(ask, NOTE_TELL, told->trial);
    ask->counts.tells++;
    size_t bytes = ask->metrics.count * sizeof *told->values;
    note->told = *told;
    if (told->values && ask->metrics.count == 1) {
        note->value = told->values[0];
        note->told.values = &note->value;
    } else if (told->values) {
        note->told.values = memcpy(mem_resize(NULL, 1, bytes), told->values, bytes);
    }
    note->told.params = told->params ? mem_text(told->params) : NULL;
    post_note(ask, note);
}

void ask_forget(struct ask *ask, uint64_t told)
{
    post_note(ask, note_make(ask, NOTE_FORGET, told));
}

void ask_renew(struct ask *ask, ask_make *make, void *context)
{
    struct ask_note *note = note_make(ask, NOTE_RENEW, 0);
    note->make = make;
    note->context = context;
    post_note(ask, note);
    ask_flush(ask);
}

void ask_flush(struct ask *ask)
{
    if (!ask->posted)
        return;
    actor_send(ask->actor, ask->posted);
    ask->posted = NULL;
    ask->end = &ask->posted;
}

const struct ask_counts *ask_counts(const struct ask *ask)
{
    return &ask->counts;
}

#define ROW(type, name, unit, help) COUNTER_ROW(struct ask_counts, type, name, unit, help)

void ask_add_counts(struct counters *tree, const struct ask_counts *counts)
{
    static const struct counter rows[] = {ASK_COUNTS(ROW)};
    counters_add(tree, COUNTERS_NODE("strategy", rows, counts));
}

void ask_stop(struct ask *ask)
{
    if (!ask)
        return;
    atomic_store(&ask->stopping, true);
    if (ask->actor)
        ask_flush(ask);
    actor_stop(ask->actor);
    drop_notes(&ask->waiting);
    drop_notes(&ask->postponed);
    for (struct message *used = ask->used, *next; used; used = next) {
        next = used->next;
        free(used);
    }
    pool_fini(&ask->spare);
    ring_fini(&ask->waiting);
    ring_fini(&ask->postponed);
    searcher_destroy(ask->own);
    free(ask);
}
