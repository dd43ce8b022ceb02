/* A worker and a made-up coordinator; see worker_harness.h. */
#include "tests/worker_harness.h"
#include "common/clock.h"
#include "common/lock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"
#include "tests/fake_trainer.h"
#include "tests/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MACHINE      "tests/worker/topologies/plain.xml"
#define WAIT_SECONDS 300.0 /* what does not come by then does not come; valgrind makes everything slow */
#define GLANCE       0.01  /* between two looks at something that sends no message */

static char *own_program; /* set once, by harness_main */

int harness_main(int count, char **words, int (*tests)(void))
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

static int make_keys(struct harness *harness)
{
    struct err err;
    char *file = mem_format("%s/keys/worker.key", harness->scratch);
    free(scratch_file(harness->scratch, "keys/none", ""));
    int failed = keys_make(&harness->keys, &err) || keys_make(&harness->worker_keys, &err) ||
                 keys_write(file, &harness->worker_keys, &err);
    free(file);
    return failed;
}

/* As scheduler/rundir/lock.c does. */
static int take_lock(struct harness *harness)
{
    char text[LOCK_TEXT], node[NODE_SIZE];
    char *file = scratch_file(harness->scratch, "coordinator.lock", lock_text((int)getpid(), node_name(node), text));
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    harness->lock = open(file, O_RDWR | O_CLOEXEC);
    free(file);
    return harness->lock < 0 ? -1 : fcntl(harness->lock, F_OFD_SETLK, &whole);
}

int enter_harness(void **state)
{
    struct harness *harness = MEM_NEW(struct harness);
    struct err err;
    harness->scratch = scratch_make();
    harness->loop = loop_create();
    harness->links = link_context_create(&err);
    assert_non_null(harness->links);
    harness->trainer[0] = own_program;
    harness->trainer[1] = "fake-trainer";
    harness->setup = (struct agent_setup){.rundir = harness->scratch,
                                          .trainer = harness->trainer,
                                          .source = {.machine = MACHINE},
                                          .part = 1,
                                          .parts = 1,
                                          .give_up = 120};
    harness->task = (struct harness_task){.grace = 60};
    harness->heartbeat = 0.1;
    harness->silence = 30;
    harness->glance = loop_timer(harness->loop, GLANCE, glance, harness);
    *state = harness;
    return make_keys(harness) || take_lock(harness);
}

int leave_harness(void **state)
{
    struct harness *harness = *state;
    agent_destroy(harness->worker);
    harness_close_listener(harness);
    link_context_destroy(harness->links);
    loop_destroy(harness->loop);
    for (size_t i = 0; i < harness->inbox_count; i++) {
        msg_fini(harness->inbox[i]);
        free(harness->inbox[i]);
    }
    free(harness->inbox);
    close(harness->lock);
    scratch_remove(harness->scratch);
    free(harness);
    return 0;
}

/* --- the coordinator's side --- */

/* A worker that has left hears no more: what it said last may be read, and answered, after that. */
void harness_send(struct harness *harness, const struct msg *msg)
{
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    enum link_result result = link_send(harness->listener, harness->peer, bytes.data, bytes.length);
    if (result != LINK_OK && result != LINK_GONE)
        harness->unsent = msg_kind_name(msg->kind);
    buf_fini(&bytes);
}

static char *task_text(const struct harness *harness)
{
    const struct harness_task *task = &harness->task;
    struct buf text = {0};
    buf_format(
        &text,
        "{\"experiment\":\"e\",\"directory\":\"%s\",\"base\":\"%s\",\"workdir\":\"%s\",\"metric\":\"value\","
        "\"metrics\":[\"value\",\"other\"],\"trial_time\":%f,\"grace\":%f,\"resources\":{\"nodes\":%d,\"cpus\":%d,"
        "\"sockets\":0,\"gpus\":0,\"memory\":%llu,\"bind\":\"none\"}",
        harness->scratch, harness->scratch, harness->scratch, task->trial_time, task->grace,
        task->nodes ? task->nodes : 1, task->cpus ? task->cpus : 4, (unsigned long long)task->memory);
    buf_format(&text, task->command ? ",\"command\":%s" : ",\"kernel\":\"fake\"", task->command);
    if (task->ports.last)
        buf_format(&text, ",\"first_port\":%u,\"last_port\":%u", task->ports.first, task->ports.last);
    if (task->options)
        buf_format(&text, ",\"options\":%s", task->options);
    if (task->env)
        buf_format(&text, ",\"env\":%s", task->env);
    if (task->checkpoint)
        buf_text(&text, ",\"checkpoint\":true");
    if (task->metrics_file)
        buf_format(&text, ",\"metrics_file\":\"%s\"", task->metrics_file);
    if (task->max_steps)
        buf_format(&text, ",\"max_steps\":%llu", (unsigned long long)task->max_steps);
    if (task->signal)
        buf_format(&text, ",\"signal\":\"%s\"", task->signal);
    buf_text(&text, "}");
    return buf_take(&text);
}

void harness_welcome(struct harness *harness)
{
    char *task = task_text(harness);
    struct msg msg = {
        .kind = MSG_WELCOME,
        .welcome = {.session = 1, .task = task, .heartbeat = harness->heartbeat, .silence = harness->silence}};
    harness_send(harness, &msg);
    free(task);
}

static void lease(struct harness *harness, uint64_t trial, uint32_t attempt, uint32_t slot, const char *params)
{
    struct msg_lease one = {.trial = trial, .attempt = attempt, .slot = slot, .seed = 7, .params = params};
    struct msg msg = {.kind = MSG_LEASES, .leases = {harness->deadline, &one, 1}};
    harness_send(harness, &msg);
}

void harness_lease(struct harness *harness, uint64_t trial, uint32_t attempt, const char *params)
{
    lease(harness, trial, attempt, 0, params);
}

void harness_lease_slot(struct harness *harness, uint64_t trial, uint32_t slot, const char *params)
{
    lease(harness, trial, 1, slot, params);
}

void harness_stop_run(struct harness *harness, uint64_t trial, enum ending ending)
{
    struct msg msg = {.kind = MSG_STOP_RUN, .stop_run = {.trial = trial, .attempt = 1, .ending = ending}};
    harness_send(harness, &msg);
}

void harness_ack(struct harness *harness, uint64_t trial, uint32_t attempt, uint32_t samples, bool ended)
{
    struct msg_ack ack = {.trial = trial, .attempt = attempt, .samples = samples, .ended = ended};
    struct msg msg = {.kind = MSG_ACKS, .acks = {.acks = &ack, .acks_count = 1}};
    harness_send(harness, &msg);
}

void harness_drain(struct harness *harness, bool now)
{
    struct msg msg = {.kind = MSG_DRAIN, .drain = {.now = now, .why = "enough"}};
    harness_send(harness, &msg);
}

/* What a coordinator answers by itself. */
static void answer(struct harness *harness, const struct msg *msg)
{
    struct msg heard = {.kind = MSG_HEARD}, who = {.kind = MSG_WHO, .who = {.session = 1}};
    harness->introduced |= msg->kind == MSG_HELLO;
    if (!harness->introduced)
        harness_send(harness, &who);
    if (msg->kind == MSG_HELLO && !harness->mute)
        harness_welcome(harness);
    if (msg->kind == MSG_HEARTBEAT && !harness->mute)
        harness_send(harness, &heard);
    for (uint32_t i = 0; msg->kind == MSG_RESULTS && !harness->keep_acks && i < msg->results.results_count; i++) {
        const struct msg_result *result = &msg->results.results[i];
        harness_ack(harness, result->trial, result->attempt, result->first + result->samples_count, true);
    }
}

static void receive(void *context)
{
    struct harness *harness = context;
    struct buf bytes = {0};
    struct err err = {""};
    uint64_t peer;
    while (link_receive(harness->listener, &peer, &bytes) == LINK_OK) {
        harness->peer = peer;
        struct msg *msg = MEM_NEW(struct msg);
        MEM_GROW(harness->inbox, harness->inbox_capacity, harness->inbox_count + 1);
        harness->inbox[harness->inbox_count++] = msg;
        if (msg_decode(msg, bytes.data, bytes.length, &err))
            snprintf(harness->unread, sizeof harness->unread, "%s", err.text);
        else
            answer(harness, msg);
    }
    buf_fini(&bytes);
    loop_stop(harness->loop);
}

static void announce(struct harness *harness, const char *endpoint)
{
    char node[NODE_SIZE], host[NODE_SIZE];
    char *text = mem_format("{\"node\":\"%s\",\"host\":\"%s\",\"pid\":%d,\"session\":1,\"workers\":\"%s\","
                            "\"control\":\"\",\"public_key\":\"%s\",\"exclusive\":false}",
                            node_name(node), node_host(host), (int)getpid(), endpoint, harness->keys.public);
    free(scratch_file(harness->scratch, "coordinator.json", text));
    free(text);
    harness->listener_in = loop_link(harness->loop, harness->listener, receive, harness);
    harness->introduced = false;
}

void harness_open_listener(struct harness *harness)
{
    struct err err = {""};
    const char *name = harness->listener_name ? harness->listener_name : "workers";
    const char *allowed = harness->worker_keys.public;
    char *endpoint = strncmp(name, "tcp:", 4) ? mem_format("ipc://%s/%s", harness->scratch, name) : mem_text(name);
    harness->listener = link_bind(harness->links, endpoint, &harness->keys, &allowed, 1, &err);
    if (!harness->listener)
        fail_msg("%s", err.text);
    announce(harness, link_endpoint(harness->listener));
    free(endpoint);
}

void harness_close_listener(struct harness *harness)
{
    loop_remove(harness->listener_in);
    link_close(harness->listener);
    harness->listener_in = NULL;
    harness->listener = NULL;
}

/* --- waiting --- */

/* Lets whoever waits look around now and then. */
static void glance(void *context)
{
    struct harness *harness = context;
    loop_move(harness->glance, GLANCE);
    loop_stop(harness->loop);
}

/* Runs the loop for a glance, or until something comes; fails the test when that has gone on for too long. */
static void run_on(struct harness *harness, double since, const char *what)
{
    struct err err = {""};
    if (loop_run(harness->loop, &err))
        fail_msg("%s", err.text);
    if (*harness->unread)
        fail_msg("the worker sent what can't be read: %s", harness->unread);
    if (harness->unsent)
        fail_msg("%s could not be sent to the worker", harness->unsent);
    if (clock_monotonic() - since > WAIT_SECONDS)
        fail_msg("waited in vain for %s", what);
}

static const struct msg *next_message(struct harness *harness, enum msg_kind kind)
{
    while (harness->inbox_read < harness->inbox_count) {
        const struct msg *msg = harness->inbox[harness->inbox_read++];
        if (msg->kind == kind)
            return msg;
    }
    return NULL;
}

const struct msg *harness_wait(struct harness *harness, enum msg_kind kind)
{
    const struct msg *msg;
    double since = clock_monotonic();
    while (!(msg = next_message(harness, kind)))
        run_on(harness, since, msg_kind_name(kind));
    return msg;
}

const struct msg_result *harness_result(struct harness *harness, uint64_t trial)
{
    for (;; harness->results_read = 0) {
        if (!harness->results_read)
            harness->results = &harness_wait(harness, MSG_RESULTS)->results;
        while (harness->results_read < harness->results->results_count) {
            const struct msg_result *result = &harness->results->results[harness->results_read++];
            if (result->trial == trial)
                return result;
        }
    }
}

void harness_settle(struct harness *harness)
{
    size_t seen = harness->inbox_count;
    double since = clock_monotonic();
    for (int beats = 0; beats < 2; seen++) {
        while (seen == harness->inbox_count)
            run_on(harness, since, "heartbeats");
        beats += harness->inbox[seen]->kind == MSG_HEARTBEAT;
    }
}

int harness_wait_end(struct harness *harness)
{
    double since = clock_monotonic();
    while (!harness->ended)
        run_on(harness, since, "the worker's end");
    return harness->status;
}

bool harness_lives(pid_t pid)
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

void harness_wait_gone(struct harness *harness, pid_t pid)
{
    double since = clock_monotonic();
    while (harness_lives(pid))
        run_on(harness, since, "the end of a process");
}

void harness_wait_file(struct harness *harness, const char *name)
{
    double since = clock_monotonic();
    char *path = path_join(harness->scratch, name);
    while (!path_exists(path))
        run_on(harness, since, name);
    free(path);
}

/* --- the worker's side --- */

static void on_end(void *context, int status)
{
    struct harness *harness = context;
    harness->ended = true;
    harness->status = status;
    loop_stop(harness->loop);
}

void harness_start_worker(struct harness *harness)
{
    struct err err = {""};
    harness->worker = agent_create(harness->loop, harness->links, &harness->setup, on_end, harness, &err);
    if (!harness->worker)
        fail_msg("%s", err.text);
}

void harness_start(struct harness *harness)
{
    harness_open_listener(harness);
    harness_start_worker(harness);
    harness_wait(harness, MSG_OFFER);
}

void harness_assert_ending(const struct msg_result *result, enum ending ending)
{
    if (result->ending != ending)
        fail_msg("%s: %s, not %s", ending_name((enum ending)result->ending), result->detail, ending_name(ending));
}

double harness_value(const struct msg_result *result, const char *metric)
{
    for (uint32_t i = result->samples_count; i-- > 0;)
        if (strcmp(result->samples[i].metric, metric) == 0)
            return result->samples[i].value;
    fail_msg("the result has no '%s'", metric);
    return 0;
}

const char *harness_file(const struct harness *harness, const char *name, struct buf *out)
{
    char *path = path_join(harness->scratch, name);
    buf_clear(out);
    path_read(path, out, 1 << 20, NULL);
    free(path);
    return buf_str(out);
}
