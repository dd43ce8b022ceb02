/* Workers as steps; see step.h. */
#include "scheduler/slurm/step.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* srun takes a percent sign in the name of a file for a pattern. */
static void add_output(const char *output, struct texts *out)
{
    struct buf option = {0};
    buf_text(&option, "--output=");
    for (; *output; output++)
        buf_format(&option, *output == '%' ? "%%%%" : "%c", *output);
    texts_add(out, buf_take(&option));
}

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
    add_output(output, out);
    /* Without this a step gets what the job's tasks were to get, which may be less than all. */
    if (allocation->gpus)
        texts_add(out, mem_format("--gres=gpu:%u", allocation->gpus));
}

/* The cores of each node in `text`; false when that is not about as many nodes. */
static bool split_cores(const char *text, size_t nodes, struct texts *out)
{
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        end = strchrnul(at, ';');
        texts_add(out, mem_text_n(at, (size_t)(end - at)));
    }
    return out->count == nodes;
}

void steps_make(const struct allocation *allocation, const char *cores, const struct rundir *dir, struct steps *out)
{
    char *here = path_program_directory(), *program = path_join(here, "gannet-worker");
    /* The batch script's node may be lost, and every step's srun with it. */
    const char *const worker[] = {program, "--rundir", dir->path, allocation->nodes.count > 1 ? "--rescue" : NULL,
                                  NULL};
    struct texts each = {0};
    bool known = split_cores(cores, allocation->nodes.count, &each);
    *out = (struct steps){.count = (uint32_t)allocation->nodes.count};
    out->workers = MEM_ARRAY(struct supervise_worker, out->count);
    out->words = MEM_ARRAY(struct texts, out->count);
    for (uint32_t i = 0; i < out->count; i++) {
        const char *node = allocation->nodes.items[i];
        char *log = mem_format("worker-%s.log", node), *output = path_join(dir->logs, log);
        step_words(allocation, node, output, &out->words[i]);
        texts_add_all(&out->words[i], worker);
        if (known && *each.items[i])
            texts_add(&out->words[i], mem_format("--job-cores=%s", each.items[i]));
        texts_add(&out->logs, log);
        out->workers[i] = (struct supervise_worker){(const char *const *)out->words[i].items, log, node};
        free(output);
    }
    texts_fini(&each);
    free(program);
    free(here);
}

void steps_fini(struct steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++)
        texts_fini(&steps->words[i]);
    texts_fini(&steps->logs);
    free(steps->words);
    free(steps->workers);
    *steps = (struct steps){0};
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
