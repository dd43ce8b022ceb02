/* Trials that wait at a checkpoint, and go on. */
#ifndef GANNET_SCHEDULER_CORE_PAUSE_H
#define GANNET_SCHEDULER_CORE_PAUSE_H

#include "common/endings.h"

struct core;
struct trial;

/* `cut_off`: as early stopping said with `why`; NAN: nothing. */
void pause_resume(struct core *core, struct trial *trial, const char *why, double cut_off);
/* Ends a paused trial with what it came to. */
void pause_end(struct core *core, struct trial *trial, enum ending ending, const char *why);
void pause_move(struct core *core); /* lets early stopping take up or end paused trials */

#endif
