/* The node's counters; see node.h. */
#include "worker/profile/node.h"
#include "common/clock.h"
#include "worker/profile/proc_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LARGEST = 16384 }; /* of longer ones the beginning, which has what is looked for */

static const char *const names[NODE_FILES] = {"pressure/cpu", "pressure/memory", "pressure/io", "stat", "vmstat"};

double node_pressure(const char *text)
{
    static const char name[] = "total=";
    const char *line_end = strchr(text, '\n'), *at = strncmp(text, "some ", 5) == 0 ? strstr(text, name) : NULL;
    char *end;
    if (!at || (line_end && at > line_end))
        return NAN;
    unsigned long long microseconds = strtoull(at + sizeof name - 1, &end, 10);
    return end == at + sizeof name - 1 ? NAN : (double)microseconds * 1e-6;
}

double node_steal(const char *text)
{
    unsigned long long ticks;
    if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
        return NAN;
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

double node_busy(const char *text)
{
    unsigned long long user, nice, system, interrupts, soft;
    if (sscanf(text, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice, &system, &interrupts, &soft) != 5)
        return NAN;
    return (double)(user + nice + system + interrupts + soft) / (double)sysconf(_SC_CLK_TCK);
}

void node_memory(const char *text, struct run_counters *out)
{
    double page = (double)sysconf(_SC_PAGESIZE);
    out->values[COUNT_NODE_SWAP_IN] = proc_text_number(text, "pswpin") * page;
    out->values[COUNT_NODE_SWAP_OUT] = proc_text_number(text, "pswpout") * page;
    out->values[COUNT_NODE_LOCAL] = proc_text_number(text, "numa_local") * page;
    out->values[COUNT_NODE_REMOTE] = proc_text_number(text, "numa_other") * page;
}

static const char *read_file(struct node_watch *watch, enum node_file file, char *text)
{
    return held_file_read(&watch->files[file], watch->proc, names[file], text, FILE_LARGEST);
}

static void read_all(struct node_watch *watch)
{
    char text[FILE_LARGEST];
    double *values = watch->last.counters.values;
    run_counters_clear(&watch->last.counters);
    energy_read(&watch->energy, watch->sys); /* beside the processor time that it is shared by */
    values[COUNT_ENERGY_PROCESSORS] = watch->energy.processors;
    values[COUNT_ENERGY_MEMORY] = watch->energy.memory;
    watch->last.busy = node_busy(read_file(watch, NODE_STAT, text));
    values[COUNT_NODE_STEAL] = node_steal(text);
    values[COUNT_NODE_CPU_STALL] = node_pressure(read_file(watch, NODE_CPU, text));
    values[COUNT_NODE_MEMORY_STALL] = node_pressure(read_file(watch, NODE_MEMORY, text));
    values[COUNT_NODE_IO_STALL] = node_pressure(read_file(watch, NODE_IO, text));
    node_memory(read_file(watch, NODE_VMSTAT, text), &watch->last.counters);
    group_read(&watch->group, &watch->last.counters);
}

const struct node_reading *node_watch_read(struct node_watch *watch, double now)
{
    static const double share = 0.005, least = 0.05;
    if (watch->at > 0 && now - watch->at < fmax(watch->cost / share, least))
        return &watch->last;
    double began = clock_monotonic();
    read_all(watch);
    watch->at = clock_monotonic();
    watch->cost = watch->at - began;
    return &watch->last;
}

void node_watch_tick(struct node_watch *watch, double now)
{
    if (watch->energy.count && now - watch->at >= ENERGY_OFTEN)
        node_watch_read(watch, now);
}

void node_watch_close(struct node_watch *watch)
{
    for (int i = 0; i < NODE_FILES; i++)
        held_file_close(&watch->files[i]);
    energy_close(&watch->energy);
    group_close(&watch->group);
}

void node_since(const struct node_reading *before, const struct node_reading *after, double cpu_seconds,
                struct run_counters *out)
{
    double busy = after->busy - before->busy, part = busy > 0 ? fmin(cpu_seconds / busy, 1) : NAN;
    run_counters_since(&before->counters, &after->counters, out);
    out->values[COUNT_ENERGY_PROCESSORS] *= part;
    out->values[COUNT_ENERGY_MEMORY] *= part;
}
