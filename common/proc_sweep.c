/* The sweep: finds processes by a mark in their environment, which children and their children inherit; see proc.h. */
#include "common/buf.h"
#include "common/map.h"
#include "common/path.h"
#include "common/proc.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether one of the zero-ended texts is the mark. */
static bool holds(const struct buf *env, const char *mark)
{
    for (const char *at = buf_str(env), *end = at + env->length; at < end; at += strlen(at) + 1)
        if (strcmp(at, mark) == 0)
            return true;
    return false;
}

static bool is_marked(pid_t pid, const char *mark)
{
    enum { LARGEST = 16 << 20 };
    char path[64];
    struct stat at;
    struct buf env = {0};
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    bool marked = stat(path, &at) == 0 && at.st_uid == geteuid() && path_read(path, &env, LARGEST, NULL) == 0 &&
                  holds(&env, mark);
    buf_fini(&env);
    return marked;
}

/* Kills the marked processes that are not in `known` and puts them there; how many. */
static int sweep_once(const char *mark, struct map *known)
{
    int killed = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 1 || pid == getpid() || map_get(known, (uint64_t)pid) || !is_marked(pid, mark))
            continue;
        if (kill(pid, SIGKILL) == 0)
            killed++;
        map_put(known, (uint64_t)pid, known);
    }
    if (processes)
        closedir(processes);
    return killed;
}

int proc_sweep(const char *mark)
{
    enum { MOST_PASSES = 20 }; /* each catches what the ones before it started meanwhile */
    struct map known = {0};
    int killed = 0;
    for (int pass = 0, found = 1; found && pass < MOST_PASSES; pass++)
        killed += found = sweep_once(mark, &known);
    map_fini(&known);
    return killed;
}
