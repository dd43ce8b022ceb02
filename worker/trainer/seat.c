/* The trainer's side of the conversation with its worker; see seat.h.
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
 * RUNs may be sent ahead; they wait here, and each is begun with its permit: its number, which is read from a pipe that
 * the worker can read as well. So what has not begun can be recalled at any time, in the middle of a
 * step too: the worker reads the permits itself. A RUN whose permit was skipped is dropped, each other one is answered
 * by one ENDED, in order. A HALT that comes too late is nothing. When the worker closes the socket the trainer ends
 * after the present step. */
#include "worker/trainer/seat.h"

#include "common/clock.h"
#include "common/frame.h"
#include "common/mem.h"
#include "common/msg_profile.h"
#include "common/threads.h"
#include "worker/trainer/rank_gang.h"

#include <math.h>
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

/* --- what goes --- */

/* The conversation is over; with a sentence when it should not be. */
static void end_talk(struct seat *seat, const struct err *err)
{
    if (err)
        seat->err = *err;
    seat->gone = true;
}

/* Sends a message, waiting as long as the worker lets us wait. */
static void send_msg(struct seat *seat, const struct msg *msg)
{
    struct pollfd writable = {.fd = seat->fd, .events = POLLOUT};
    frame_put(&seat->out, msg);
    while (seat->out.length && !seat->gone) {
        if (frame_write(seat->fd, &seat->out))
            end_talk(seat, NULL);
        else if (seat->out.length)
            poll(&writable, 1, -1);
    }
}

static void send_step(struct seat *seat, struct training *training)
{
    struct msg msg = {
        .kind = MSG_STEP,
        .step = {.resumed = training->resumed, .samples = training->samples, .samples_count = training->sample_count}};
    send_msg(seat, &msg);
    training->sample_count = 0;
}

/* The peak of a run that ends now. */
static uint64_t measure_memory(struct seat *seat, double now)
{
    struct trainer_process *process = seat->process;
    if (now - seat->begun >= peak_seconds)
        return peak_read(&process->peak);
    if (now - process->memory_at >= memory_seconds) {
        process->memory = peak_now(&process->peak);
        process->memory_at = now;
    }
    return process->memory;
}

/* What the process used since the last time is told as this run's; of steps that others took with it its share is
 * known. */
static double count_cpu(struct seat *seat)
{
    double cpu = clock_cpu(), used = cpu - seat->process->cpu;
    seat->process->cpu = cpu;
    return used + seat->shared_cpu;
}

static void add_others(struct run_counters *own, const struct run_counters *others)
{
    run_counters_add(own, others);
    own->values[COUNT_RANK_SLOWEST] = others->values[COUNT_RANK_SLOWEST];
    own->values[COUNT_RANK_MEAN] = others->values[COUNT_RANK_MEAN];
}

/* What its processes used; nothing where others ran in this one meanwhile. */
static uint32_t count_use(struct seat *seat, double now, const struct run_counters *others, struct msg_counted *out)
{
    struct run_counters own;
    uint32_t known = 0;
    if (!seat->alone || seat->overlaps != seat->process->overlaps)
        return 0;
    if (now - seat->begun < SELF_SHORTEST) {
        self_count_short(&seat->process->count, now - seat->begun);
        return 0;
    }
    self_count_end(&seat->process->count, now - seat->begun, &own);
    if (seat->opened.gang)
        add_others(&own, others);
    bool has_ranks = seat->opened.gang && seat->first->msg.run.nodes < 2; /* of several nodes nothing is known */
    seat_note_limits(seat, now - seat->begun, has_ranks ? rank_gang_ranks(seat->opened.gang) : 0, &own);
    self_count_perf(&seat->process->count, &own); /* of all ranks */
    for (uint32_t i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (run_counter_is_sane(i, own.values[i]))
            out[known++] = (struct msg_counted){i, own.values[i]};
    return known;
}

static void send_ended(struct seat *seat, const struct training *training)
{
    struct msg_phase phases[PHASES_COUNT];
    struct msg_counted counted[RUN_COUNTERS_COUNT];
    struct run_counters others;
    struct msg_operation operations[OPERATIONS_COUNT];
    double now = clock_monotonic(), others_cpu = 0;
    uint64_t others_memory = 0;
    if (seat->opened.gang)
        rank_gang_take_use(seat->opened.gang, &others_cpu, &others_memory, &others);
    struct msg msg = {.kind = MSG_ENDED,
                      .ended = {.ending = training->ending,
                                .detail = training->detail.text,
                                .resumed = training->resumed,
                                .begun = seat->begun,
                                .seconds = now - seat->begun,
                                .launch = training->launch,
                                .cpu_seconds = count_cpu(seat) + others_cpu,
                                .peak_memory = measure_memory(seat, now) + others_memory,
                                .samples = training->samples,
                                .samples_count = training->sample_count,
                                .phases = phases,
                                .phases_count = msg_phases_make(training->report.phases, phases),
                                .operations = operations,
                                .counted = counted,
                                .operations_count = msg_operations_make(training->report.operations, operations)}};
    msg.ended.counted_count = count_use(seat, now, &others, counted);
    send_msg(seat, &msg);
}

/* --- what comes --- */

/* In this process, or in as many as the task says. */
static int open_ranks(struct seat *seat, const char *places, struct err *err)
{
    struct opened_kernel *opened = &seat->opened;
    struct gang_setup setup = {
        .kernel = opened->kernel, .ranks = seat->task.ranks, .places = places, .socket = seat->fd};
    if (setup.ranks > 1 || seat->task.nodes > 1)
        return rank_gang_open(opened, &setup, &seat->kernel_task, err);
    return opened->kernel->open(&seat->kernel_task, &opened->self, err);
}

/* Opens the kernel of the task; -1 with a sentence. */
static int open_kernel(struct seat *seat, const struct msg_setup *setup, struct err *err)
{
    struct opened_kernel *opened = &seat->opened;
    struct task *task = &seat->task;
    if (task_read(setup->task, task, err) || threads_check(setup->threads > 1 ? setup->threads - 1 : 0, err))
        return -1;
    opened->kernel = task->kernel ? kernel_find(task->kernel) : NULL;
    if (!opened->kernel)
        return err_set(err, "there is no kernel '%s'; gannet kernels lists them", task->kernel ? task->kernel : "");
    opened->metric = task->metric;
    seat->training.choice = operation_choice_read(task->profile);
    seat->kernel_task = (struct kernel_task){
        .options = task->options, .base = task->base, .metric = task->metric, .threads = (int)setup->threads};
    if (seat->process->opened.kernel == opened->kernel && opened->kernel->fusion) {
        opened->self = opened->kernel->fusion->join(seat->process->opened.self);
        return 0;
    }
    if (open_ranks(seat, setup->places, err) == 0) {
        seat->process->opened = *opened;
        return 0;
    }
    opened->kernel = NULL;
    return -1;
}

static void take_setup(struct seat *seat, const struct msg_setup *setup)
{
    limits_watch_open(&seat->process->limits, (int)setup->threads);
    double then = clock_monotonic();
    if (open_kernel(seat, setup, &seat->trouble) == 0)
        seat->trouble.text[0] = '\0'; /* it can train, whatever it had to do without */
    struct msg ready = {.kind = MSG_READY,
                        .ready = {.memory = peak_now(&seat->process->peak),
                                  .opening = clock_monotonic() - then,
                                  .trouble = seat->trouble.text}};
    send_msg(seat, &ready);
}

static void take_run(struct seat *seat, struct msg *msg)
{
    struct waiting *waiting = MEM_NEW(struct waiting);
    waiting->msg = *msg;
    *msg = (struct msg){0};
    *seat->last = waiting;
    seat->last = &waiting->next;
}

static void drop_first(struct seat *seat)
{
    struct waiting *first = seat->first;
    seat->first = first->next;
    if (!seat->first)
        seat->last = &seat->first;
    msg_fini(&first->msg);
    free(first);
}

static void take_halt(struct seat *seat, const struct msg_halt *halt)
{
    for (struct waiting *waiting = seat->first; waiting; waiting = waiting->next)
        if (waiting->msg.run.trial == halt->trial && waiting->msg.run.attempt == halt->attempt) {
            waiting->halted = true;
            waiting->keep = halt->keep;
        }
}

static void take_msg(struct seat *seat, struct msg *msg)
{
    struct err err;
    if (msg->kind == MSG_SETUP && !seat->task.json) {
        take_setup(seat, &msg->setup);
    } else if (msg->kind == MSG_RUN) {
        take_run(seat, msg);
    } else if (msg->kind == MSG_HALT) {
        take_halt(seat, &msg->halt);
    } else {
        err_write(&err, "a worker does not say %s%s", msg_kind_name(msg->kind), msg->kind == MSG_SETUP ? " twice" : "");
        end_talk(seat, &err);
    }
}

void seat_receive(struct seat *seat)
{
    struct msg msg;
    struct err err;
    int result = frame_read(seat->fd, &seat->in);
    if (result < 0)
        end_talk(seat, NULL);
    while (!seat->gone && (result = frame_take(&seat->in, &msg, &err)) > 0) {
        take_msg(seat, &msg);
        msg_fini(&msg);
    }
    if (!seat->gone && result < 0)
        end_talk(seat, &err);
}

/* --- running --- */

/* Between two steps: sends what has gathered, and looks whether the run is to end. */
static bool halt_training(void *context, struct training *training)
{
    struct seat *seat = context;
    double now = clock_monotonic();
    if (training->sample_count && (now - seat->sent >= send_seconds || training->sample_count >= SEND_SAMPLES)) {
        send_step(seat, training);
        seat->sent = now;
    }
    if (now - seat->looked >= halt_seconds) {
        struct pollfd readable = {.fd = seat->fd, .events = POLLIN};
        if (poll(&readable, 1, 0) > 0)
            seat_receive(seat);
        seat->looked = now;
    }
    training->goes_on = seat->first->keep;
    return seat->gone || seat->first->halted;
}

/* Begins the configuration of a RUN; whether it has a step to take. */
static bool begin_params(struct seat *seat, const struct msg_run *msg)
{
    json_error_t where;
    seat->params = json_loads(msg->params, 0, &where);
    seat->trial =
        (struct kernel_trial){.number = msg->trial, .attempt = msg->attempt, .seed = msg->seed, .params = seat->params};
    seat->training.plan = (struct training_plan){.checkpoint = msg->checkpoint,
                                                 .origin = msg->origin,
                                                 .until = msg->until,
                                                 .reached = msg->reached,
                                                 .known = msg->known,
                                                 .fresh = msg->attempt == 1 && !msg->reached,
                                                 .keep = msg->keep,
                                                 .most = seat->task.max_steps};
    if (json_is_object(seat->params))
        return training_begin(&seat->training, &seat->opened, &seat->trial);
    training_refuse(&seat->training, ENDING_BAD_CONFIG, "the configuration is no JSON object");
    return false;
}

/* While other nodes are waited for. */
static bool is_halted(void *context)
{
    struct seat *seat = context;
    struct pollfd readable = {.fd = seat->fd, .events = POLLIN};
    if (poll(&readable, 1, 0) > 0)
        seat_receive(seat);
    return seat->gone || seat->first->halted;
}

/* A run on several nodes: on node 0 it begins as any other once all are there, on the others all of it is done here. */
static bool begin_nodes(struct seat *seat, const struct msg_run *msg)
{
    struct gang_nodes nodes = {.node = msg->node,
                               .nodes = msg->nodes,
                               .meeting = msg->meeting,
                               .port = (uint16_t)msg->port,
                               .ports = seat->task.ports,
                               .hosts = msg->hosts,
                               .trial = msg->trial,
                               .attempt = msg->attempt,
                               .is_halted = is_halted,
                               .context = seat};
    struct err err;
    int result = rank_gang_enter(seat->opened.gang, &nodes, &err);
    if (result == 0 && !msg->node)
        return begin_params(seat, msg);
    if (result == 0)
        rank_gang_follow(seat->opened.gang);
    training_refuse(&seat->training,
                    result == 0             ? ENDING_COMPLETED
                    : result == GANG_HALTED ? ENDING_STOPPED_EARLY
                                            : ENDING_NOT_STARTED,
                    result == 0             ? ""
                    : result == GANG_HALTED ? "halted before its first step"
                                            : err.text);
    return false;
}

/* The peak is measured anew, unless others run, whose peak it is as well. */
static void begin_peak(struct seat *seat, double now)
{
    struct trainer_process *process = seat->process;
    if (process->running || now - process->peak_from < peak_seconds)
        return;
    peak_reset(&process->peak);
    process->peak_from = now;
}

static void begin_count(struct seat *seat, double now)
{
    struct trainer_process *process = seat->process;
    seat->alone = !process->running;
    process->overlaps += process->running > 0;
    seat->overlaps = process->overlaps;
    if (seat->alone)
        self_count_begin(&process->count, now);
}

static bool begin_first(struct seat *seat)
{
    double now = clock_monotonic();
    begin_peak(seat, now);
    seat->begun = seat->sent = seat->looked = now;
    begin_count(seat, now);
    seat->shared_cpu = 0;
    if (seat->first->halted)
        training_refuse(&seat->training, ENDING_STOPPED_EARLY, "halted before its first step");
    else if (!seat->opened.kernel)
        training_refuse(&seat->training, ENDING_BAD_CONFIG, seat->trouble.text);
    else if (seat->opened.gang && seat->first->msg.run.nodes > 1)
        return begin_nodes(seat, &seat->first->msg.run);
    else
        return begin_params(seat, &seat->first->msg.run);
    return false;
}

void seat_end_run(struct seat *seat)
{
    training_end(&seat->training);
    rank_gang_leave(seat->opened.gang);
    json_decref(seat->params);
    seat->params = NULL;
    double before = seat->process->cpu;
    send_ended(seat, &seat->training);
    drop_first(seat);
    seat_look_at_limits(seat, seat->process->cpu - before);
    seat->process->running -= seat->running;
    seat->running = false;
}

/* Takes the next permit, if there is one. */
static bool read_permit(struct seat *seat)
{
    uint64_t permit;
    bool is_there = read(seat->permits, &permit, sizeof permit) == (ssize_t)sizeof permit;
    seat->permit = is_there ? permit : seat->permit;
    return is_there;
}

bool seat_attend(struct seat *seat)
{
    while (seat->first && !seat->gone) {
        uint64_t permit = seat->first->msg.run.permit;
        if (permit && permit > seat->permit && !read_permit(seat))
            return false;
        if (permit && permit > seat->permit)
            continue;
        if (permit && permit < seat->permit) {
            drop_first(seat);
            continue;
        }
        seat->running = begin_first(seat);
        seat->process->running += seat->running;
        if (seat->running)
            return true;
        seat_end_run(seat);
    }
    return false;
}

void seat_init(struct seat *seat, struct trainer_process *process, int fd, int permits)
{
    *seat = (struct seat){.process = process, .fd = fd, .permits = permits};
    seat->last = &seat->first;
    seat->training.halt = halt_training;
    seat->training.context = seat;
    err_write(&seat->trouble, "the worker sent no SETUP");
}

/* What others joined stays open. */
void seat_fini(struct seat *seat)
{
    if (seat->running) {
        training_end(&seat->training);
        rank_gang_leave(seat->opened.gang);
    }
    seat->process->running -= seat->running;
    json_decref(seat->params);
    while (seat->first)
        drop_first(seat);
    if (seat->opened.kernel && seat->opened.self != seat->process->opened.self)
        seat->opened.kernel->close(seat->opened.self);
    if (seat->opened.kernel && seat->opened.self == seat->process->opened.self)
        seat->process->task = seat->task;
    else
        task_fini(&seat->task);
    training_fini(&seat->training);
    buf_fini(&seat->in);
    buf_fini(&seat->out);
}

void trainer_process_open(struct trainer_process *process)
{
    *process = (struct trainer_process){0};
    peak_open(&process->peak);
    self_count_open(&process->count);
}

void trainer_process_close(struct trainer_process *process)
{
    if (process->opened.kernel)
        process->opened.kernel->close(process->opened.self);
    task_fini(&process->task);
    peak_close(&process->peak);
    self_count_fini(&process->count);
}
