/* What an attempt is given: one that ended for want of memory or of time is followed by one that gets more. */
#ifndef GANNET_SCHEDULER_CORE_GROW_H
#define GANNET_SCHEDULER_CORE_GROW_H

#include "common/endings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct trial;

/* What the trial's next attempt may use, and its present one: bytes, and seconds; 0: not limited. */
uint64_t grow_memory(const struct core *core, const struct trial *trial);
double grow_time(const struct core *core, const struct trial *trial);

/* The same as they are written down: 0 when every attempt gets the same. */
uint64_t grow_written_memory(const struct core *core, const struct trial *trial);
double grow_written_time(const struct core *core, const struct trial *trial);

/* An attempt ended for want of something: whether the experiment wants others to get more of that. */
bool grow_is_wanted(const struct core *core, enum ending ending);

/* Gives the trial more of it; false: it had the most that there is, and `why` gets the sentence of its end. */
bool grow_give(const struct core *core, struct trial *trial, enum ending ending, const char *detail, char *why,
               size_t size);

#endif
