/* What the environment says of the job; see allocation.h. */
#include "scheduler/slurm/allocation.h"

#include "common/units.h"
#include "scheduler/slurm/nodes.h"

#include <stdlib.h>
#include <string.h>

/* A number that may be missing. -1 with a sentence when it is none. */
static int take_number(char *(*get)(const char *), const char *name, uint32_t *out, struct err *err)
{
    const char *text = get(name);
    int64_t number;
    if (!text || !*text)
        return 0;
    if (!units_integer(text, &number) || number < 0 || number >= UINT32_MAX)
        return err_set(err, "%s is '%s', which is no number; is this inside a Slurm job?", name, text);
    *out = (uint32_t)number;
    return 0;
}

/* The tasks of node `index` in "2(x3),1": 2, 2, 2, 1; 1 when it does not say. */
static uint32_t tasks_of_node(const char *list, uint32_t index)
{
    for (char *end; list && *list; list = *end == ',' ? end + 1 : "") {
        unsigned long tasks = strtoul(list, &end, 10), times = 1;
        if (strncmp(end, "(x", 2) == 0) {
            times = strtoul(end + 2, &end, 10);
            end += *end == ')';
        }
        if (end == list)
            break;
        if (index < times)
            return tasks && tasks < UINT32_MAX ? (uint32_t)tasks : 1;
        index -= (uint32_t)times;
    }
    return 1;
}

/* Slurm runs the shell of an interactive job as a step of its own, with a number that no other has. */
static bool is_in_step(char *(*get)(const char *))
{
    static const char interactive[] = "4294967290";
    const char *step = get("SLURM_STEP_ID");
    return step && strcmp(step, interactive) != 0;
}

static int take_step(char *(*get)(const char *), struct allocation *out, struct err *err)
{
    uint32_t node = 0;
    out->in_step = is_in_step(get);
    out->tasks = out->locals = 1;
    if (!out->in_step)
        return 0;
    if (take_number(get, "SLURM_PROCID", &out->task, err) ||
        take_number(get, "SLURM_STEP_NUM_TASKS", &out->tasks, err) ||
        take_number(get, "SLURM_LOCALID", &out->local_task, err) || take_number(get, "SLURM_NODEID", &node, err))
        return -1;
    out->locals = tasks_of_node(get("SLURM_STEP_TASKS_PER_NODE"), node);
    if (out->task >= out->tasks || out->local_task >= out->locals)
        return err_set(err, "Slurm's variables contradict each other: task %u of %u, on this node %u of %u", out->task,
                       out->tasks, out->local_task, out->locals);
    return 0;
}

int allocation_read(char *(*get)(const char *name), struct allocation *out, struct err *err)
{
    *out = (struct allocation){.tasks = 1, .locals = 1};
    if (take_number(get, "SLURM_JOB_ID", &out->id, err))
        return -1;
    if (!out->id)
        return 0;
    const char *nodes = get("SLURM_JOB_NODELIST");
    if (take_number(get, "SLURM_RESTART_COUNT", &out->restarts, err) ||
        take_number(get, "SLURM_CPUS_ON_NODE", &out->cpus, err) ||
        take_number(get, "SLURM_GPUS_ON_NODE", &out->gpus, err) || take_step(get, out, err) ||
        nodes_read(nodes ? nodes : "", &out->nodes, err)) {
        allocation_fini(out);
        return -1;
    }
    return 0;
}

void allocation_fini(struct allocation *allocation)
{
    texts_fini(&allocation->nodes);
}
