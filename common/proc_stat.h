/* What the kernel says of a process, anybody's: /proc/PID/stat. */
#ifndef GANNET_COMMON_PROC_STAT_H
#define GANNET_COMMON_PROC_STAT_H

#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
    char state; /* 'X': there is no such process */
    int group;
    double children_cpu; /* processor seconds of its waited-for children */
    uint64_t start;      /* when it was started, in ticks since the boot: with its number it is no other process */
};

struct proc_stat proc_stat_read(pid_t pid);

#endif
