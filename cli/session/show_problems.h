/* Problems of an experiment file, or of what is to be made of it, as the person sees them. */
#ifndef GANNET_CLI_SESSION_SHOW_PROBLEMS_H
#define GANNET_CLI_SESSION_SHOW_PROBLEMS_H

#include "cli/console.h"
#include "scheduler/spec/spec.h"

/* Shows them, with the line that closes them: "...; nothing was started." */
void show_problems(struct console *console, struct problems *problems, const char *consequence);

#endif
