/* The agent as a whole: made, driven by the loop, ended. Its stages:
 *
 *     WORKING    while the coordinator is there: takes LEASES, tells samples and results, HEARTBEAT every so often
 *     LEAVING    begins nothing; when all is told and acknowledged, or time is up, says GOODBYE
 *     OVER       waits for its destruction
 *
 * agent_end.c has what ends it, agent_hear.c what it does about what it hears (talk.c finds the coordinator, and says
 * HELLO until WELCOME comes):
 *
 *     WELCOME    brings the task: makes the slots, answers with OFFER: the slots, and the runs held from before
 *     STOP_RUN   ends a run, or drops a lease; one that we don't have is no error
 *     DRAIN      nothing new: what has not begun goes back; `now`: what runs is ended as cancelled. Then GOODBYE
 *     REFUSED    ends the agent
 *
 * Anything may come twice, late, or never. A lease that is here already is the same lease. */
#include "worker/agent/agent_parts.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/proc.h"
#include "common/rng.h"
#include "worker/agent/slot_claim.h"
#include "worker/profile/uncounted.h"
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
#define TICK_FIRST  0.002 /* while it looks for a coordinator that starts now, too; then a fifth of the time so far */
#define TICK_SEEK   0.25
#define TICK_IDLE   0.5
#define EAGER_FIRST 2.0 /* seconds of looking eagerly */

/* A tick that comes so much later than it was to: the worker was stopped, or its node was. */
#define LATE_SECONDS 2.0

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
    const struct run *run = reporter_find(&agent->reporter, trial, attempt);
    return trial ? run && run->state != RUN_ENDED : agent->reporter.living > 0 || slot_set_serves(&agent->slots);
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

/* --- turns and ticks --- */

/* While enough short runs wait in the slots, results of some milliseconds go together: most of what a trial costs the
 * coordinator is a message's and a commit's, and what waits covers the delay. The runs going on bring us back here
 * soon, or else a tick. */
static bool may_gather(const struct agent *agent)
{
    enum { ENOUGH = 4 }; /* a slot */
    return agent->host.stage == AGENT_WORKING && agent->talk.welcomed && !agent->draining &&
           agent->reporter.living > (size_t)agent->slots.places.count * (1 + ENOUGH);
}

static void on_turn(void *context)
{
    struct agent *agent = context;
    if (agent->untidy)
        kill_leftovers(agent);
    reporter_turn(&agent->reporter, may_gather(agent));
    agent_end_if_done(agent);
}

static double next_tick(const struct agent *agent, double now)
{
    double seconds = agent->reporter.living ? AGENT_TICK_BUSY : TICK_IDLE;
    double silent = now - agent->talk.heard;
    if (!agent->talk.joined)
        seconds = silent < EAGER_FIRST ? fmin(fmax(silent / 5, TICK_FIRST), TICK_EAGER) : TICK_SEEK;
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
        agent_end(agent, AGENT_ALONE, "");
    } else if (talk_tick(&agent->talk, now)) {
        reporter_beat(&agent->reporter);
    }
}

void agent_tick_in(struct agent *agent, double seconds)
{
    agent->due = clock_monotonic() + seconds;
    loop_move(agent->tick, seconds);
}

/* While the worker was stopped, or had no processor, it heard nobody: that is no silence of the coordinator. */
static void excuse_lateness(struct agent *agent, double now)
{
    double late = now - agent->due;
    if (late < LATE_SECONDS)
        return;
    log_warning("this process did not run for %.0f s; silence of the coordinator in that time does not count", late);
    agent->talk.heard = fmin(agent->talk.heard + late, now);
}

static void on_tick(void *context)
{
    struct agent *agent = context;
    double now = clock_monotonic();
    excuse_lateness(agent, now);
    tick_talk(agent, now);
    slot_set_reap(&agent->slots);
    for (uint32_t i = 0; i < agent->slots.count; i++)
        slot_tick(agent->slots.all[i], now);
    if (agent->reporter.living) {
        cgroup_watch(&agent->cgroup, now);
        node_watch_tick(&agent->host.node, now);
    }
    reporter_tick(&agent->reporter, now);
    agent_leave_if_idle(agent, now);
    if (agent->host.stage != AGENT_OVER)
        agent_tick_in(agent, next_tick(agent, now));
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

/* Why nothing is known of what GPUs do; NULL: it can be. */
static const char *why_no_gpus(const struct topology *topology)
{
    bool has_names = topology->gpu_count > 0, has_parts = false;
    for (uint32_t i = 0; i < topology->gpu_count; i++) {
        has_parts |= topology->gpus[i].parent != TOPOLOGY_NONE;
        has_names &= *topology->gpus[i].uuid != '\0';
    }
    if (!topology->gpu_count)
        return "this worker has no GPUs";
    if (has_parts)
        return "its GPUs are partitioned (MIG), and the driver tells of whole ones alone";
    return has_names ? NULL : "the driver's library (libnvidia-ml.so.1) can't be loaded here, or does not start";
}

static struct gpu_watch *watch_gpus(const struct topology *topology)
{
    const char **uuids = MEM_ARRAY(const char *, topology->gpu_count + 1);
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        uuids[i] = topology->gpus[i].uuid;
    struct gpu_watch *watch = gpu_watch_create(uuids, topology->gpu_count, nvml_open);
    free(uuids);
    return watch;
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
    group_find(&agent->host.node.group, "/proc", "/sys/fs/cgroup");
    const char *why = why_no_gpus(topology);
    agent->host.gpus = why ? NULL : watch_gpus(topology);
    agent->uncounted = uncounted_find(&agent->host.node, why, &agent->host.events);
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
                                .take = agent_take_msg,
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
    reporter_init(&agent->reporter, &agent->talk);
    agent->host = (struct slot_host){.loop = loop,
                                     .rundir = setup->rundir,
                                     .lines = setup->lines,
                                     .cupti = setup->cupti,
                                     .trainer = setup->trainer,
                                     .gpu_trainer = setup->gpu_trainer,
                                     .reporter = &agent->reporter,
                                     .node = {.proc = "/proc", .sys = "/sys"},
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
    agent->due = clock_monotonic();
    return agent;
}

void agent_destroy(struct agent *agent)
{
    if (!agent)
        return;
    if (agent->host.stage != AGENT_OVER) {
        slot_set_fini(&agent->slots);
        talk_close(&agent->talk, "it ends", !agent->reporter.runs.count);
    }
    agent_stop_watching(agent);
    reaper_dismiss(agent->reaper);
    stream_port_destroy(agent->host.port);
    free(agent->host.python);
    reporter_fini(&agent->reporter);
    free(agent->host.task_text);
    task_fini(&agent->host.task);
    topology_fini(&agent->host.topology);
    claims_destroy(agent->host.claims);
    cgroup_fini(&agent->cgroup);
    node_watch_close(&agent->host.node);
    gpu_watch_destroy(agent->host.gpus);
    texts_fini(&agent->host.marks);
    if (agent->children >= 0)
        close(agent->children);
    free(agent->why);
    free(agent->node);
    free(agent->machine);
    free(agent->uncounted);
    free(agent);
}
