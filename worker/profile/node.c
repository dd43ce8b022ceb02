/* The node's counters; see node.h. */
#include "worker/profile/node.h"
#include "common/clock.h"
#include "worker/profile/proc_text.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LARGEST = 16384 }; /* of longer ones the beginning, which has what is looked for */

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

void node_swap(const char *text, struct run_counters *out)
{
    double page = (double)sysconf(_SC_PAGESIZE);
    out->values[COUNT_NODE_SWAP_IN] = proc_text_number(text, "pswpin") * page;
    out->values[COUNT_NODE_SWAP_OUT] = proc_text_number(text, "pswpout") * page;
}

/* "" when there is none. */
static const char *read_file(const struct node_watch *watch, const char *name, char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", watch->proc, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, FILE_LARGEST - 1) : -1;
    text[length > 0 ? length : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return text;
}

static void read_all(struct node_watch *watch)
{
    char text[FILE_LARGEST];
    double *values = watch->last.values;
    run_counters_clear(&watch->last);
    values[COUNT_NODE_CPU_STALL] = node_pressure(read_file(watch, "pressure/cpu", text));
    values[COUNT_NODE_MEMORY_STALL] = node_pressure(read_file(watch, "pressure/memory", text));
    values[COUNT_NODE_IO_STALL] = node_pressure(read_file(watch, "pressure/io", text));
    values[COUNT_NODE_STEAL] = node_steal(read_file(watch, "stat", text));
    node_swap(read_file(watch, "vmstat", text), &watch->last);
}

const struct run_counters *node_watch_read(struct node_watch *watch, double now)
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
