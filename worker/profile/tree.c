/* Looks at processes; see tree.h. */
#include "worker/profile/tree.h"
#include "common/clock.h"
#include "common/mem.h"
#include "worker/profile/proc_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LARGEST = 8192, THREADS_MOST = 65536 };

/* Of one thread what is gone with it. */
struct tree_thread {
    pid_t id;
    struct run_counters counters;
};

/* Reads a file below the directory into `text`, of FILE_LARGEST; false: it is not there. */
static bool read_file(const char *directory, const char *name, char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, FILE_LARGEST - 1) : -1;
    text[length > 0 ? length : 0] = '\0';
    if (fd >= 0)
        close(fd);
    return length > 0;
}

static void look_at_thread(const char *directory, pid_t id, struct tree_looks *found)
{
    char text[FILE_LARGEST];
    MEM_GROW(found->threads, found->capacity, found->count + 1);
    struct tree_thread *thread = &found->threads[found->count];
    thread->id = id;
    run_counters_clear(&thread->counters);
    if (read_file(directory, "schedstat", text))
        proc_text_schedstat(text, &thread->counters);
    if (read_file(directory, "sched", text))
        proc_text_sched(text, &thread->counters);
    found->count += run_counters_any(&thread->counters);
}

static void look_at_threads(const char *directory, struct tree_looks *found)
{
    char path[512];
    snprintf(path, sizeof path, "%s/task", directory);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && found->count < THREADS_MOST && (entry = readdir(threads));) {
        long id = strtol(entry->d_name, NULL, 10);
        if (id <= 0)
            continue;
        snprintf(path, sizeof path, "%s/task/%ld", directory, id);
        look_at_thread(path, (pid_t)id, found);
    }
    if (threads)
        closedir(threads);
}

/* Adds what a process has to found->last, and its threads. */
static void look_at_process(const char *proc, pid_t pid, struct tree_looks *found)
{
    char directory[256], text[FILE_LARGEST];
    struct run_counters counters;
    snprintf(directory, sizeof directory, "%s/%d", proc, (int)pid);
    run_counters_clear(&counters);
    if (!read_file(directory, "stat", text))
        return;
    proc_text_stat(text, &counters);
    if (read_file(directory, "io", text))
        proc_text_io(text, &counters);
    if (read_file(directory, "status", text))
        proc_text_status(text, &counters);
    double swapped = found->last.values[COUNT_SWAPPED];
    run_counters_merge(&found->last, &counters);
    if (swapped > 0 && counters.values[COUNT_SWAPPED] > 0) /* that of several processes is there at the same time */
        found->last.values[COUNT_SWAPPED] = swapped + counters.values[COUNT_SWAPPED];
    look_at_threads(directory, found);
}

void tree_read_io(const char *proc, pid_t pid, struct run_counters *out)
{
    char directory[256], text[FILE_LARGEST];
    snprintf(directory, sizeof directory, "%s/%d", proc, (int)pid);
    if (read_file(directory, "io", text))
        proc_text_io(text, out);
}

static int compare_threads(const void *a, const void *b)
{
    const struct tree_thread *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

/* A number that was given to another thread meanwhile has counted less. */
static bool is_same(const struct tree_thread *before, const struct tree_thread *now)
{
    return before->id == now->id &&
           !(now->counters.values[COUNT_QUEUE_WAIT] < before->counters.values[COUNT_QUEUE_WAIT]) &&
           !(now->counters.values[COUNT_VOLUNTARY] < before->counters.values[COUNT_VOLUNTARY]);
}

/* Keeps what those of the last look had that are not there any more. */
static void keep_gone(struct tree_looks *looks, const struct tree_looks *found)
{
    size_t at = 0;
    for (size_t i = 0; i < looks->count; i++) {
        while (at < found->count && found->threads[at].id < looks->threads[i].id)
            at++;
        if (at == found->count || !is_same(&looks->threads[i], &found->threads[at]))
            run_counters_merge(&looks->gone, &looks->threads[i].counters);
    }
}

static void keep_most(struct run_counters *most, const struct run_counters *now)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        most->values[i] = fmax(most->values[i], now->values[i]); /* NaN loses */
}

void tree_looks_fini(struct tree_looks *looks)
{
    free(looks->threads);
    *looks = (struct tree_looks){0};
}

bool tree_looks_due(const struct tree_looks *looks, double now)
{
    static const double share = 0.005, least = 0.01;
    return !(looks->at > 0) || now - looks->at >= fmax(looks->cost / share, least);
}

void tree_looks_take(struct tree_looks *looks, const char *proc, const pid_t *pids, size_t count)
{
    double began = clock_monotonic();
    struct tree_looks found = {0};
    if (!(looks->at > 0)) {
        run_counters_clear(&looks->gone);
        run_counters_clear(&looks->most);
    }
    run_counters_clear(&found.last);
    for (size_t i = 0; i < count; i++)
        look_at_process(proc, pids[i], &found);
    if (found.count)
        qsort(found.threads, found.count, sizeof *found.threads, compare_threads);
    keep_gone(looks, &found);
    for (size_t i = 0; i < found.count; i++)
        run_counters_merge(&found.last, &found.threads[i].counters);
    run_counters_merge(&found.last, &looks->gone);
    free(looks->threads);
    looks->threads = found.threads;
    looks->count = found.count;
    looks->capacity = found.capacity;
    looks->last = found.last;
    keep_most(&looks->most, &found.last);
    looks->at = clock_monotonic();
    looks->cost = looks->at - began;
}

void tree_looks_add(const struct tree_looks *looks, struct run_counters *counters)
{
    if (looks->at > 0)
        keep_most(counters, &looks->most);
}
