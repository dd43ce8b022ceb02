/* gannet slurm-agent: the process that has libslurm in it, started by those that ask Slurm something. */
#include "cli/command.h"
#include "scheduler/slurm/agent.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int run_slurm_agent(struct console *console, const struct args *args)
{
    (void)args;
    struct err err;
    char *path = agent_module_path();
    const struct slurm_module *module = agent_load(path, &err);
    int status = STATUS_FAILED;
    /* libslurm changes what becomes of SIGPIPE while it sends; and what it might print is no answer of ours. */
    signal(SIGPIPE, SIG_IGN);
    /* Slurm sends SIGTERM to every process of a job that it ends: then whoever leads the job asks us why. */
    signal(SIGTERM, SIG_IGN);
    int out = dup(STDOUT_FILENO);
    if (!module)
        console_fail(console, status, &err);
    else if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        status = agent_serve(module, path, STDIN_FILENO, out);
    free(path);
    return status;
}

const struct command cmd_slurm_agent = {.name = "slurm-agent",
                                        .group = GROUP_HIDDEN,
                                        .summary = "Answers questions about Slurm, a line of JSON each",
                                        .text = "Loads gannet's module for Slurm. scheduler/slurm/agent.h has the "
                                                "questions.",
                                        .examples = "echo '{\"call\": \"ping\"}' | gannet slurm-agent",
                                        .run = run_slurm_agent};
