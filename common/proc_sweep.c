/* The sweep: finds processes by a mark in their environment, which children and their children inherit; see proc.h. */
#include "common/buf.h"
#include "common/map.h"
#include "common/path.h"
#include "common/proc.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is swept: processes with this mark and, when `owner` is not NULL, without the process that it names. */
struct sweep {
    const char *mark;
    const char *owner; /* "NAME=" */
};

/* The first of the zero-ended texts that begins so, or NULL. */
static const char *find(const struct buf *env, const char *beginning)
{
    for (const char *at = buf_str(env), *end = at + env->length; at < end; at += strlen(at) + 1)
        if (strncmp(at, beginning, strlen(beginning)) == 0)
            return at;
    return NULL;
}

static bool is_orphan(const struct buf *env, const char *owner)
{
    const char *text = find(env, owner);
    long pid = text ? strtol(text + strlen(owner), NULL, 10) : 0;
    return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

static bool holds(const struct buf *env, const struct sweep *sweep)
{
    const char *mark = find(env, sweep->mark);
    return mark && strcmp(mark, sweep->mark) == 0 && (!sweep->owner || is_orphan(env, sweep->owner));
}

static bool is_marked(pid_t pid, const struct sweep *sweep)
{
    enum { LARGEST = 16 << 20 };
    char path[64];
    struct stat at;
    struct buf env = {0};
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    bool marked = stat(path, &at) == 0 && at.st_uid == geteuid() && path_read(path, &env, LARGEST, NULL) == 0 &&
                  holds(&env, sweep);
    buf_fini(&env);
    return marked;
}

/* Kills the marked processes that are not in `known` and puts them there; how many. */
static int sweep_once(const struct sweep *sweep, struct map *known)
{
    int killed = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 1 || pid == getpid() || map_get(known, (uint64_t)pid) || !is_marked(pid, sweep))
            continue;
        if (kill(pid, SIGKILL) == 0)
            killed++;
        map_put(known, (uint64_t)pid, known);
    }
    if (processes)
        closedir(processes);
    return killed;
}

static int sweep_all(const struct sweep *sweep)
{
    /* Each pass catches what the ones before it started meanwhile; a second one is made in any case, because a process
     * has no environment at the moment in which it becomes another program. */
    enum { LEAST_PASSES = 2, MOST_PASSES = 20 };
    struct map known = {0};
    int killed = 0;
    for (int pass = 0, found = 0; (found || pass < LEAST_PASSES) && pass < MOST_PASSES; pass++)
        killed += found = sweep_once(sweep, &known);
    map_fini(&known);
    return killed;
}

int proc_sweep(const char *mark)
{
    struct sweep sweep = {.mark = mark};
    return sweep_all(&sweep);
}

int proc_sweep_orphans(const char *mark, const char *owner)
{
    struct sweep sweep = {.mark = mark, .owner = owner};
    return sweep_all(&sweep);
}
