/* Who runs and who does not; see proc.h and proc_group.h. */
#include "common/proc_group.h"
#include "common/proc.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What /proc/PID/stat says of a process. */
struct stand {
    char state;
    int group;
};

/* 'X' when there is no such process. */
static struct stand stand_of(pid_t pid)
{
    char path[64], text[512];
    struct stand stand = {.state = 'X'};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return stand;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* 4711 (a name with any characters) S PARENT GROUP ... */
    const char *name_end = strrchr(text, ')');
    if (!name_end || sscanf(name_end, ") %c %*d %d", &stand.state, &stand.group) != 2)
        stand.state = 'X';
    return stand;
}

static bool stand_runs(struct stand stand)
{
    return !strchr("ZXx", stand.state);
}

bool proc_lives(pid_t pid)
{
    return stand_runs(stand_of(pid));
}

bool proc_group_lives(pid_t group)
{
    bool lives = false;
    if (kill(-group, 0))
        return false; /* the usual case, and the only cheap one */
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !lives && (entry = readdir(processes));) {
        struct stand stand = stand_of((pid_t)strtol(entry->d_name, NULL, 10));
        lives = stand.group == group && stand_runs(stand);
    }
    if (processes)
        closedir(processes);
    return lives;
}
