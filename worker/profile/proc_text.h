/* What files of /proc about one process or thread say (proc(5)), as texts that were read: whatever stands in them, what
 * is not understood is unknown. */
#ifndef GANNET_WORKER_PROFILE_PROC_TEXT_H
#define GANNET_WORKER_PROFILE_PROC_TEXT_H

#include "common/run_counters.h"

/* /proc/PID/stat: processor time and faults, those of its waited-for children included. */
void proc_text_stat(const char *text, struct run_counters *out);

/* /proc/PID/io: bytes read and written, those of its waited-for children included. */
void proc_text_io(const char *text, struct run_counters *out);

/* /proc/PID/status: what is swapped out. */
void proc_text_status(const char *text, struct run_counters *out);

/* Of a thread: /proc/PID/task/TID/schedstat and sched: its wait for a core, its moves between cores, its switches. */
void proc_text_schedstat(const char *text, struct run_counters *out);
void proc_text_sched(const char *text, struct run_counters *out);

/* The number that a text begins with, none below 0; NaN: none. */
double proc_text_value(const char *text);

/* The number behind "NAME" at the start of a line and any blanks and colons; NaN: there is none. */
double proc_text_number(const char *text, const char *name);

#endif
