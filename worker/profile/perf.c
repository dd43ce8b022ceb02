/* The processor's counters; see perf.h. */
#include "worker/profile/perf.h"
#include "common/mem.h"
#include "worker/profile/proc_text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum whose { ANY, INTEL, AMD };

static const struct {
    enum run_counter counter;
    unsigned group;
    enum whose whose;
    uint32_t type;
    uint64_t config;
} rows[] = {
#define EVENT(counter, group, whose, type, config) {COUNT_##counter, group, whose, type, config},
#include "worker/profile/perf_event_list.h"
};

enum { ROWS = sizeof rows / sizeof *rows, GROUPS = 4, TASKS_MOST = 16 };
_Static_assert(ROWS <= 32, "a bit for each");

struct perf_fd {
    int fd;
    unsigned row;
};

/* --- the system --- */

static int system_open(void *context, const struct perf_event_attr *attr, pid_t thread, int group)
{
    (void)context;
    return (int)syscall(SYS_perf_event_open, attr, thread, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static ssize_t system_read(void *context, int fd, void *out, size_t size)
{
    (void)context;
    return read(fd, out, size);
}

static void system_close(void *context, int fd)
{
    (void)context;
    close(fd);
}

const struct perf_calls perf_system = {system_open, system_read, system_close, NULL};

/* --- which events --- */

struct perf_processor perf_processor_read(const char *cpuinfo)
{
    double family = proc_text_number(cpuinfo, "cpu family"), model = proc_text_number(cpuinfo, "model");
    return (struct perf_processor){.intel = strstr(cpuinfo, "GenuineIntel") != NULL,
                                   .amd = strstr(cpuinfo, "AuthenticAMD") != NULL,
                                   .family = family >= 0 && family < 1e6 ? (unsigned)family : 0,
                                   .model = model >= 0 && model < 1e6 ? (unsigned)model : 0};
}

struct perf_processor perf_processor_here(void)
{
    char text[4096] = ""; /* the first processor's part */
    FILE *file = fopen("/proc/cpuinfo", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return perf_processor_read(text);
}

/* Whether its numbers are known to mean the event of ours. Of processors with two kinds of cores they are not. */
static bool has_own_events(const struct perf_processor *processor, enum whose whose)
{
    static const unsigned char models[] = {0x3d, 0x47, 0x4e, 0x4f, 0x55, 0x56, 0x5e, 0x6a, 0x6c, 0x7d, 0x7e,
                                           0x8c, 0x8d, 0x8e, 0x8f, 0x9e, 0xa5, 0xa6, 0xa7, 0xad, 0xae, 0xcf};
    if (whose == ANY)
        return true;
    if (whose == AMD)
        return processor->amd && processor->family >= 0x17 && processor->family <= 0x1a;
    return processor->intel && processor->family == 6 && processor->model <= 0xff &&
           memchr(models, (int)processor->model, sizeof models);
}

static int open_row(const struct perf_calls *calls, unsigned row, pid_t thread, int group)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = rows[row].type,
                                   .config = rows[row].config,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    return calls->open(calls->context, &attr, thread, group);
}

static void say_why(int error, int paranoid, char *out, size_t size)
{
    if (error == EACCES || error == EPERM)
        snprintf(out, size,
                 "this user may not count: kernel.perf_event_paranoid is %d (2 or less allows it), or a "
                 "container forbids it",
                 paranoid);
    else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL)
        snprintf(out, size, "the processor does not offer it here; many virtual machines have no such counters");
    else if (error == ENOSYS)
        snprintf(out, size, "this kernel has no perf_event_open");
    else
        snprintf(out, size, "perf_event_open: %s", strerror(error));
}

perf_events perf_probe(const struct perf_calls *calls, const struct perf_processor *processor, int paranoid,
                       void (*why)(void *context, enum run_counter counter, const char *sentence), void *context)
{
    char sentence[200];
    perf_events events = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        bool is_known = has_own_events(processor, rows[i].whose);
        int fd = is_known ? open_row(calls, i, 0, -1) : -1;
        if (fd >= 0) {
            calls->close(calls->context, fd);
            events |= 1u << i;
            continue;
        }
        if (is_known)
            say_why(errno, paranoid, sentence, sizeof sentence);
        else
            snprintf(sentence, sizeof sentence, "which event of this processor counts it is not known");
        why(context, rows[i].counter, sentence);
    }
    if (!events)
        why(context, COUNT_COUNTED_SHARE, "none of the processor's events can be counted");
    return events;
}

/* --- counting --- */

static bool is_attached(const struct perf_counts *counts, pid_t thread)
{
    for (size_t i = 0; i < counts->thread_count; i++)
        if (counts->threads[i] == thread)
            return true;
    return false;
}

void perf_attach(struct perf_counts *counts, const struct perf_calls *calls, const struct perf_processor *processor,
                 perf_events events, pid_t thread)
{
    int leaders[GROUPS] = {-1, -1, -1, -1};
    if (!events || counts->incomplete || is_attached(counts, thread))
        return;
    MEM_GROW(counts->threads, counts->thread_capacity, counts->thread_count + 1);
    counts->threads[counts->thread_count++] = thread;
    for (unsigned i = 0; i < ROWS; i++) {
        if (!(events & 1u << i) || !has_own_events(processor, rows[i].whose))
            continue;
        int fd = open_row(calls, i, thread, leaders[rows[i].group]);
        if (fd < 0) {
            counts->incomplete |= errno != ESRCH; /* it has ended: there is nothing to count */
            return;
        }
        if (leaders[rows[i].group] < 0)
            leaders[rows[i].group] = fd;
        MEM_GROW(counts->fds, counts->capacity, counts->count + 1);
        counts->fds[counts->count++] = (struct perf_fd){fd, i};
    }
}

static void attach_process(struct perf_counts *counts, const struct perf_calls *calls,
                           const struct perf_processor *processor, perf_events events, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && counts->thread_count < TASKS_MOST)
            perf_attach(counts, calls, processor, events, thread);
        else if (thread > 0)
            counts->incomplete |= !is_attached(counts, thread);
    }
    if (threads)
        closedir(threads);
}

void perf_attach_tree(struct perf_counts *counts, const struct perf_calls *calls,
                      const struct perf_processor *processor, perf_events events, const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count && events; i++)
        attach_process(counts, calls, processor, events, pids[i]);
}

/* What the kernel gives out, in this order. */
struct perf_reading {
    uint64_t value, enabled, running;
};

/* Adds one event of one thread; false: it is not known. */
static bool add_reading(const struct perf_reading *reading, double *value)
{
    if (!reading->running && reading->enabled)
        return false; /* its turn never came */
    double scale = reading->running && reading->running < reading->enabled
                       ? (double)reading->enabled / (double)reading->running
                       : 1;
    *value = (isnan(*value) ? 0 : *value) + (double)reading->value * scale;
    return true;
}

void perf_read(const struct perf_counts *counts, const struct perf_calls *calls, struct run_counters *out)
{
    struct run_counters read;
    bool unknown[ROWS] = {false};
    double enabled = 0, running = 0;
    run_counters_clear(&read);
    if (counts->incomplete)
        return;
    for (size_t i = 0; i < counts->count; i++) {
        struct perf_reading reading;
        const struct perf_fd *fd = &counts->fds[i];
        if (calls->read(calls->context, fd->fd, &reading, sizeof reading) != (ssize_t)sizeof reading ||
            !add_reading(&reading, &read.values[rows[fd->row].counter])) {
            unknown[fd->row] = true;
            continue;
        }
        enabled += (double)reading.enabled;
        running += (double)(reading.running < reading.enabled ? reading.running : reading.enabled);
    }
    for (unsigned i = 0; i < ROWS; i++)
        if (!unknown[i] && !isnan(read.values[rows[i].counter]))
            out->values[rows[i].counter] = read.values[rows[i].counter];
    if (enabled > 0)
        out->values[COUNT_COUNTED_SHARE] = running / enabled;
}

void perf_close(struct perf_counts *counts, const struct perf_calls *calls)
{
    for (size_t i = 0; i < counts->count; i++)
        calls->close(calls->context, counts->fds[i].fd);
    free(counts->fds);
    free(counts->threads);
    *counts = (struct perf_counts){0};
}
