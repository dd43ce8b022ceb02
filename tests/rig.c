/* A worker and a made-up coordinator; see rig.h. */
#include "tests/rig.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/fake_trainer.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MACHINE      "tests/worker/topologies/plain.xml"
#define WAIT_SECONDS 300.0 /* what does not come by then does not come; valgrind makes everything slow */
#define GLANCE       0.01  /* between two looks at something that sends no message */

static char *own_program; /* set once, by rig_main */

int rig_main(int count, char **words, int (*tests)(void))
{
    if (count > 1 && strcmp(words[1], "fake-trainer") == 0)
        return fake_trainer();
    own_program = path_absolute(words[0]);
    if (getenv("GANNET_TEST_LOG"))
        log_open("worker", LOG_DEBUG);
    int failed = tests();
    free(own_program);
    return failed;
}

static void glance(void *context);

int enter_rig(void **state)
{
    struct rig *rig = MEM_NEW(struct rig);
    struct err err;
    rig->scratch = scratch_make();
    rig->loop = loop_create();
    rig->links = link_context_create(&err);
    assert_non_null(rig->links);
    rig->trainer[0] = own_program;
    rig->trainer[1] = "fake-trainer";
    rig->setup = (struct worker_setup){.rundir = rig->scratch,
                                       .trainer = rig->trainer,
                                       .source = {.machine = MACHINE},
                                       .part = 1,
                                       .parts = 1,
                                       .give_up = 120};
    rig->task = (struct rig_task){.grace = 60};
    rig->heartbeat = 0.1;
    rig->silence = 30;
    rig->glance = loop_timer(rig->loop, GLANCE, glance, rig);
    *state = rig;
    return 0;
}

int leave_rig(void **state)
{
    struct rig *rig = *state;
    worker_destroy(rig->worker);
    rig_close_door(rig);
    link_context_destroy(rig->links);
    loop_destroy(rig->loop);
    for (size_t i = 0; i < rig->inbox_count; i++) {
        msg_fini(rig->inbox[i]);
        free(rig->inbox[i]);
    }
    free(rig->inbox);
    scratch_remove(rig->scratch);
    free(rig);
    return 0;
}

/* --- the coordinator's side --- */

void rig_send(struct rig *rig, const struct msg *msg)
{
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    assert_int_equal(link_send(rig->door, rig->peer, bytes.data, bytes.length), LINK_OK);
    buf_fini(&bytes);
}

static char *task_text(const struct rig *rig)
{
    const struct rig_task *task = &rig->task;
    struct buf text = {0};
    buf_format(&text,
               "{\"experiment\":\"e\",\"directory\":\"%s\",\"base\":\"%s\",\"workdir\":\"%s\",\"metric\":\"value\","
               "\"metrics\":[\"value\",\"other\"],\"trial_time\":%f,\"grace\":%f,\"resources\":{\"cpus\":%d,"
               "\"sockets\":0,\"gpus\":0,\"memory\":%llu,\"bind\":\"none\"}",
               rig->scratch, rig->scratch, rig->scratch, task->trial_time, task->grace, task->cpus ? task->cpus : 4,
               (unsigned long long)task->memory);
    buf_format(&text, task->command ? ",\"command\":%s" : ",\"kernel\":\"fake\"", task->command);
    if (task->options)
        buf_format(&text, ",\"options\":%s", task->options);
    if (task->env)
        buf_format(&text, ",\"env\":%s", task->env);
    if (task->checkpoint)
        buf_text(&text, ",\"checkpoint\":true");
    if (task->signal)
        buf_format(&text, ",\"signal\":\"%s\"", task->signal);
    buf_text(&text, "}");
    return buf_take(&text);
}

void rig_welcome(struct rig *rig)
{
    char *task = task_text(rig);
    struct msg msg = {.kind = MSG_WELCOME,
                      .welcome = {.session = 1, .task = task, .heartbeat = rig->heartbeat, .silence = rig->silence}};
    rig_send(rig, &msg);
    free(task);
}

static void lease(struct rig *rig, uint64_t trial, uint32_t attempt, uint32_t slot, const char *params)
{
    struct msg_lease one = {.trial = trial, .attempt = attempt, .slot = slot, .seed = 7, .params = params};
    struct msg msg = {.kind = MSG_LEASES, .leases = {rig->deadline, &one, 1}};
    rig_send(rig, &msg);
}

void rig_lease(struct rig *rig, uint64_t trial, uint32_t attempt, const char *params)
{
    lease(rig, trial, attempt, 0, params);
}

void rig_lease_slot(struct rig *rig, uint64_t trial, uint32_t slot, const char *params)
{
    lease(rig, trial, 1, slot, params);
}

void rig_stop_run(struct rig *rig, uint64_t trial, enum ending ending)
{
    struct msg msg = {.kind = MSG_STOP_RUN, .stop_run = {.trial = trial, .attempt = 1, .ending = ending}};
    rig_send(rig, &msg);
}

void rig_ack(struct rig *rig, uint64_t trial, uint32_t attempt, uint32_t samples, bool ended)
{
    struct msg_ack ack = {.trial = trial, .attempt = attempt, .samples = samples, .ended = ended};
    struct msg msg = {.kind = MSG_ACKS, .acks = {.acks = &ack, .acks_count = 1}};
    rig_send(rig, &msg);
}

void rig_drain(struct rig *rig, bool now)
{
    struct msg msg = {.kind = MSG_DRAIN, .drain = {.now = now, .why = "enough"}};
    rig_send(rig, &msg);
}

/* What a coordinator answers by itself. */
static void answer(struct rig *rig, const struct msg *msg)
{
    struct msg heard = {.kind = MSG_HEARD}, who = {.kind = MSG_WHO, .who = {.session = 1}};
    rig->introduced |= msg->kind == MSG_HELLO;
    if (!rig->introduced)
        rig_send(rig, &who);
    if (msg->kind == MSG_HELLO && !rig->mute)
        rig_welcome(rig);
    if (msg->kind == MSG_HEARTBEAT && !rig->mute)
        rig_send(rig, &heard);
    for (uint32_t i = 0; msg->kind == MSG_RESULTS && !rig->keep_acks && i < msg->results.results_count; i++) {
        const struct msg_result *result = &msg->results.results[i];
        rig_ack(rig, result->trial, result->attempt, result->first + result->samples_count, true);
    }
}

static void receive(void *context)
{
    struct rig *rig = context;
    struct buf bytes = {0};
    struct err err = {""};
    uint64_t peer;
    while (link_receive(rig->door, &peer, &bytes) == LINK_OK) {
        rig->peer = peer;
        struct msg *msg = MEM_NEW(struct msg);
        MEM_GROW(rig->inbox, rig->inbox_room, rig->inbox_count + 1);
        rig->inbox[rig->inbox_count++] = msg;
        if (msg_decode(msg, bytes.data, bytes.length, &err))
            fail_msg("the worker sent what can't be read: %s", err.text);
        answer(rig, msg);
    }
    buf_fini(&bytes);
    loop_stop(rig->loop);
}

void rig_announce(struct rig *rig, const char *endpoint, const char *public_key)
{
    char *text = mem_format("{\"node\":\"n\",\"pid\":1,\"session\":1,\"workers\":\"%s\",\"control\":\"\","
                            "\"public_key\":\"%s\",\"exclusive\":false}",
                            endpoint, public_key);
    free(scratch_file(rig->scratch, "coordinator.json", text));
    free(text);
    rig->door_in = loop_link(rig->loop, rig->door, receive, rig);
    rig->introduced = false;
}

void rig_open_door(struct rig *rig)
{
    struct err err = {""};
    char *endpoint = mem_format("ipc://%s/%s", rig->scratch, rig->door_name ? rig->door_name : "workers");
    rig->door = link_bind(rig->links, endpoint, NULL, NULL, 0, &err);
    if (!rig->door)
        fail_msg("%s", err.text);
    rig_announce(rig, endpoint, "");
    free(endpoint);
}

void rig_close_door(struct rig *rig)
{
    loop_remove(rig->door_in);
    link_close(rig->door);
    rig->door_in = NULL;
    rig->door = NULL;
}

/* --- waiting --- */

/* Lets whoever waits look around now and then. */
static void glance(void *context)
{
    struct rig *rig = context;
    loop_move(rig->glance, GLANCE);
    loop_stop(rig->loop);
}

/* Runs the loop for a glance, or until something comes; fails the test when that has gone on for too long. */
static void run_on(struct rig *rig, double since, const char *what)
{
    struct err err = {""};
    if (loop_run(rig->loop, &err))
        fail_msg("%s", err.text);
    if (clock_monotonic() - since > WAIT_SECONDS)
        fail_msg("waited in vain for %s", what);
}

static const struct msg *next_message(struct rig *rig, enum msg_kind kind)
{
    while (rig->inbox_read < rig->inbox_count) {
        const struct msg *msg = rig->inbox[rig->inbox_read++];
        if (msg->kind == kind)
            return msg;
    }
    return NULL;
}

const struct msg *rig_wait(struct rig *rig, enum msg_kind kind)
{
    const struct msg *msg;
    double since = clock_monotonic();
    while (!(msg = next_message(rig, kind)))
        run_on(rig, since, msg_kind_name(kind));
    return msg;
}

const struct msg_result *rig_result(struct rig *rig, uint64_t trial)
{
    for (;; rig->results_read = 0) {
        if (!rig->results_read)
            rig->results = &rig_wait(rig, MSG_RESULTS)->results;
        while (rig->results_read < rig->results->results_count) {
            const struct msg_result *result = &rig->results->results[rig->results_read++];
            if (result->trial == trial)
                return result;
        }
    }
}

void rig_settle(struct rig *rig)
{
    size_t seen = rig->inbox_count;
    double since = clock_monotonic();
    for (int beats = 0; beats < 2; seen++) {
        while (seen == rig->inbox_count)
            run_on(rig, since, "heartbeats");
        beats += rig->inbox[seen]->kind == MSG_HEARTBEAT;
    }
}

int rig_wait_end(struct rig *rig)
{
    double since = clock_monotonic();
    while (!rig->ended)
        run_on(rig, since, "the worker's end");
    return rig->status;
}

bool rig_lives(pid_t pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state != 'Z' && state != 'X';
}

void rig_wait_gone(struct rig *rig, pid_t pid)
{
    double since = clock_monotonic();
    while (rig_lives(pid))
        run_on(rig, since, "the end of a process");
}

static void wait_file(struct rig *rig, const char *name, bool there)
{
    double since = clock_monotonic();
    char *path = path_join(rig->scratch, name);
    while (path_exists(path) != there)
        run_on(rig, since, name);
    free(path);
}

void rig_wait_file(struct rig *rig, const char *name)
{
    wait_file(rig, name, true);
}

void rig_wait_no_file(struct rig *rig, const char *name)
{
    wait_file(rig, name, false);
}

/* --- the worker's side --- */

static void on_end(void *context, int status)
{
    struct rig *rig = context;
    rig->ended = true;
    rig->status = status;
    loop_stop(rig->loop);
}

void rig_start_worker(struct rig *rig)
{
    struct err err = {""};
    rig->worker = worker_create(rig->loop, rig->links, &rig->setup, on_end, rig, &err);
    if (!rig->worker)
        fail_msg("%s", err.text);
}

void rig_start(struct rig *rig)
{
    rig_open_door(rig);
    rig_start_worker(rig);
    rig_wait(rig, MSG_OFFER);
}

double rig_value(const struct msg_result *result, const char *metric)
{
    for (uint32_t i = result->samples_count; i-- > 0;)
        if (strcmp(result->samples[i].metric, metric) == 0)
            return result->samples[i].value;
    fail_msg("the result has no '%s'", metric);
    return 0;
}

const char *rig_file(const struct rig *rig, const char *name, struct buf *out)
{
    char *path = path_join(rig->scratch, name);
    buf_clear(out);
    path_read(path, out, 1 << 20, NULL);
    free(path);
    return buf_str(out);
}
