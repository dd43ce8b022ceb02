/* Runs of a script on the worker harness; see worker_scripts.h. */
#include "tests/worker_scripts.h"

#include "common/mem.h"

#include <stdlib.h>

void scripts_start(struct harness *harness, const char *script)
{
    char *command = mem_format("[\"/bin/sh\",\"-c\",\"%s\"]", script);
    harness->task.command = command;
    harness_start(harness);
    harness->task.command = NULL;
    free(command);
}

const struct msg_result *scripts_run(struct harness *harness, const char *script)
{
    scripts_start(harness, script);
    harness_lease(harness, 1, 1, "{\"lr\":0.5,\"opt\":\"adam\"}");
    return harness_result(harness, 1);
}

void scripts_let_go(const struct harness *harness)
{
    struct buf path = {0};
    buf_format(&path, "%s/go", harness->scratch);
    write_file(buf_str(&path), "", 0600);
    buf_fini(&path);
}
