/* Process groups as /proc shows them. For proc.c only. */
#ifndef GANNET_COMMON_PROC_GROUP_H
#define GANNET_COMMON_PROC_GROUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a process of this group runs. One that has ended and was not reaped yet does not. */
bool proc_group_lives(pid_t group);

#endif
