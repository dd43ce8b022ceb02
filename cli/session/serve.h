/* gannet ask --serve: asks and tells as lines of JSON, for loops that have no time to start a program for each. */
#ifndef GANNET_CLI_SESSION_SERVE_H
#define GANNET_CLI_SESSION_SERVE_H

#include "cli/console.h"
#include "scheduler/session/ask_tell.h"

/* Reads requests from `in`, one JSON object a line, until it ends, and answers each with a line (docs/ask-tell.md).
 * Lines that have come together are committed together; no answer leaves before that. An exit status, everything said.
 */
int serve_run(struct console *console, struct ask_tell *ask_tell, int in);

#endif
