/* What the keys of `slurm` mean together, and whether the end of a search can be told to anybody; see read.h. */
#include "scheduler/spec/read.h"
#include "common/units.h"

#include <string.h>

/* How many machines there are to be is said by another key for each shape; the wrong one would be one machine without
 * a word. */
static void check_count(struct reading *reading, const struct node *map)
{
    const struct spec_slurm *slurm = &reading->spec->slurm;
    const struct entry *nodes = node_entry(map, "nodes"), *workers = node_entry(map, "workers");
    if (nodes && slurm->nodes > 1 && slurm->shape != SHAPE_JOB)
        problem_hint(
            problem_add(reading->problems, PROBLEM_CONFLICT, nodes->mark, "'slurm.nodes' counts with shape job alone"),
            "write workers: %u, each of which has a node", slurm->nodes);
    if (workers && slurm->workers > 1 && slurm->shape == SHAPE_JOB)
        problem_hint(problem_add(reading->problems, PROBLEM_CONFLICT, workers->mark,
                                 "'slurm.workers' counts with shape array or elastic"),
                     "write nodes: %u, or another shape", slurm->workers);
}

static void check_time(struct reading *reading, const struct node *map, const char *name, double seconds,
                       const char *hint)
{
    const struct entry *entry = node_entry(map, name);
    double time = reading->spec->slurm.time;
    char of_key[32], of_job[32];
    if (entry && time > 0 && seconds > time)
        problem_say(reading->problems, PROBLEM_BAD_VALUE, entry->node->mark, hint,
                    "'slurm.%s' is %s, longer than slurm.time, %s", name,
                    units_show_duration(seconds, of_key, sizeof of_key),
                    units_show_duration(time, of_job, sizeof of_job));
}

void slurm_check(struct reading *reading)
{
    const struct node *map = node_find(reading->root, "slurm");
    const struct spec_slurm *slurm = &reading->spec->slurm;
    if (!map || map->kind != NODE_MAP)
        return;
    key_exclude(reading, "slurm", "gres", "gpus_per_node", "'slurm' has both 'gres' and 'gpus_per_node'",
                "write one of them");
    key_exclude(reading, "slurm", "mem", "mem_per_cpu", "'slurm' has both 'mem' and 'mem_per_cpu'",
                "write one of them");
    check_count(reading, map);
    check_time(reading, map, "time_min", slurm->time_min, "it is the least of which slurm.time is the most");
    check_time(reading, map, "signal_before_end", slurm->signal_before_end, "leave trials some time to run");
}

/* An address is handed to programs, where a dash in front would be an option. */
void notify_check(struct reading *reading)
{
    const char *mail = reading->spec->notify.mail;
    const struct node *node = node_find(node_find(reading->root, "notify"), "mail");
    for (const char *at = mail; node && at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        if (length && *at != '-' && strcspn(at, " <>\"\t") >= length)
            continue;
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, "write addresses such as ada@example.org",
                    "'notify.mail': '%.*s' is no address", (int)length, at);
        return;
    }
}
