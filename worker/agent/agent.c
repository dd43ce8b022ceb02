/* The agent as a whole: made, driven by the loop, ended. Its stages:
 *
 *     WORKING    while the coordinator is there: takes LEASES, tells samples and results, HEARTBEAT every so often
 *     LEAVING    begins nothing; when all is told and acknowledged, or time is up, says GOODBYE
 *     OVER       waits for its destruction
 *
 * What it hears (talk.c finds the coordinator, and says HELLO until WELCOME comes):
 *
 *     WELCOME    brings the task: makes the slots, answers with OFFER: the slots, and the runs held from before
 *     STOP_RUN   ends a run, or drops a lease; one that we don't have is no error
 *     DRAIN      nothing new: what has not begun goes back; `now`: what runs is ended as cancelled. Then GOODBYE
 *     REFUSED    ends the agent
 *
 * Anything may come twice, late, or never. A lease that is here already is the same lease. */
#include "worker/agent/agent.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/proc.h"
#include "common/reaper.h"
#include "common/rng.h"
#include "common/units.h"
#include "worker/agent/slot_set.h"
#include "worker/agent/slot_claim.h"
#include "worker/hardware/cgroup.h"
#include "worker/profile/uncounted.h"
#include "worker/program/ending.h"
#include "worker/program/leftovers.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* How often the worker looks after time: limits are seconds, a worker that looks for its coordinator shall find it at
 * once when both have just been started, and an idle one shall not disturb its node. */
#define TICK_EAGER  0.05
#define TICK_BUSY   0.1
#define TICK_SEEK   0.25
#define TICK_IDLE   0.5
#define EAGER_FIRST 2.0 /* seconds of looking eagerly */

struct agent {
    const struct agent_setup *setup;
    struct loop *loop;
    struct loop_watch *turn, *tick, *child_signal;
    void (*ended)(void *context, int status);
    void *context;
    char *node, *machine; /* its name, and a sentence about it */
    char *uncounted;      /* the counters of runs that it does not give, a JSON object */
    struct cgroup cgroup;
    struct reaper *reaper;
    int children; /* the kernel's list of our children, from leftovers_adopt; -1: not open */

    struct talk talk;
    struct report report;
    struct slot_host host;
    struct slot_set slots;

    bool draining;   /* nothing new; leaves when all has ended */
    bool untidy;     /* a child or a run has ended: leftovers are to be looked for at the end of this turn */
    double worked;   /* when there was last a run, or something else to stay for */
    double leave_by; /* LEAVING: until when acknowledgements are waited for */
    int status;      /* draining or LEAVING: the exit status to come */
    char *why;       /* the reason for that */
};

/* --- the task --- */

static bool same_resources(const struct task *a, const struct task *b)
{
    return a->cpus == b->cpus && a->sockets == b->sockets && a->gpus == b->gpus && a->memory == b->memory &&
           a->per_socket == b->per_socket && a->gpu_slots == b->gpu_slots && a->gpu_memory == b->gpu_memory &&
           a->fuse == b->fuse && a->bind == b->bind;
}

/* Takes over a task: makes the slots of the first one, or of one that gives trials other resources. -1 with a sentence
 * when this machine can't run it. */
static int adopt_task(struct agent *agent, const char *task_text, struct err *err)
{
    struct task task;
    if (agent->host.task_text && strcmp(agent->host.task_text, task_text) == 0)
        return 0;
    if (task_read(task_text, &task, err))
        return -1;
    if (agent->host.task_text && !same_resources(&task, &agent->host.task))
        slot_set_retire(&agent->slots); /* a restarted coordinator with other resources */
    free(agent->host.task_text);
    task_fini(&agent->host.task);
    agent->host.task_text = mem_text(task_text);
    agent->host.task = task;
    for (uint32_t i = 0; i < agent->slots.count; i++)
        slot_renew(agent->slots.all[i]);
    return agent->slots.places.count ? 0 : slot_set_make(&agent->slots, err);
}

/* --- leftovers --- */

static bool is_own(void *context, pid_t pid)
{
    const struct agent *agent = context;
    if (reaper_is(agent->reaper, pid) || mps_is(agent->slots.mps, pid))
        return true;
    for (uint32_t i = 0; i < agent->slots.count; i++)
        if (slot_has_process(agent->slots.all[i], pid))
            return true;
    return false;
}

static bool is_living(void *context, uint64_t trial, uint32_t attempt)
{
    const struct agent *agent = context;
    const struct run *run = report_find(&agent->report, trial, attempt);
    return trial ? run && run->state != RUN_ENDED : agent->report.living > 0 || slot_set_serves(&agent->slots);
}

static void kill_leftovers(struct agent *agent)
{
    int killed = leftovers_clear(agent->children, is_own, is_living, agent);
    agent->untidy = false;
    if (killed)
        log_info("%d process%s that a run had left behind %s killed", killed, killed == 1 ? "" : "es",
                 killed == 1 ? "was" : "were");
}

static void note_child(void *context)
{
    ((struct agent *)context)->untidy = true;
}

static bool was_starved(void *context)
{
    return cgroup_was_starved(&((struct agent *)context)->cgroup);
}

/* --- its end --- */

static void stop_watching(struct agent *agent)
{
    loop_remove(agent->turn);
    loop_remove(agent->tick);
    loop_remove(agent->child_signal);
    agent->turn = agent->tick = agent->child_signal = NULL;
}

/* Ends now, saying GOODBYE. */
static void end_agent(struct agent *agent, int status, const char *why)
{
    if (agent->host.stage == AGENT_OVER)
        return;
    agent->host.stage = AGENT_OVER;
    slot_set_fini(&agent->slots);
    proc_sweep(agent->host.marks.items[0]);
    talk_close(&agent->talk, why, !agent->report.runs.count);
    stop_watching(agent);
    log_info("ends with status %d%s%s", status, *why ? ": " : "", why);
    if (agent->report.runs_ended)
        log_info("%llu runs took %.0f us of its own processor time each", (unsigned long long)agent->report.runs_ended,
                 clock_cpu() / (double)agent->report.runs_ended * 1e6);
    agent->ended(agent->context, status);
}

/* Whether there is nothing left to wait for. */
static bool is_done(const struct agent *agent)
{
    if (!agent->report.living && report_is_done(&agent->report))
        return true;
    return agent->host.stage == AGENT_LEAVING && clock_monotonic() >= agent->leave_by;
}

static void end_if_done(struct agent *agent)
{
    bool leaving = agent->host.stage == AGENT_LEAVING;
    if ((agent->draining || leaving) && is_done(agent) && (leaving || slot_set_part(&agent->slots)))
        end_agent(agent, agent->status, agent->why ? agent->why : "the experiment has ended");
}

/* How runs end that a signal to the worker ends: inside a job, the job is at fault. */
static enum ending leave_ending(const struct agent *agent)
{
    enum { NEARLY = 120 }; /* seconds; Slurm's clock of limits ticks every 30 */
    if (!agent->host.in_job)
        return ENDING_LOST;
    bool nearly = agent->host.deadline > 0 && clock_wall() > agent->host.deadline - (double)NEARLY;
    return nearly || agent->host.time_is_up ? ENDING_WALLTIME : ENDING_PREEMPTED;
}

void agent_leave(struct agent *agent, int signal)
{
    char name[32];
    if (agent->host.stage == AGENT_OVER || agent->host.stage == AGENT_LEAVING)
        return;
    agent->host.stage = AGENT_LEAVING;
    agent->host.leave_with = leave_ending(agent);
    agent->status = 128 + signal;
    agent->leave_by = clock_monotonic() + 1;
    agent->why = mem_format("it was told to end by %s", signal_name(signal, name, sizeof name));
    for (uint32_t i = 0; i < agent->slots.count; i++)
        agent->leave_by = fmax(agent->leave_by, clock_monotonic() + slot_leave(agent->slots.all[i], agent->why) + 1);
    loop_move(agent->tick, 0);
}

/* A worker that nobody needs leaves, so that its job ends. The coordinator may be giving it a lease at this moment,
 * which has not begun then. Without a coordinator it is give_up that counts. */
static void leave_if_idle(struct agent *agent, double now)
{
    char time[32];
    if (agent->report.runs.count || !agent->talk.joined || agent->host.stage != AGENT_WORKING ||
        !agent->talk.welcomed || agent->setup->idle_exit <= 0)
        agent->worked = now;
    else if (now - agent->worked >= agent->setup->idle_exit) {
        agent->why =
            mem_format("it had no work for %s", units_show_duration(agent->setup->idle_exit, time, sizeof time));
        end_agent(agent, 0, agent->why);
    }
}

/* --- what the coordinator says --- */

/* Leases that may wait, a slot: at 20 us a trial they last the 20 ms that new ones need to come. */
enum { CREDIT = 1024 };

static void send_offer(struct agent *agent)
{
    struct msg msg = {.kind = MSG_OFFER, .offer = {.credit = CREDIT}};
    slot_set_list(&agent->slots, connector_endpoint(agent->talk.connector), &msg);
    report_list_runs(&agent->report, &msg);
    agent->talk.joined = talk_send(&agent->talk, &msg);
    msg_fini(&msg);
    slot_set_tell_waits(&agent->slots);
    report_repeat(&agent->report);
}

static void take_welcome(struct agent *agent, const struct msg_welcome *welcome)
{
    struct err err;
    if (adopt_task(agent, welcome->task, &err)) {
        log_error("%s", err.text);
        end_agent(agent, AGENT_FAILED, err.text);
        return;
    }
    send_offer(agent);
}

static void take_lease(struct agent *agent, const struct msg_lease *lease)
{
    bool can = agent->host.stage == AGENT_WORKING && agent->talk.welcomed && !agent->draining &&
               lease->slot < agent->slots.places.count;
    if (report_find(&agent->report, lease->trial, lease->attempt))
        return;
    struct run *run = can ? report_add(&agent->report, lease) : NULL;
    if (run && agent->report.living == 1)
        loop_move(agent->tick, TICK_BUSY);
    if (run)
        slot_take(agent->slots.all[lease->slot], run);
    else
        report_refuse(&agent->report, lease->trial, lease->attempt);
}

static void take_leases(struct agent *agent, const struct msg_leases *leases)
{
    agent->host.deadline = leases->deadline;
    for (uint32_t i = 0; i < leases->leases_count; i++)
        take_lease(agent, &leases->leases[i]);
}

static void take_stop(struct agent *agent, const struct msg_stop_run *stop)
{
    struct run *run = report_find(&agent->report, stop->trial, stop->attempt);
    enum ending ending = stop->ending < ENDINGS_COUNT ? (enum ending)stop->ending : ENDING_CANCELLED;
    if (ending != ENDING_STOPPED_EARLY && ending_retry(ending) != RETRY_LATER)
        ending = ENDING_CANCELLED;
    agent->host.time_is_up |= ending == ENDING_WALLTIME;
    double grace = stop->seconds > 0 ? fmin(stop->seconds, agent->host.task.grace) : agent->host.task.grace;
    if (run && run->state != RUN_ENDED)
        slot_stop(slot_set_find(&agent->slots, run), run, ending, "", grace);
}

static void take_drain(struct agent *agent, const struct msg_drain *drain)
{
    if (!agent->draining)
        log_info("the experiment ends: %s", drain->why);
    agent->draining = true;
    for (uint32_t i = 0; i < agent->slots.count; i++) {
        struct agent_slot *slot = agent->slots.all[i];
        slot_return_queue(slot);
        if (drain->now && slot->front)
            slot_stop(slot, slot->front, ENDING_CANCELLED, "", agent->host.task.grace);
    }
}

static void take_msg(void *context, const struct msg *msg)
{
    struct agent *agent = context;
    switch (msg->kind) {
    case MSG_WELCOME:
        take_welcome(agent, &msg->welcome);
        break;
    case MSG_LEASES:
        take_leases(agent, &msg->leases);
        break;
    case MSG_ACKS:
        report_acks(&agent->report, &msg->acks);
        break;
    case MSG_STOP_RUN:
        take_stop(agent, &msg->stop_run);
        break;
    case MSG_DRAIN:
        take_drain(agent, &msg->drain);
        break;
    case MSG_REFUSED:
        log_error("the coordinator refuses this worker: %s", msg->refused.why);
        end_agent(agent, AGENT_FAILED, "");
        break;
    case MSG_HEARD:
        break;
    default:
        log_warning("the coordinator sent %s, which is not for a worker", msg_kind_name(msg->kind));
    }
}

/* --- turns and ticks --- */

/* While enough short runs wait in the slots, results of some milliseconds go together: most of what a trial costs the
 * coordinator is a message's and a commit's, and what waits covers the delay. The runs going on bring us back here
 * soon, or else a tick. */
static bool may_gather(const struct agent *agent)
{
    enum { ENOUGH = 4 }; /* a slot */
    return agent->host.stage == AGENT_WORKING && agent->talk.welcomed && !agent->draining &&
           agent->report.living > (size_t)agent->slots.places.count * (1 + ENOUGH);
}

static void on_turn(void *context)
{
    struct agent *agent = context;
    if (agent->untidy)
        kill_leftovers(agent);
    report_turn(&agent->report, may_gather(agent));
    end_if_done(agent);
}

static double next_tick(const struct agent *agent, double now)
{
    double seconds = agent->report.living ? TICK_BUSY : TICK_IDLE;
    if (!agent->talk.joined)
        seconds = now - agent->talk.heard < EAGER_FIRST ? TICK_EAGER : TICK_SEEK;
    if (agent->host.stage == AGENT_LEAVING)
        seconds = TICK_EAGER;
    return fmin(seconds, agent->talk.heartbeat / 2);
}

static void tick_talk(struct agent *agent, double now)
{
    double silent = now - agent->talk.heard;
    if (silent > agent->setup->give_up) {
        const char *why = connector_why(agent->talk.connector);
        log_error("no coordinator for %.0f s%s%s; this worker ends", silent, *why ? ": " : "", why);
        end_agent(agent, AGENT_ALONE, "");
    } else if (talk_tick(&agent->talk, now)) {
        report_beat(&agent->report);
    }
}

static void on_tick(void *context)
{
    struct agent *agent = context;
    double now = clock_monotonic();
    tick_talk(agent, now);
    slot_set_reap(&agent->slots);
    for (uint32_t i = 0; i < agent->slots.count; i++)
        slot_tick(agent->slots.all[i], now);
    if (agent->report.living)
        cgroup_watch(&agent->cgroup, now);
    report_tick(&agent->report, now);
    leave_if_idle(agent, now);
    if (agent->host.stage != AGENT_OVER)
        loop_move(agent->tick, next_tick(agent, now));
}

/* --- life --- */

static uint64_t random_number(void)
{
    uint64_t number = 0;
    while (!number)
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            number = rng_mix((uint64_t)getpid(), (uint64_t)(clock_wall() * 1e6));
    return number;
}

static int find_machine(struct agent *agent, struct err *err)
{
    const struct agent_setup *setup = agent->setup;
    struct topology *topology = &agent->host.topology;
    struct buf words = {0};
    char node[NODE_SIZE];
    if (topology_read(&setup->source, topology, err))
        return -1;
    topology_part(topology, setup->part, setup->parts);
    topology_words(topology, &words);
    agent->machine = buf_take(&words);
    agent->uncounted = uncounted_find("/proc", &agent->host.events);
    agent->node = mem_text(setup->node ? setup->node : node_name(node));
    cgroup_find(&agent->cgroup, "/proc", "/sys/fs/cgroup");
    agent->cgroup.kills = cgroup_oom_kills(&agent->cgroup);
    log_info("on %s: %s", agent->node, agent->machine);
    if (topology->cores_shared)
        log_warning("there are more workers than cores; this one shares its core with others");
    return 0;
}

static int start_talk(struct agent *agent, struct link_context *links, struct err *err)
{
    const struct topology *topology = &agent->host.topology;
    struct node_job job = node_job();
    agent->host.in_job = job.job != 0;
    agent->host.claims = slot_claims_open(agent->setup, topology, job.job != 0);
    agent->talk = (struct talk){.loop = agent->loop,
                                .take = take_msg,
                                .context = agent,
                                .hello = {.worker = random_number(),
                                          .node = agent->node,
                                          .pid = (uint32_t)getpid(),
                                          .job = job.job,
                                          .element = job.element,
                                          .part = topology->parts > 1 ? topology->part : 0,
                                          .version = GANNET_VERSION,
                                          .machine = agent->machine,
                                          .cores = topology->core_count,
                                          .gpus = topology->gpu_count,
                                          .memory = topology->memory,
                                          .uncounted = agent->uncounted}};
    return talk_open(&agent->talk, links, agent->setup->rundir, agent->setup->connect, err);
}

static bool is_blocked(void *context, const struct agent_slot *slot)
{
    return slot_set_blocks(&((struct agent *)context)->slots, slot);
}

static const struct slot_calls slot_calls = {is_blocked, was_starved, note_child};

struct agent *agent_create(struct loop *loop, struct link_context *links, const struct agent_setup *setup,
                           void (*ended)(void *context, int status), void *context, struct err *err)
{
    struct agent *agent = MEM_NEW(struct agent);
    agent->setup = setup;
    agent->loop = loop;
    agent->ended = ended;
    agent->context = context;
    agent->children = -1;
    report_init(&agent->report, &agent->talk);
    agent->host = (struct slot_host){.loop = loop,
                                     .rundir = setup->rundir,
                                     .lines = setup->lines,
                                     .trainer = setup->trainer,
                                     .report = &agent->report,
                                     .node = {.proc = "/proc"},
                                     .calls = &slot_calls,
                                     .context = agent};
    agent->slots.host = &agent->host;
    if (find_machine(agent, err) || start_talk(agent, links, err)) {
        agent_destroy(agent);
        return NULL;
    }
    agent->reaper = setup->reaper ? reaper_start(loop, setup->reaper, PROC_MARK_WORKER) : NULL;
    agent->children = leftovers_adopt();
    leftovers_mark(&agent->host.marks, setup->rundir);
    agent->child_signal = loop_signal(loop, SIGCHLD, note_child, agent);
    agent->turn = loop_turn(loop, on_turn, agent);
    agent->tick = loop_timer(loop, 0, on_tick, agent);
    return agent;
}

void agent_destroy(struct agent *agent)
{
    if (!agent)
        return;
    if (agent->host.stage != AGENT_OVER) {
        slot_set_fini(&agent->slots);
        talk_close(&agent->talk, "it ends", !agent->report.runs.count);
    }
    stop_watching(agent);
    reaper_dismiss(agent->reaper);
    stream_port_destroy(agent->host.port);
    free(agent->host.python);
    report_fini(&agent->report);
    free(agent->host.task_text);
    task_fini(&agent->host.task);
    topology_fini(&agent->host.topology);
    claims_destroy(agent->host.claims);
    cgroup_fini(&agent->cgroup);
    texts_fini(&agent->host.marks);
    if (agent->children >= 0)
        close(agent->children);
    free(agent->why);
    free(agent->node);
    free(agent->machine);
    free(agent->uncounted);
    free(agent);
}
