/* Processes in /proc; see process_tree.h. */
#include "worker/program/process_tree.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"
#include "common/proc_stat.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LARGEST = 16 << 20 };

void process_tree_fini(struct process_tree *process_tree)
{
    free(process_tree->pids);
    *process_tree = (struct process_tree){0};
}

/* Reads /proc/PID/NAME; "" when there is no such process or file. */
static const char *read_proc(pid_t pid, const char *name, struct buf *out)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    buf_clear(out);
    path_read(path, out, FILE_LARGEST, NULL);
    return buf_str(out);
}

static void add_pids(const char *text, struct process_tree *out)
{
    char *end;
    for (long pid; (pid = strtol(text, &end, 10)) > 0; text = end) {
        MEM_GROW(out->pids, out->capacity, out->count + 1);
        out->pids[out->count++] = (pid_t)pid;
    }
}

void process_tree_children(pid_t pid, struct process_tree *out)
{
    char path[64], name[64];
    struct buf text = {0};
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0)
            continue;
        snprintf(name, sizeof name, "task/%ld/children", thread);
        add_pids(read_proc(pid, name, &text), out);
    }
    if (threads)
        closedir(threads);
    buf_fini(&text);
}

/* Read from its beginning, an open list is made anew. */
void process_tree_listed(int list, struct process_tree *out)
{
    char bytes[4096];
    struct buf text = {0};
    for (ssize_t length; list >= 0 && (length = pread(list, bytes, sizeof bytes, (off_t)text.length)) > 0;) {
        buf_add(&text, bytes, (size_t)length);
        if ((size_t)length < sizeof bytes / 2)
            break; /* the kernel gives out pages; this one was not full */
    }
    add_pids(buf_str(&text), out);
    buf_fini(&text);
}

void process_tree_tree(pid_t pid, struct process_tree *out)
{
    enum { MOST = 4096 }; /* a program that starts processes faster than they can be listed is not followed for ever */
    size_t at = out->count;
    MEM_GROW(out->pids, out->capacity, out->count + 1);
    out->pids[out->count++] = pid;
    for (; at < out->count && out->count < MOST; at++)
        process_tree_children(out->pids[at], out);
}

bool process_tree_env(pid_t pid, const char *name, struct buf *out)
{
    struct buf env = {0};
    bool found = false;
    read_proc(pid, "environ", &env);
    for (const char *at = buf_str(&env), *end = at + env.length; at < end && !found; at += strlen(at) + 1)
        if (strncmp(at, name, strlen(name)) == 0) {
            buf_clear(out);
            buf_text(out, at + strlen(name));
            found = true;
        }
    buf_fini(&env);
    return found;
}

pid_t process_tree_stopped(pid_t pid)
{
    struct process_tree tree = {0};
    pid_t stopped = 0;
    process_tree_tree(pid, &tree);
    for (size_t i = 0; i < tree.count && !stopped; i++)
        stopped = proc_stat_read(tree.pids[i]).state == 'T' ? tree.pids[i] : 0;
    process_tree_fini(&tree);
    return stopped;
}

/* Pages resident, of statm. */
static uint64_t resident_of(pid_t pid, struct buf *text)
{
    unsigned long long pages = 0;
    if (sscanf(read_proc(pid, "statm", text), "%*u %llu", &pages) != 1)
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The proportional share of smaps_rollup: a page that N processes share counts 1/N for each. */
static uint64_t proportional_of(pid_t pid, struct buf *text)
{
    const char *line = strstr(read_proc(pid, "smaps_rollup", text), "\nPss:");
    return line ? strtoull(line + 5, NULL, 10) * 1024 : resident_of(pid, text);
}

uint64_t process_tree_memory(pid_t pid, bool exactly)
{
    struct process_tree tree = {0};
    struct buf text = {0};
    uint64_t sum = 0;
    process_tree_tree(pid, &tree);
    for (size_t i = 0; i < tree.count; i++)
        sum += exactly ? proportional_of(tree.pids[i], &text) : resident_of(tree.pids[i], &text);
    buf_fini(&text);
    process_tree_fini(&tree);
    return sum;
}

unsigned long long process_tree_peak(pid_t pid)
{
    struct process_tree tree = {0};
    unsigned long long largest = 0;
    process_tree_tree(pid, &tree);
    for (size_t i = 0; i < tree.count; i++) {
        unsigned long long peak = proc_peak(tree.pids[i]);
        largest = peak > largest ? peak : largest;
    }
    process_tree_fini(&tree);
    return largest;
}
