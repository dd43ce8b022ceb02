/* What can't be counted here; see uncounted.h. */
#include "worker/profile/uncounted.h"
#include "common/clock.h"
#include "worker/profile/frequency.h"
#include "worker/profile/tree.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The files that counters come from, below /proc. */
static const struct {
    enum run_counter counter;
    const char *file; /* of this process where it begins with "self" */
} sources[] = {
    {COUNT_READ, "self/io"},
    {COUNT_WRITTEN, "self/io"},
    {COUNT_QUEUE_WAIT, "self/schedstat"},
    {COUNT_MIGRATIONS, "self/sched"},
    {COUNT_SWAPPED, "self/status"},
    {COUNT_NODE_CPU_STALL, "pressure/cpu"},
    {COUNT_NODE_MEMORY_STALL, "pressure/memory"},
    {COUNT_NODE_IO_STALL, "pressure/io"},
    {COUNT_NODE_STEAL, "stat"},
    {COUNT_NODE_SWAP_IN, "vmstat"},
    {COUNT_NODE_SWAP_OUT, "vmstat"},
    {COUNT_NODE_LOCAL, "vmstat"},
    {COUNT_NODE_REMOTE, "vmstat"},
};

/* The sentence of a file without the number. */
static void say_why(const char *proc, const char *file, char *out, size_t size)
{
    char path[512], byte;
    snprintf(path, sizeof path, "%s/%s", proc, file);
    FILE *opened = fopen(path, "re");
    bool is_read = opened && fread(&byte, 1, 1, opened) == 1;
    int error = errno;
    if (opened)
        fclose(opened);
    const char *who = strncmp(file, "self/", 5) == 0 ? "PID/" : "", *name = *who ? file + 5 : file;
    if (is_read)
        snprintf(out, size, "/proc/%s%s does not say it on this kernel", who, name);
    else
        snprintf(out, size, "/proc/%s%s can't be read here: %s", who, name, strerror(opened && !error ? EIO : error));
}

static void add_reason(void *context, enum run_counter counter, const char *sentence)
{
    json_object_set_new(context, run_counter_name(counter), json_string(sentence));
}

static int read_paranoid(const char *proc)
{
    char path[512];
    int level = -1;
    snprintf(path, sizeof path, "%s/sys/kernel/perf_event_paranoid", proc);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &level) != 1)
        level = -1;
    if (file)
        fclose(file);
    return level;
}

static void add_energy(json_t *json, const struct node_watch *node)
{
    static const enum run_counter counters[] = {COUNT_ENERGY_PROCESSORS, COUNT_ENERGY_MEMORY};
    char why[300];
    for (int i = 0; i < 2; i++) {
        energy_why(&node->energy, node->sys, i, why, sizeof why);
        if (isnan(node->last.counters.values[counters[i]]))
            add_reason(json, counters[i], why);
    }
}

static void add_files(json_t *json, const char *proc, const struct run_counters *here)
{
    char why[300];
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (isnan(here->values[sources[i].counter])) {
            say_why(proc, sources[i].file, why, sizeof why);
            add_reason(json, sources[i].counter, why);
        }
}

static void add_gpus(json_t *json, const char *why)
{
    for (unsigned i = COUNT_GPU_USE; why && i <= COUNT_GPU_CAPPED; i++)
        add_reason(json, i, why);
    if (why)
        add_reason(json, COUNT_ENERGY_GPUS, why);
}

char *uncounted_find(struct node_watch *node, const char *no_gpus, perf_events *events)
{
    struct tree_looks looks = {0};
    struct run_counters here;
    pid_t own = getpid();
    json_t *json = json_object();
    tree_looks_take(&looks, node->proc, &own, 1);
    here = looks.last;
    run_counters_merge(&here, &node_watch_read(node, clock_monotonic())->counters);
    add_files(json, node->proc, &here);
    add_energy(json, node);
    group_why(&node->group, &here, add_reason, json);
    frequency_why(node->sys, add_reason, json);
    add_gpus(json, no_gpus);
    struct perf_processor processor = perf_processor_here();
    *events = perf_probe(&perf_system, &processor, read_paranoid(node->proc), add_reason, json);
    tree_looks_fini(&looks);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}
