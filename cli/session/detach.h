/* gannet run --detach: the run goes on in a process of its own that has left the terminal; the person's command ends as
 * soon as the coordinator answers, or with what kept it from starting. */
#ifndef GANNET_CLI_SESSION_DETACH_H
#define GANNET_CLI_SESSION_DETACH_H

#include "cli/console.h"
#include "cli/option.h"

/* `run` is what would be done here. The exit status: OK when it runs, that of the run when it has ended already. */
int detach_run(struct console *console, const struct args *args,
               int (*run)(struct console *console, const struct args *args));

#endif
