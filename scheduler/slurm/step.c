/* srun's words; see step.h. */
#include "scheduler/slurm/step.h"

#include "common/mem.h"

#include <stdlib.h>

void step_words(const struct allocation *allocation, const char *node, const char *output, struct texts *out)
{
    static const char *const always[] = {
        "srun",
        "--nodes=1",
        "--ntasks=1",
        "--no-kill",            /* another node's death leaves it alone */
        "--kill-on-bad-exit=0", /* so does another worker's */
        "--cpu-bind=none",      /* the worker binds trials itself, within what the job was given */
        "--mem=0",              /* all that the job has on the node */
        "--open-mode=append",
        "--input=none",
        "--quiet",
        NULL,
    };
    texts_add_all(out, always);
    texts_add(out, mem_format("--nodelist=%s", node));
    texts_add(out, mem_format("--output=%s", output));
    /* Without this a step gets what the job's tasks were to get, which may be less than all. */
    if (allocation->gpus)
        texts_add(out, mem_format("--gres=gpu:%u", allocation->gpus));
    /* A step waits until nobody else has its processors; inside a step that would be ourselves. */
    if (allocation->in_step)
        texts_add(out, mem_text("--overlap"));
}

void step_clean_environment(void)
{
    static const char *const names[] = {
        "SLURM_CPUS_PER_TASK",
        "SRUN_CPUS_PER_TASK",
        "SLURM_CPU_BIND",
        "SLURM_DISTRIBUTION",
        "SLURM_EXACT",
        "SLURM_EXCLUSIVE",
        "SLURM_GPUS",
        "SLURM_GPUS_PER_NODE",
        "SLURM_GPUS_PER_SOCKET",
        "SLURM_GPUS_PER_TASK",
        "SLURM_GPU_BIND",
        "SLURM_GRES",
        "SLURM_HINT",
        "SLURM_MEM_BIND",
        "SLURM_MEM_PER_GPU",
        "SLURM_NNODES",
        "SLURM_NPROCS",
        "SLURM_NTASKS",
        "SLURM_NTASKS_PER_CORE",
        "SLURM_NTASKS_PER_GPU",
        "SLURM_NTASKS_PER_NODE",
        "SLURM_NTASKS_PER_SOCKET",
        "SLURM_OPEN_MODE",
        "SLURM_OVERCOMMIT",
        "SLURM_OVERLAP",
        "SLURM_THREADS_PER_CORE",
        "SLURM_TRES_PER_TASK",
        "SLURM_WHOLE",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}
