/* What people who look read; see readings.h.
 *
 *     loop                                  thread "viewers"
 *     a question; nobody was answered it
 *     just now: reading       ------->      read_text on its own connection
 *                             <-------      reading, with a text
 *     the text is kept and sent */
#include "scheduler/coordinator/readings.h"

#include "common/actor.h"
#include "common/clock.h"
#include "common/list.h"
#include "common/log.h"
#include "common/mem.h"
#include "scheduler/coordinator/answers.h"
#include "scheduler/coordinator/query.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Seconds after which a reading is broken off: who asked waits ten, and others wait behind him. */
static const double patience_seconds = 15;

struct readings {
    struct loop *loop;
    struct commit *commit;
    struct actor *actor; /* NULL: the store's thread reads */
    struct answers answers;
    struct list_link under_way;  /* questions that are not answered yet */
    struct loop_watch *patience; /* with the one that is being read; NULL: none is */

    /* The thread's own. */
    char *store;
    struct reader *reader; /* NULL: it was not opened yet, or that failed */
    bool behind;           /* the thread stands behind others */
    atomic_bool stop;      /* from outside: what is being read is broken off */
};

struct query_reading {
    struct message message;
    struct list_link link;
    struct readings *readings; /* NULL: they were closed */
    json_t *arguments;
    char *question, *text; /* text: the answer; NULL: `why` there is none */
    struct err why;
    uint64_t change; /* of the store, before it was read */
    readings_answered *answered;
    void *context;
};

/* --- in the thread --- */

/* About a quarter of a core where the search needs all of them; with much less, who looks is not answered in time. */
static void stand_behind(struct readings *readings)
{
    enum { NICE = 5 };
    if (!readings->behind)
        (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    readings->behind = true;
}

static void answer_reading(struct readings *readings, struct query_reading *reading)
{
    if (!readings->reader && (readings->reader = reader_open(readings->store, &reading->why)))
        reader_stop_at(readings->reader, &readings->stop);
    if (readings->reader)
        reading->text = read_text(readings->reader, reading->arguments, &reading->why);
}

static struct message *answer_readings(void *state, struct message *messages)
{
    struct readings *readings = state;
    stand_behind(readings);
    for (struct message *message = messages; message; message = message->next)
        answer_reading(readings, (struct query_reading *)message);
    return messages;
}

/* --- on the loop --- */

static void lose_patience(void *context)
{
    struct readings *readings = context;
    readings->patience = NULL;
    atomic_store(&readings->stop, true);
}

static void end_patience(struct readings *readings)
{
    loop_remove(readings->patience);
    readings->patience = NULL;
}

static void finish_reading(struct query_reading *reading)
{
    if (reading->readings)
        end_patience(reading->readings);
    if (reading->readings && reading->text)
        answers_keep(&reading->readings->answers, reading->question, reading->text, reading->change, clock_monotonic());
    reading->answered(reading->context, reading->text, &reading->why);
    list_remove(&reading->link);
    json_decref(reading->arguments);
    free(reading->question);
    free(reading->text);
    free(reading);
}

static void receive_reading(void *context, struct message *message)
{
    (void)context;
    finish_reading((struct query_reading *)message);
}

static void receive_text(void *context, char *answer, const struct err *err)
{
    struct query_reading *reading = context;
    reading->text = answer;
    reading->why = answer ? (struct err){0} : *err;
    finish_reading(reading);
}

struct readings *readings_open(struct loop *loop, const char *store, struct commit *commit)
{
    struct err err;
    struct readings *readings = MEM_NEW(struct readings);
    readings->loop = loop;
    readings->commit = commit;
    list_init(&readings->under_way);
    if (!store)
        return readings;
    readings->store = mem_text(store);
    readings->actor = actor_start(loop, "viewers", answer_readings, readings, receive_reading, NULL, &err);
    if (!readings->actor)
        log_warning("what people who look ask is read by the store's thread: %s", err.text);
    return readings;
}

static bool give_again(struct readings *readings, const char *text, readings_answered *answered, void *context)
{
    uint64_t change = commit_counts(readings->commit)->commits;
    const char *again = answers_find(&readings->answers, text, change, clock_monotonic());
    if (again)
        answered(context, again, NULL);
    return again;
}

void readings_ask(struct readings *readings, const json_t *arguments, const char *text, readings_answered *answered,
                  void *context)
{
    if (give_again(readings, text, answered, context))
        return;
    struct query_reading *reading = MEM_NEW(struct query_reading);
    *reading = (struct query_reading){.readings = readings,
                                      .question = mem_text(text),
                                      .change = commit_counts(readings->commit)->commits,
                                      .answered = answered,
                                      .context = context};
    list_append(&readings->under_way, &reading->link);
    if (!readings->actor) {
        commit_read(readings->commit, arguments, receive_text, reading);
        return;
    }
    reading->arguments = json_deep_copy(arguments);
    atomic_store(&readings->stop, false); /* no other is being read: viewers are heard one after the other */
    end_patience(readings);
    readings->patience = loop_timer(readings->loop, patience_seconds, lose_patience, readings);
    actor_send(readings->actor, &reading->message);
}

void readings_close(struct readings *readings)
{
    if (!readings)
        return;
    end_patience(readings);
    atomic_store(&readings->stop, true);
    actor_stop(readings->actor);
    for (struct list_link *link; (link = list_first(&readings->under_way));) {
        LIST_ITEM(link, struct query_reading, link)->readings = NULL;
        list_remove(link);
    }
    reader_close(readings->reader);
    answers_fini(&readings->answers);
    free(readings->store);
    free(readings);
}
