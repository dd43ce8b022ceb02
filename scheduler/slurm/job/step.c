/* Workers as steps; see step.h. */
#include "scheduler/slurm/job/step.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/request.h"

#include <stdlib.h>
#include <string.h>

static void add_output(const char *output, struct texts *out)
{
    struct buf option = {0};
    buf_text(&option, "--output=");
    slurm_add_file_name(&option, output);
    texts_add(out, buf_take(&option));
}

/* Without this a step gets what the job's tasks were to get, which may be less than all. A node may have none. */
static void add_gpus(const struct allocation *allocation, const struct step_place *place, struct texts *out)
{
    const char *gpus = place->gpus;
    bool elsewhere = place->component && *place->component; /* which has others than the first node, and gives all */
    unsigned long count = gpus ? strtoul(gpus, NULL, 10) : elsewhere ? 0 : allocation->gpus;
    if (count)
        texts_add(out, mem_format("--gres=gpu:%lu", count));
    else if (gpus)
        texts_add(out, mem_text("--gres=none"));
}

void step_words(const struct allocation *allocation, const struct step_place *place, const char *output,
                struct texts *out)
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
    texts_add(out, mem_format("--nodelist=%s", place->node));
    add_output(output, out);
    if (place->parts > 1)
        texts_add(out, mem_text("--overlap")); /* the workers divide the node: Slurm would let one have it all */
    add_gpus(allocation, place, out);
    if (place->component)
        texts_add(out, mem_format("--het-group=%u", *place->component));
}

/* What stands for each node in `text`; nothing when that is not about as many nodes. */
static void split_nodes(const char *text, size_t nodes, struct texts *out)
{
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        end = strchrnul(at, ';');
        texts_add(out, mem_text_n(at, (size_t)(end - at)));
    }
    if (out->count != nodes)
        texts_fini(out);
}

/* The first one's log is the node's: what is looked for when a node has no worker. */
static char *name_log(const struct step_place *place)
{
    return place->part == 1 ? mem_format("worker-%s.log", place->node)
                            : mem_format("worker-%s-%u.log", place->node, place->part);
}

static void add_step(const struct allocation *allocation, const struct rundir *dir, const struct step_place *place,
                     struct job_steps *out)
{
    char *here = path_program_directory(), *program = path_join(here, "gannet-worker");
    char *log = name_log(place), *output = path_join(dir->logs, log);
    bool rescues = allocation->nodes.count > 1; /* the batch script's may be lost, and every step's srun with it */
    const char *const worker[] = {program, "--rundir", dir->path, rescues ? "--rescue" : NULL, NULL};
    struct texts *words = &out->words[out->count];
    step_words(allocation, place, output, words);
    texts_add_all(words, worker);
    if (place->cores && *place->cores)
        texts_add(words, mem_format("--job-cores=%s", place->cores));
    if (place->parts > 1)
        texts_add(words, mem_format("--share=%u/%u", place->part, place->parts));
    texts_add(&out->logs, log);
    out->workers[out->count++] = (struct supervise_worker){.argv = (const char *const *)words->items,
                                                           .log = log,
                                                           .node = place->node,
                                                           .part = place->parts > 1 ? place->part : 0};
    free(output);
    free(program);
    free(here);
}

void steps_make(const struct allocation *allocation, uint32_t per_node, const struct step_known *known,
                const struct rundir *dir, struct job_steps *out)
{
    struct texts cores = {0}, gpus = {0};
    size_t nodes = allocation->nodes.count;
    split_nodes(known->cores, nodes, &cores);
    split_nodes(known->gpus, nodes, &gpus);
    *out = (struct job_steps){.workers = MEM_ARRAY(struct supervise_worker, nodes * per_node),
                              .words = MEM_ARRAY(struct texts, nodes * per_node)};
    for (size_t i = 0; i < nodes; i++)
        for (uint32_t part = 1; part <= per_node; part++)
            add_step(allocation, dir,
                     &(struct step_place){.node = allocation->nodes.items[i],
                                          .cores = cores.count ? cores.items[i] : NULL,
                                          .gpus = gpus.count ? gpus.items[i] : NULL,
                                          .component = allocation->components ? &allocation->components[i] : NULL,
                                          .part = part,
                                          .parts = per_node},
                     out);
    texts_fini(&cores);
    texts_fini(&gpus);
}

void steps_fini(struct job_steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++)
        texts_fini(&steps->words[i]);
    texts_fini(&steps->logs);
    free(steps->words);
    free(steps->workers);
    *steps = (struct job_steps){0};
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
