/* What the environment says of the job; see allocation.h. */
#include "scheduler/slurm/allocation.h"

#include "common/mem.h"
#include "common/node.h"
#include "common/units.h"
#include "scheduler/slurm/nodes.h"

#include <stdio.h>
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

static int take_step(char *(*get)(const char *), struct allocation *out, struct err *err)
{
    uint32_t node = 0;
    out->in_step = slurm_step_given(get);
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

static bool has_node(const struct allocation *allocation, const char *node)
{
    for (size_t i = 0; i < allocation->nodes.count; i++)
        if (strcmp(allocation->nodes.items[i], node) == 0)
            return true;
    return false;
}

/* Adds a component's nodes. One that an earlier component has as well has its worker there. */
static void add_component(struct allocation *out, uint32_t component, const struct texts *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (!has_node(out, nodes->items[i])) {
            size_t at = out->nodes.count;
            texts_add(&out->nodes, mem_text(nodes->items[i]));
            out->components = mem_resize(out->components, at + 1, sizeof *out->components);
            out->components[at] = component;
        }
}

/* The components of a heterogeneous job beside the first one, in which its batch script is. */
static int take_components(char *(*get)(const char *), struct allocation *out, struct err *err)
{
    enum { MOST = 128 }; /* Slurm's own MAX_HET_JOB_COMPS */
    uint32_t size = 0;
    int failed = take_number(get, "SLURM_HET_SIZE", &size, err);
    out->parts = size > 1 ? size : 1;
    if (!failed && size > 1) /* steps of other components have it from their batch script */
        failed = take_number(get, "SLURM_JOB_ID_HET_GROUP_0", &out->id, err);
    if (failed || size < 2 || out->in_step)
        return failed;
    out->components = MEM_ARRAY(uint32_t, out->nodes.count + 1);
    for (uint32_t i = 1; !failed && i < size && i < MOST; i++) {
        char name[48];
        snprintf(name, sizeof name, "SLURM_JOB_NODELIST_HET_GROUP_%u", i);
        const char *list = get(name);
        struct texts nodes = {0};
        failed = nodes_read(list ? list : "", &nodes, err);
        add_component(out, i, &nodes);
        texts_fini(&nodes);
    }
    return failed;
}

int allocation_read(char *(*get)(const char *name), struct allocation *out, struct err *err)
{
    *out = (struct allocation){.parts = 1, .tasks = 1, .locals = 1};
    if (take_number(get, "SLURM_JOB_ID", &out->id, err))
        return -1;
    if (!out->id)
        return 0;
    const char *nodes = get("SLURM_JOB_NODELIST");
    if (take_number(get, "SLURM_RESTART_COUNT", &out->restarts, err) ||
        take_number(get, "SLURM_CPUS_ON_NODE", &out->cpus, err) ||
        take_number(get, "SLURM_GPUS_ON_NODE", &out->gpus, err) || take_step(get, out, err) ||
        nodes_read(nodes ? nodes : "", &out->nodes, err) || take_components(get, out, err)) {
        allocation_fini(out);
        return -1;
    }
    return 0;
}

void allocation_fini(struct allocation *allocation)
{
    texts_fini(&allocation->nodes);
    free(allocation->components);
    allocation->components = NULL;
}
