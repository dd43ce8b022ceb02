/* What can't be counted here; see uncounted.h. */
#include "worker/profile/uncounted.h"
#include "worker/profile/node.h"
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

char *uncounted_find(const char *proc, perf_events *events)
{
    struct tree_looks looks = {0};
    struct node_watch node = {.proc = proc};
    struct run_counters here;
    char why[300];
    pid_t own = getpid();
    json_t *json = json_object();
    tree_looks_take(&looks, proc, &own, 1);
    here = looks.last;
    run_counters_merge(&here, node_watch_read(&node, 0));
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (isnan(here.values[sources[i].counter])) {
            say_why(proc, sources[i].file, why, sizeof why);
            json_object_set_new(json, run_counter_name(sources[i].counter), json_string(why));
        }
    struct perf_processor processor = perf_processor_here();
    *events = perf_probe(&perf_system, &processor, read_paranoid(proc), add_reason, json);
    tree_looks_fini(&looks);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return text;
}
