/* What gannet ask and gannet tell share: the experiment of a person's own loop, and what a trial came to in JSON. */
#ifndef GANNET_CLI_SESSION_ASK_TELL_LOOP_H
#define GANNET_CLI_SESSION_ASK_TELL_LOOP_H

#include "cli/console.h"
#include "cli/option.h"
#include "scheduler/session/ask_tell.h"

/* The experiment that the arguments name (EXP or FILE, --dir, --set, --wait). One that is not there is made of its file
 * by those who ask; to tell it something is an error: nobody was asked to try anything. 0 and *out; else the exit
 * status, everything said. */
enum ask_tell_use { ASK_TELL_ASKS, ASK_TELL_TELLS };
int ask_tell_loop_open(struct console *console, const struct args *args, enum ask_tell_use use, struct ask_tell **out);

/* Asks for a trial: {"trial": 5, "params": {...}}; NULL with a sentence and the exit status. */
json_t *ask_tell_loop_ask(struct ask_tell *ask_tell, int *status, struct err *err);

/* Tells what came of a trial: {"trial": 5, "value": 0.3}, {"trial": 5, "values": {"loss": 0.3}} or {"trial": 5,
 * "failed": "why"}. 0, or the exit status with a sentence. */
int ask_tell_loop_tell(struct ask_tell *ask_tell, const json_t *result, struct err *err);

/* gannet ask --serve, for loops that have no time to start a program for each ask. Reads requests from `in`, one JSON
 * object a line, until it ends, and answers each with a line (docs/ask-tell.md). Lines that have come together are
 * committed together; no answer leaves before that, but those that hold proposals alone. An exit status, everything
 * said. */
int ask_tell_loop_serve(struct console *console, struct ask_tell *ask_tell, int in);

#endif
