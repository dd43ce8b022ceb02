/* The answers of a living coordinator; see service.h.
 *
 * Who gets here has the operator's key, which only the experiment's owner can read, or the viewer's, which he may give
 * away; the table of questions says what a viewer may ask. Each ASK is answered by one ANSWER, in the order of the
 * asks, except `read` and changes of the past, which wait for the store's thread. */
#include "scheduler/coordinator/service.h"

#include "common/clock.h"
#include "common/json.h"
#include "common/list.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/suggest.h"
#include "scheduler/coordinator/readings.h"
#include "scheduler/coordinator/service_arguments.h"
#include "scheduler/coordinator/service_look.h"
#include "scheduler/coordinator/viewers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASKS_A_TURN = 16,                   /* so that nobody can keep the loop from its work */
    LONGEST_ANSWER = MSG_LARGEST - 4096 /* bytes; the rest is the message around it */
};

struct service {
    struct service_setup setup;
    struct loop_watch *watch;  /* of the link; or of the time until viewers are heard again; NULL: one is answered */
    double asked;              /* when the viewer who was heard last asked */
    struct buf bytes;          /* reused for messages in and out */
    struct list_link readings; /* questions that other threads work on */
    struct readings *asides;   /* who answers `read` to viewers alone; NULL: the store's thread */
    struct service_look look;  /* what is answered without a change */
};

/* One question as it came in. */
struct service_question {
    struct service *service;
    uint64_t peer;
    enum service_role role;
    const char *what, *text; /* as it came, with its arguments */
    json_t *arguments;       /* the same: an object */
};

/* --- sending answers --- */

static void send_answer(struct service *service, uint64_t peer, uint32_t status, const char *text)
{
    static const char full[] = "too many answers wait for people who look and do not take them; try again in a while";
    struct msg msg = {.kind = MSG_ANSWER, .answer = {.status = status, .text = text}};
    buf_clear(&service->bytes);
    msg_encode(&msg, &service->bytes);
    /* Who asked and went away has no use for the answer. */
    if (link_send(service->setup.link, peer, service->bytes.data, service->bytes.length) == LINK_FULL)
        send_answer(service, peer, SERVICE_FAILED, full);
}

static void send_text(struct service *service, uint64_t peer, const char *text)
{
    if (text && strlen(text) <= LONGEST_ANSWER)
        send_answer(service, peer, 0, text);
    else
        send_answer(service, peer, SERVICE_FAILED, "the answer is too large to be sent; ask for less");
}

static void send_json(struct service *service, uint64_t peer, json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT | JSON_ENCODE_ANY);
    send_text(service, peer, text);
    free(text);
    json_decref(answer);
}

/* --- viewers --- */

static void receive_asks(void *context);

static void hear_viewers(void *context)
{
    struct service *service = context;
    service->watch = loop_link(service->setup.loop, service->setup.link, receive_asks, service);
}

/* One is heard after the other, and after each answer all of them rest three times as long as it took: so they have a
 * quarter of the loop's time and of a reader's at most, however many they are and whatever they ask. What is quickly
 * answered costs ZeroMQ's threads more than the loop, some 100 us in all, so they are heard 250 times a second at most:
 * twenty people before screens ask a hundred questions in that time. */
static void rest_viewers(struct service *service)
{
    enum { RESTS = 3 };
    static const double shortest = 0.004;
    double took = clock_monotonic() - service->asked;
    if (service->setup.viewers_only && list_is_empty(&service->readings) && !service->watch)
        service->watch = loop_timer(service->setup.loop, fmax(RESTS * took, shortest), hear_viewers, service);
}

/* --- the questions --- */

/* The short status is the same for all who look, so its text is. */
static int answer_status(struct service_question *question, json_t **out, struct err *err)
{
    const char *text = NULL;
    if (service_look_status(&question->service->look, question->arguments, out, &text, err))
        return SERVICE_USAGE;
    if (text)
        send_text(question->service, question->peer, text);
    return 0;
}

static int answer_workers(struct service_question *question, json_t **out, struct err *err)
{
    return service_look_workers(&question->service->look, question->arguments, out, err) ? SERVICE_USAGE : 0;
}

/* A question that another thread works on. */
struct service_reading {
    struct list_link link;
    struct service *service; /* NULL: it was closed meanwhile */
    uint64_t peer;
};

static void send_reading(void *context, const char *answer, const struct err *err)
{
    struct service_reading *reading = context;
    struct service *service = reading->service;
    if (service && answer)
        send_text(service, reading->peer, answer);
    else if (service)
        send_answer(service, reading->peer, SERVICE_FAILED, err->text);
    list_remove(&reading->link);
    free(reading);
    if (service)
        rest_viewers(service);
}

static void send_read(void *context, char *answer, const struct err *err)
{
    send_reading(context, answer, err);
    free(answer);
}

static struct service_reading *begin_reading(struct service_question *question)
{
    struct service_reading *reading = MEM_NEW(struct service_reading);
    reading->service = question->service;
    reading->peer = question->peer;
    list_append(&question->service->readings, &reading->link);
    return reading;
}

static int answer_read(struct service_question *question, json_t **out, struct err *err)
{
    (void)err;
    struct service *service = question->service;
    struct service_reading *reading = begin_reading(question);
    *out = NULL; /* comes later */
    if (service->asides)
        readings_ask(service->asides, question->arguments, question->text, send_reading, reading);
    else
        commit_read(service->setup.commit, question->arguments, send_read, reading);
    return 0;
}

static void send_amended(void *context, int status, json_t *answer, const struct err *err)
{
    struct service_reading *reading = context;
    if (!reading->service)
        json_decref(answer);
    else if (status)
        send_answer(reading->service, reading->peer, (uint32_t)status, err->text);
    else
        send_json(reading->service, reading->peer, answer);
    list_remove(&reading->link);
    free(reading);
}

/* ignore, retry or add. */
static int answer_amends(struct service_question *question, json_t **out, struct err *err)
{
    struct service_reading *reading = begin_reading(question);
    *out = NULL; /* comes later */
    if (amends_ask(question->service->setup.amends, question->what, question->arguments, send_amended, reading, err) ==
        0)
        return 0;
    list_remove(&reading->link);
    free(reading);
    return SERVICE_USAGE;
}

static int answer_drain(struct service_question *question, json_t **out, struct err *err)
{
    enum reason reason;
    if (service_take_reason(question->arguments, &reason, err))
        return SERVICE_USAGE;
    core_drain(question->service->setup.core, clock_monotonic(), reason);
    commit_hurry(question->service->setup.commit, COMMIT_PATIENCE_SECONDS);
    *out = json_object();
    return 0;
}

static int answer_stop(struct service_question *question, json_t **out, struct err *err)
{
    enum reason reason;
    if (service_take_reason(question->arguments, &reason, err))
        return SERVICE_USAGE;
    core_stop(question->service->setup.core, clock_monotonic(), reason);
    commit_hurry(question->service->setup.commit, COMMIT_PATIENCE_SECONDS);
    *out = json_object();
    return 0;
}

static int answer_cancel(struct service_question *question, json_t **out, struct err *err)
{
    json_int_t trial = json_integer_value(json_object_get(question->arguments, "trial"));
    if (trial < 0)
        trial = 0; /* which there is none of */
    if (core_cancel_trial(question->service->setup.core, clock_monotonic(), (uint64_t)trial, err))
        return SERVICE_NO_TRIAL;
    *out = json_object();
    return 0;
}

static int answer_worker_dead(struct service_question *question, json_t **out, struct err *err)
{
    struct core *core = question->service->setup.core;
    const char *why = "its process died";
    struct worker_sign sign;
    enum ending ending;
    if (service_take_sign(question->arguments, question->service->look.node, &sign, err) ||
        service_take_ending(question->arguments, &ending, err) || service_take_why(question->arguments, &why, err))
        return SERVICE_USAGE;
    uint32_t count = core_workers_dead(core, clock_monotonic(), &sign, ending, why);
    *out = json_pack("{s:I, s:I}", "workers", (json_int_t)count, "ended", (json_int_t)core_ended(core));
    return 0;
}

/* For how long a worker has said nothing; null: it is not known. */
static int answer_silent(struct service_question *question, json_t **out, struct err *err)
{
    struct worker_sign sign;
    if (service_take_sign(question->arguments, question->service->look.node, &sign, err))
        return SERVICE_USAGE;
    double seconds = core_silence(question->service->setup.core, clock_monotonic(), &sign);
    *out = json_object();
    json_object_set_new(*out, "silent", seconds < 0 ? json_null() : json_of_real(seconds));
    return 0;
}

/* Nobody is left to run trials; a session that is ending already goes on with that. */
static int answer_no_workers(struct service_question *question, json_t **out, struct err *err)
{
    const char *why = "";
    if (service_take_why(question->arguments, &why, err))
        return SERVICE_USAGE;
    core_no_workers(question->service->setup.core, clock_monotonic(), why);
    *out = json_object();
    return 0;
}

/* The session ends for a later one. */
static int answer_leave(struct service_question *question, json_t **out, struct err *err)
{
    const char *why = json_string_value(json_object_get(question->arguments, "why"));
    int reason = why ? reason_named(why) : -1;
    if (reason != REASON_WALLTIME && reason != REASON_PREEMPTED && reason != REASON_PAUSED) {
        err_write(err, "why has to be walltime, preempted or paused, not '%s'", why ? why : "");
        return SERVICE_USAGE;
    }
    core_leave(question->service->setup.core, clock_monotonic(), (enum reason)reason);
    commit_hurry(question->service->setup.commit, COMMIT_PATIENCE_SECONDS);
    *out = json_object();
    return 0;
}

/* The time limit of the job was moved. */
static int answer_until(struct service_question *question, json_t **out, struct err *err)
{
    double until;
    if (!json_to_finite(json_object_get(question->arguments, "until"), &until)) {
        err_write(err, "until has to be a time in seconds since 1970");
        return SERVICE_USAGE;
    }
    double now = clock_monotonic();
    core_deadline(question->service->setup.core, now, now + until - clock_wall());
    *out = json_object();
    return 0;
}

/* The run directory's pass is not what it was. */
static int answer_share(struct service_question *question, json_t **out, struct err *err)
{
    struct viewers *viewers = question->service->setup.viewers;
    if (!viewers)
        return err_write(err, "nobody can be given a pass here"), SERVICE_FAILED;
    if (viewers_renew(viewers, err))
        return SERVICE_FAILED;
    const char *to = viewers_address(viewers);
    *out = json_pack("{s:o}", "to", to ? json_string(to) : json_null());
    return 0;
}

/* Whether a waiting trial would be started, and how long it is expected to run; null: it does not wait. */
static int answer_prospect(struct service_question *question, json_t **out, struct err *err)
{
    (void)err;
    struct prospect prospect;
    json_int_t trial = json_integer_value(json_object_get(question->arguments, "trial"));
    if (!core_prospect(question->service->setup.core, clock_monotonic(), (uint64_t)trial, &prospect)) {
        *out = json_null();
        return 0;
    }
    *out = json_pack("{s:b, s:I, s:b, s:I}", "fits", (int)prospect.fits, "losses", (json_int_t)prospect.losses, "alone",
                     (int)prospect.alone, "memory", (json_int_t)prospect.memory);
    json_object_set_new(*out, "predicted", prospect.predicted < 0 ? json_null() : json_of_real(prospect.predicted));
    json_object_set_new(*out, "left", isinf(prospect.left) ? json_null() : json_of_real(prospect.left));
    return 0;
}

/* Viewers get nothing that changes anything, or that somebody waits for. */
static const struct service_row {
    const char *what;
    bool looks; /* a viewer may ask it, too */
    /* The answer, or NULL when it comes later; or an exit status and a sentence. */
    int (*answer)(struct service_question *question, json_t **out, struct err *err);
} rows[] = {
    {"status", true, answer_status},  {"workers", true, answer_workers},
    {"read", true, answer_read},      {"drain", false, answer_drain},
    {"stop", false, answer_stop},     {"cancel", false, answer_cancel},
    {"leave", false, answer_leave},   {"worker_dead", false, answer_worker_dead},
    {"until", false, answer_until},   {"prospect", false, answer_prospect},
    {"silent", false, answer_silent}, {"no_workers", false, answer_no_workers},
    {"ignore", false, answer_amends}, {"retry", false, answer_amends},
    {"add", false, answer_amends},    {"share", false, answer_share},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool may_ask(enum service_role role, const struct service_row *row)
{
    return role == SERVICE_OPERATOR || row->looks;
}

/* Whoever may not ask it is not told whether there is such a question. */
static int refuse_question(enum service_role role, const char *what, struct err *err)
{
    const char *names[ROWS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (may_ask(role, &rows[i]))
            names[count++] = rows[i].what;
    struct buf list = {0};
    suggest_list(&list, names, count);
    if (role == SERVICE_VIEWER)
        err_write(err,
                  "a viewer's key is not enough to ask '%s': with it the coordinator answers %s; whoever owns the "
                  "experiment can give this command",
                  what, buf_str(&list));
    else
        err_write(err, "the coordinator does not know the question '%s'; it answers: %s", what, buf_str(&list));
    buf_fini(&list);
    return SERVICE_USAGE;
}

static int answer_ask(struct service_question *question, const struct msg_ask *ask, json_t **out, struct err *err)
{
    question->what = ask->what;
    question->text = ask->arguments;
    question->arguments = *ask->arguments ? json_loads(ask->arguments, 0, NULL) : json_object();
    if (!json_is_object(question->arguments)) {
        err_write(err, "the arguments of '%s' are no JSON object", ask->what);
        return SERVICE_USAGE;
    }
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].what, ask->what) == 0 && may_ask(question->role, &rows[i]))
            return rows[i].answer(question, out, err);
    return refuse_question(question->role, ask->what, err);
}

/* --- the conversation --- */

const char *service_role_name(enum service_role role)
{
    return role == SERVICE_VIEWER ? "viewer" : "operator";
}

static void take_ask(struct service *service, uint64_t peer, const struct msg *msg)
{
    int sender = link_sender(service->setup.link);
    bool viewers_only = service->setup.viewers_only;
    struct service_question question = {.service = service, .peer = peer, .role = SERVICE_VIEWER};
    json_t *out = NULL;
    struct err err = {0};
    if (msg->kind != MSG_ASK || sender < 0 || sender >= SERVICE_ROLES)
        return;
    question.role = viewers_only ? SERVICE_VIEWER : (enum service_role)sender;
    int status = answer_ask(&question, &msg->ask, &out, &err);
    if (status)
        send_answer(service, peer, (uint32_t)status, err.text);
    else if (out)
        send_json(service, peer, out);
    json_decref(question.arguments);
}

static void take_message(struct service *service, uint64_t peer)
{
    struct msg msg;
    if (msg_decode(&msg, service->bytes.data, service->bytes.length, NULL))
        return;
    take_ask(service, peer, &msg);
    msg_fini(&msg);
}

static void receive_asks(void *context)
{
    struct service *service = context;
    uint64_t peer;
    bool viewers_only = service->setup.viewers_only;
    service->asked = clock_monotonic();
    if (viewers_only) {
        loop_remove(service->watch);
        service->watch = NULL;
    }
    int most = viewers_only ? 1 : ASKS_A_TURN;
    for (int i = 0; i < most && link_receive(service->setup.link, &peer, &service->bytes) == LINK_OK; i++)
        take_message(service, peer);
    rest_viewers(service);
}

struct service *service_open(const struct service_setup *setup)
{
    struct service *service = MEM_NEW(struct service);
    service->setup = *setup;
    list_init(&service->readings);
    service_look_init(&service->look, &service->setup);
    if (setup->viewers_only)
        service->asides = readings_open(setup->loop, setup->store, setup->commit);
    service->watch = loop_link(setup->loop, setup->link, receive_asks, service);
    return service;
}

void service_close(struct service *service)
{
    if (!service)
        return;
    for (struct list_link *link; (link = list_first(&service->readings));) {
        LIST_ITEM(link, struct service_reading, link)->service = NULL;
        list_remove(link);
    }
    readings_close(service->asides);
    service_look_fini(&service->look);
    loop_remove(service->watch);
    buf_fini(&service->bytes);
    free(service);
}
