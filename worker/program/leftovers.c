/* Leftovers; see leftovers.h. */
#include "worker/program/leftovers.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/proc.h"
#include "common/proc_mark.h"
#include "worker/program/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void leftovers_mark(struct texts *marks, const char *rundir)
{
    texts_add(marks, mem_format("GANNET_WORKER=%d", (int)getpid()));
    if (!rundir)
        return;
    texts_add(marks, mem_format("GANNET_OWNER=%s", rundir));
    int killed = proc_sweep_orphans(marks->items[1], "GANNET_WORKER=") + proc_mark_sweep_orphans();
    if (killed)
        log_info("%d processes of dead workers were killed", killed);
}

int leftovers_adopt(void)
{
    char path[64];
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The run that a process was started for, as its environment says. */
static void run_of(pid_t pid, uint64_t *trial, uint32_t *attempt)
{
    struct buf text = {0};
    *trial = process_tree_env(pid, "GANNET_TRIAL=", &text) ? strtoull(buf_str(&text), NULL, 10) : 0;
    *attempt = process_tree_env(pid, "GANNET_ATTEMPT=", &text) ? (uint32_t)strtoul(buf_str(&text), NULL, 10) : 0;
    buf_fini(&text);
}

int leftovers_clear(int list, bool (*is_own)(void *context, pid_t pid),
                    bool (*is_living)(void *context, uint64_t trial, uint32_t attempt), void *context)
{
    int killed = 0;
    struct process_tree children = {0};
    process_tree_listed(list, &children);
    for (size_t i = 0; i < children.count; i++) {
        uint64_t trial;
        uint32_t attempt;
        pid_t pid = children.pids[i];
        if (is_own(context, pid) || waitpid(pid, NULL, WNOHANG) == pid)
            continue;
        run_of(pid, &trial, &attempt);
        if (!is_living(context, trial, attempt) && kill(pid, SIGKILL) == 0)
            killed++; /* its own children come to us next, and its end tells us to look again */
    }
    process_tree_fini(&children);
    return killed;
}
