/* See job_end.h. */
#include "cli/view/job_end.h"
#include "cli/format.h"
#include "cli/json.h"
#include "scheduler/slurm/slurm_agent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool job_end_is_of_slurm(enum slurm_state state)
{
    return state == SLURM_CANCELLED || state == SLURM_TIMEOUT || state == SLURM_PREEMPTED ||
           state == SLURM_NODE_FAILED || state == SLURM_OUT_OF_MEMORY || state == SLURM_REQUEUED;
}

/* Who cancelled it, if that is known; Slurm's accounts have it, where a site keeps some. */
static void add_cancelled(const struct slurm_job *job, struct buf *out)
{
    buf_text(out, "was cancelled");
    if (*job->by) {
        buf_text(out, " ");
        format_safe(job->by, out);
    } else {
        buf_format(out, " (`sacct -j %" PRIu32 " --format=State%%30` says by whom, where the site keeps accounts)",
                   job->array ? job->array : job->id);
    }
}

static void add_node(const struct slurm_job *job, struct buf *out)
{
    const char *node = *job->batch_node ? job->batch_node : job->nodes;
    buf_text(out, *node ? "ended because node " : "ended because its node");
    format_safe(node, out);
    buf_text(out, " failed");
}

void job_end_add(const struct slurm_job *job, struct buf *out)
{
    switch (job->state) {
    case SLURM_VANISHED:
        buf_text(out, "is not in Slurm's queue any more");
        break;
    case SLURM_CANCELLED:
        add_cancelled(job, out);
        break;
    case SLURM_NODE_FAILED:
        add_node(job, out);
        break;
    case SLURM_TIMEOUT:
        buf_text(out, "reached its time limit");
        break;
    case SLURM_PREEMPTED:
        buf_text(out, "was preempted: Slurm gave its nodes to a job of higher priority");
        break;
    case SLURM_OUT_OF_MEMORY:
        buf_text(out, "needed more memory than it had asked for; slurm.mem asks for more");
        break;
    case SLURM_REQUEUED:
        buf_text(out, "was put back into the queue: preempted for a job of higher priority, or requeued by hand");
        break;
    case SLURM_FAILED:
        buf_format(out, job->exit_signal ? "was ended by signal %d" : "ended with status %d",
                   job->exit_signal ? job->exit_signal : job->exit_status);
        break;
    default:
        buf_format(out, "ended: %s", slurm_state_name(job->state));
    }
}

bool job_end_read(const json_t *row, struct slurm_job *out)
{
    int state = slurm_state_named(json_text(row, "state"));
    const char *exit = json_text(row, "exit");
    if (state < 0 || !slurm_state_is_end((enum slurm_state)state))
        return false;
    *out = (struct slurm_job){.id = (uint32_t)json_integer_value(json_object_get(row, "job")),
                              .state = (enum slurm_state)state};
    if (strncmp(exit, "signal ", 7) == 0)
        out->exit_signal = atoi(exit + 7);
    else
        out->exit_status = atoi(exit);
    snprintf(out->nodes, sizeof out->nodes, "%s", json_text(row, "nodes"));
    snprintf(out->by, sizeof out->by, "%s", json_text(row, "reason"));
    return true;
}
