/* Names from the environment that Slurm gives its tasks; see node.h. */
#include "common/node.h"
#include "common/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *node_host(char out[NODE_SIZE])
{
    out[0] = out[NODE_SIZE - 1] = '\0';
    if (gethostname(out, NODE_SIZE - 1) || !*out)
        snprintf(out, NODE_SIZE, "unknown");
    return out;
}

const char *node_name(char out[NODE_SIZE])
{
    const char *slurm = getenv("SLURMD_NODENAME");
    if (!slurm || !*slurm)
        return node_host(out);
    snprintf(out, NODE_SIZE, "%s", slurm);
    return out;
}

/* A variable that is a whole number; false when it is not set, or something else. */
static bool read_number(const char *name, uint32_t *out)
{
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *out = (uint32_t)number;
    return !errno && !*end && number < UINT32_MAX;
}

struct node_job node_job(void)
{
    struct node_job job = {.element = NODE_NO_ELEMENT};
    if (read_number("SLURM_ARRAY_JOB_ID", &job.job) && read_number("SLURM_ARRAY_TASK_ID", &job.element))
        return job;
    job = (struct node_job){.element = NODE_NO_ELEMENT};
    if (!read_number("SLURM_JOB_ID", &job.job))
        job.job = 0;
    return job;
}

static const int64_t largest_number = 0xfffffff0; /* Slurm's SLURM_MAX_NORMAL_STEP_ID */

bool slurm_step_given(char *(*get)(const char *name))
{
    const char *step = get("SLURM_STEP_ID");
    int64_t number;
    if (!step)
        return false;
    return !units_integer(step, &number) || (number >= 0 && number < largest_number);
}
