/* What the kernel says of a process; see proc_stat.h. */
#include "common/proc_stat.h"
#include "common/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct proc_stat proc_stat_read(pid_t pid)
{
    char path[64], text[1024];
    struct proc_stat stat = {.state = 'X'};
    unsigned long long times[2] = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return stat;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* 4711 (a name with any characters) S PARENT GROUP ..., children's times are the 16th and 17th, the start is the
     * 22nd */
    const char *name_end = strrchr(text, ')');
    if (!name_end ||
        sscanf(name_end, ") %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %" SCNu64,
               &stat.state, &stat.group, &times[0], &times[1], &stat.start) != 5)
        stat.state = 'X';
    stat.children_cpu = (double)(times[0] + times[1]) / (double)sysconf(_SC_CLK_TCK);
    return stat;
}

bool proc_lives(pid_t pid)
{
    return !strchr("ZXx", proc_stat_read(pid).state);
}
