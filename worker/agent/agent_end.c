/* How an agent ends: when all is told, by a signal, or because nobody needs it; see agent.c. */
#include "worker/agent/agent_parts.h"

#include "common/clock.h"
#include "common/endings.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/proc.h"
#include "common/units.h"
#include "worker/program/ending.h"

#include <math.h>

void agent_stop_watching(struct agent *agent)
{
    loop_remove(agent->turn);
    loop_remove(agent->tick);
    loop_remove(agent->child_signal);
    agent->turn = agent->tick = agent->child_signal = NULL;
}

void agent_end(struct agent *agent, int status, const char *why)
{
    if (agent->host.stage == AGENT_OVER)
        return;
    agent->host.stage = AGENT_OVER;
    slot_set_fini(&agent->slots);
    proc_sweep(agent->host.marks.items[0]);
    talk_close(&agent->talk, why, !agent->reporter.runs.count);
    agent_stop_watching(agent);
    log_info("ends with status %d%s%s", status, *why ? ": " : "", why);
    if (agent->reporter.runs_ended)
        log_info("%llu runs took %.0f us of its own processor time each",
                 (unsigned long long)agent->reporter.runs_ended,
                 clock_cpu() / (double)agent->reporter.runs_ended * 1e6);
    agent->ended(agent->context, status);
}

/* Whether there is nothing left to wait for. */
static bool is_done(const struct agent *agent)
{
    if (!agent->reporter.living && reporter_is_done(&agent->reporter))
        return true;
    return agent->host.stage == AGENT_LEAVING && clock_monotonic() >= agent->leave_by;
}

void agent_end_if_done(struct agent *agent)
{
    bool leaving = agent->host.stage == AGENT_LEAVING;
    if ((agent->draining || leaving) && is_done(agent) && (leaving || slot_set_part(&agent->slots)))
        agent_end(agent, agent->status, agent->why ? agent->why : WORKER_LEFT_AT_END);
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
    agent_tick_in(agent, 0);
}

/* A worker that nobody needs leaves, so that its job ends. The coordinator may be giving it a lease at this moment,
 * which has not begun then. Without a coordinator it is give_up that counts. */
void agent_leave_if_idle(struct agent *agent, double now)
{
    char time[32];
    if (agent->reporter.runs.count || !agent->talk.joined || agent->host.stage != AGENT_WORKING ||
        !agent->talk.welcomed || agent->setup->idle_exit <= 0)
        agent->worked = now;
    else if (now - agent->worked >= agent->setup->idle_exit) {
        agent->why =
            mem_format("it had no work for %s", units_show_duration(agent->setup->idle_exit, time, sizeof time));
        agent_end(agent, 0, agent->why);
    }
}
