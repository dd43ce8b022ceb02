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
static const char *find_in_environment(const struct buf *env, const char *beginning)
{
    for (const char *at = buf_str(env), *end = at + env->length; at < end; at += strlen(at) + 1)
        if (strncmp(at, beginning, strlen(beginning)) == 0)
            return at;
    return NULL;
}

static bool is_orphan(const struct buf *env, const char *owner)
{
    const char *text = find_in_environment(env, owner);
    long pid = text ? strtol(text + strlen(owner), NULL, 10) : 0;
    return pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

static bool holds_mark(const struct buf *env, const struct sweep *sweep)
{
    const char *mark = find_in_environment(env, sweep->mark);
    return mark && strcmp(mark, sweep->mark) == 0 && (!sweep->owner || is_orphan(env, sweep->owner));
}

/* A process shows no environment at the moment in which it becomes another program. (Kernel threads never show one, but
 * they run no program either.) */
static bool is_between_programs(pid_t pid, const struct buf *env)
{
    char path[64], program[8];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    return env->length == 0 && readlink(path, program, sizeof program) > 0;
}

enum sight { NOT_MARKED, MARKED, LOOK_AGAIN };

static enum sight look_at(pid_t pid, const struct sweep *sweep)
{
    enum { LARGEST = 16 << 20 };
    char path[64];
    struct stat at;
    struct buf env = {0};
    enum sight sight = NOT_MARKED;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    if (stat(path, &at) == 0 && at.st_uid == geteuid() && path_read(path, &env, LARGEST, NULL) == 0)
        sight = is_between_programs(pid, &env) ? LOOK_AGAIN : holds_mark(&env, sweep) ? MARKED : NOT_MARKED;
    buf_fini(&env);
    return sight;
}

/* Kills the marked processes that are not in `known` and puts them there; how many. *again: it saw some that it could
 * not tell. */
static int sweep_once(const struct sweep *sweep, struct map *known, bool *again)
{
    int killed = 0;
    *again = false;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 1 || pid == getpid() || map_get(known, (uint64_t)pid))
            continue;
        enum sight sight = look_at(pid, sweep);
        *again |= sight == LOOK_AGAIN;
        if (sight != MARKED)
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
    /* Each pass catches what the ones before it started meanwhile. */
    enum { LEAST_PASSES = 2, MOST_PASSES = 20, PAUSE = 1000 /* microseconds */ };
    struct map known = {0};
    int killed = 0;
    bool again = false;
    for (int pass = 0, found = 0; (found || again || pass < LEAST_PASSES) && pass < MOST_PASSES; pass++) {
        if (again)
            usleep(PAUSE);
        killed += found = sweep_once(sweep, &known, &again);
    }
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
