/* The trainer's side of the conversation with its worker; see serve.h.
 *
 *     worker                                trainer
 *     SETUP (task, threads)      ------->   opens the kernel: loads the data, once
 *                                <-------   READY (trouble: it can't; every RUN then ends as bad_config)
 *     RUN (trial, configuration) ------->
 *                                <-------   STEP (metrics), only of a run that lasts
 *     HALT (trial)               ------->   looked for after each step
 *                                <-------   ENDED (ending, the other metrics, profile)
 *     RUN ...
 *
 * RUNs may be sent ahead; they wait here, and each is begun with its permit: its number, which is read from descriptor
 * 0, a pipe that the worker can read as well. So what has not begun can be recalled at any time, in the middle of a
 * step too: the worker reads the permits itself. A RUN whose permit was skipped is dropped, each other one is answered
 * by one ENDED, in order. A HALT that comes too late is nothing. When the worker closes the socket the trainer ends
 * after the present step. */
#include "worker/trainer/serve.h"

#include "common/clock.h"
#include "common/frame.h"
#include "common/mem.h"
#include "common/task.h"
#include "common/threads.h"
#include "worker/trainer/gang.h"
#include "worker/trainer/peak.h"
#include "worker/trainer/training.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Metrics are sent when the run has lasted so long since the last time, or when so many have gathered; HALT is looked
 * for that often. A run of a few milliseconds costs one read and one write in all. */
static const double send_seconds = 0.2, halt_seconds = 1e-3;
enum { SEND_SAMPLES = 10000 };

/* A run shorter than this reports the memory that was there a moment ago for its peak, and the peak of a longer one may
 * be that of a run just before it: asking the system takes longer than a short run. */
static const double peak_seconds = 10e-3, memory_seconds = 1e-3;

/* A RUN that waits. */
struct waiting {
    struct waiting *next;
    struct msg msg;
    bool halted, keep; /* its HALT came, and wants a checkpoint */
};

struct server {
    int fd;
    struct buf in, out;
    bool gone; /* the worker closed the socket, or err is set */
    struct err err;

    struct task task;
    struct kernel_task kernel_task;
    struct opened_kernel opened; /* kernel NULL: none, `trouble` says why */
    struct err trouble;

    struct waiting *first, **last; /* RUNs, the present one first */
    uint64_t permit;               /* the last that was read */
    struct training training;
    struct peak peak;
    uint64_t memory;  /* bytes resident when that was last asked */
    double memory_at; /* clock_monotonic() of that, */
    double peak_from; /* of the moment since which the peak is measured, */
    double begun;     /* of the beginning of the run, */
    double sent;      /* of the last STEP, */
    double looked;    /* and of the last look for HALT */
    double cpu;       /* processor time that was told */
};

/* --- what goes --- */

/* The conversation is over; with a sentence when it should not be. */
static void end_server(struct server *server, const struct err *err)
{
    if (err)
        server->err = *err;
    server->gone = true;
}

/* Sends a message, waiting as long as the worker lets us wait. */
static void send_msg(struct server *server, const struct msg *msg)
{
    struct pollfd writable = {.fd = server->fd, .events = POLLOUT};
    frame_put(&server->out, msg);
    while (server->out.length && !server->gone) {
        if (frame_write(server->fd, &server->out))
            end_server(server, NULL);
        else if (server->out.length)
            poll(&writable, 1, -1);
    }
}

static void send_step(struct server *server, struct training *training)
{
    struct msg msg = {
        .kind = MSG_STEP,
        .step = {.resumed = training->resumed, .samples = training->samples, .samples_count = training->sample_count}};
    send_msg(server, &msg);
    training->sample_count = 0;
}

/* The peak of a run that ends now. */
static uint64_t measure_memory(struct server *server, double now)
{
    if (now - server->begun >= peak_seconds)
        return peak_read(&server->peak);
    if (now - server->memory_at >= memory_seconds) {
        server->memory = peak_now(&server->peak);
        server->memory_at = now;
    }
    return server->memory;
}

static void send_ended(struct server *server, const struct training *training)
{
    struct msg_phase phases[PHASES_COUNT];
    double now = clock_monotonic(), cpu = clock_cpu(), others_cpu = 0;
    uint64_t others_memory = 0;
    if (server->opened.gang)
        gang_used(server->opened.gang, &others_cpu, &others_memory);
    struct msg msg = {.kind = MSG_ENDED,
                      .ended = {.ending = training->ending,
                                .detail = training->detail.text,
                                .resumed = training->resumed,
                                .begun = server->begun,
                                .seconds = now - server->begun,
                                .launch = training->launch,
                                .cpu_seconds = cpu - server->cpu + others_cpu,
                                .peak_memory = measure_memory(server, now) + others_memory,
                                .samples = training->samples,
                                .samples_count = training->sample_count,
                                .phases = phases}};
    for (uint32_t i = 0; i < PHASES_COUNT; i++) {
        const struct phase_time *time = &training->report.phases[i];
        if (time->count)
            phases[msg.ended.phases_count++] = (struct msg_phase){i, time->seconds, time->count, time->min, time->max};
    }
    server->cpu = cpu;
    send_msg(server, &msg);
}

/* --- what comes --- */

/* In this process, or in as many as the task says. */
static int open_ranks(struct server *server, const char *places, struct err *err)
{
    struct opened_kernel *opened = &server->opened;
    struct gang_setup setup = {
        .kernel = opened->kernel, .ranks = server->task.ranks, .places = places, .socket = server->fd};
    if (setup.ranks > 1)
        return gang_open(opened, &setup, &server->kernel_task, err);
    return opened->kernel->open(&server->kernel_task, &opened->self, err);
}

/* Opens the kernel of the task; -1 with a sentence. */
static int open_kernel(struct server *server, const struct msg_setup *setup, struct err *err)
{
    struct opened_kernel *opened = &server->opened;
    struct task *task = &server->task;
    if (task_read(setup->task, task, err) || threads_check(setup->threads > 1 ? setup->threads - 1 : 0, err))
        return -1;
    opened->kernel = task->kernel ? kernel_find(task->kernel) : NULL;
    if (!opened->kernel)
        return err_set(err, "there is no kernel '%s'; gannet kernels lists them", task->kernel ? task->kernel : "");
    opened->metric = task->metric;
    server->kernel_task = (struct kernel_task){
        .options = task->options, .base = task->base, .metric = task->metric, .threads = (int)setup->threads};
    if (open_ranks(server, setup->places, err) == 0)
        return 0;
    opened->kernel = NULL;
    return -1;
}

static void take_setup(struct server *server, const struct msg_setup *setup)
{
    server->trouble.text[0] = '\0';
    open_kernel(server, setup, &server->trouble);
    struct msg ready = {.kind = MSG_READY,
                        .ready = {.memory = peak_now(&server->peak), .trouble = server->trouble.text}};
    send_msg(server, &ready);
}

static void take_run(struct server *server, struct msg *msg)
{
    struct waiting *waiting = MEM_NEW(struct waiting);
    waiting->msg = *msg;
    *msg = (struct msg){0};
    *server->last = waiting;
    server->last = &waiting->next;
}

static void drop_first(struct server *server)
{
    struct waiting *first = server->first;
    server->first = first->next;
    if (!server->first)
        server->last = &server->first;
    msg_fini(&first->msg);
    free(first);
}

static void take_halt(struct server *server, const struct msg_halt *halt)
{
    for (struct waiting *waiting = server->first; waiting; waiting = waiting->next)
        if (waiting->msg.run.trial == halt->trial && waiting->msg.run.attempt == halt->attempt) {
            waiting->halted = true;
            waiting->keep = halt->keep;
        }
}

static void take_msg(struct server *server, struct msg *msg)
{
    struct err err;
    if (msg->kind == MSG_SETUP && !server->task.json) {
        take_setup(server, &msg->setup);
    } else if (msg->kind == MSG_RUN) {
        take_run(server, msg);
    } else if (msg->kind == MSG_HALT) {
        take_halt(server, &msg->halt);
    } else {
        err_write(&err, "a worker does not say %s%s", msg_kind_name(msg->kind), msg->kind == MSG_SETUP ? " twice" : "");
        end_server(server, &err);
    }
}

/* Waits for something and takes it. */
static void receive_orders(struct server *server)
{
    struct msg msg;
    struct err err;
    int result = frame_read(server->fd, &server->in);
    if (result < 0)
        end_server(server, NULL);
    while (!server->gone && (result = frame_take(&server->in, &msg, &err)) > 0) {
        take_msg(server, &msg);
        msg_fini(&msg);
    }
    if (!server->gone && result < 0)
        end_server(server, &err);
}

/* --- running --- */

/* Between two steps: sends what has gathered, and looks whether the run is to end. */
static bool halt_training(void *context, struct training *training)
{
    struct server *server = context;
    double now = clock_monotonic();
    if (training->sample_count && (now - server->sent >= send_seconds || training->sample_count >= SEND_SAMPLES)) {
        send_step(server, training);
        server->sent = now;
    }
    if (now - server->looked >= halt_seconds) {
        struct pollfd readable = {.fd = server->fd, .events = POLLIN};
        if (poll(&readable, 1, 0) > 0)
            receive_orders(server);
        server->looked = now;
    }
    training->goes_on = server->first->keep;
    return server->gone || server->first->halted;
}

/* Runs the configuration of a RUN. */
static void run_params(struct server *server, const struct msg_run *msg)
{
    json_error_t where;
    json_t *params = json_loads(msg->params, 0, &where);
    struct kernel_trial trial = {.number = msg->trial, .attempt = msg->attempt, .seed = msg->seed, .params = params};
    server->training.plan = (struct training_plan){.checkpoint = msg->checkpoint,
                                                   .origin = msg->origin,
                                                   .until = msg->until,
                                                   .reached = msg->reached,
                                                   .known = msg->known,
                                                   .fresh = msg->attempt == 1 && !msg->reached,
                                                   .keep = msg->keep,
                                                   .most = server->task.max_steps};
    if (json_is_object(params))
        training_run(&server->training, &server->opened, &trial);
    else
        training_refuse(&server->training, ENDING_BAD_CONFIG, "the configuration is no JSON object");
    json_decref(params);
}

static void run_first(struct server *server)
{
    double now = clock_monotonic();
    if (now - server->peak_from >= peak_seconds) {
        peak_reset(&server->peak);
        server->peak_from = now;
    }
    server->begun = server->sent = server->looked = now;
    if (server->first->halted)
        training_refuse(&server->training, ENDING_STOPPED_EARLY, "halted before its first step");
    else if (!server->opened.kernel)
        training_refuse(&server->training, ENDING_BAD_CONFIG, server->trouble.text);
    else
        run_params(server, &server->first->msg.run);
    send_ended(server, &server->training);
    drop_first(server);
}

/* Waits for a permit, or for what the worker says. */
static void await_permit(struct server *server)
{
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = server->fd, .events = POLLIN}};
    uint64_t permit;
    if (read(STDIN_FILENO, &permit, sizeof permit) == (ssize_t)sizeof permit)
        server->permit = permit;
    else if (poll(ready, 2, -1) > 0 && ready[1].revents)
        receive_orders(server);
}

/* The first RUN that waits: begins it, drops it, or waits for its permit. */
static void attend_first(struct server *server)
{
    uint64_t permit = server->first->msg.run.permit;
    if (!permit || permit == server->permit)
        run_first(server);
    else if (permit < server->permit)
        drop_first(server);
    else
        await_permit(server);
}

static void fini_server(struct server *server)
{
    while (server->first)
        drop_first(server);
    if (server->opened.kernel)
        server->opened.kernel->close(server->opened.self);
    task_fini(&server->task);
    training_fini(&server->training);
    peak_close(&server->peak);
    buf_fini(&server->in);
    buf_fini(&server->out);
}

int serve_runs(int fd, struct err *err)
{
    struct server server = {.fd = fd};
    server.last = &server.first;
    server.training.halt = halt_training;
    server.training.context = &server;
    err_write(&server.trouble, "the worker sent no SETUP");
    peak_open(&server.peak);
    while (!server.gone) {
        if (server.first)
            attend_first(&server);
        else
            receive_orders(&server);
    }
    fini_server(&server);
    return server.err.text[0] ? err_set(err, "%s", server.err.text) : 0;
}
