/* Running inside a job of Slurm; see inside.h. */
#include "cli/session/inside.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/refresh.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* A person waits for the start, and the answer is only good to have. */
static const double patience = 3; /* seconds */

int inside_enter(struct inside *inside, struct err *err)
{
    *inside = (struct inside){0};
    return allocation_read(getenv, &inside->allocation, err);
}

void inside_leave(struct inside *inside)
{
    allocation_fini(&inside->allocation);
    steps_fini(&inside->steps);
    texts_fini(&inside->own);
    texts_fini(&inside->options);
}

bool inside_is_worker(const struct inside *inside)
{
    return inside->allocation.task > 0;
}

/* --- tasks of a step --- */

/* Whether Slurm has bound each task of this node to processors of its own; else they all have the same ones. */
static bool tasks_are_bound(const struct allocation *allocation)
{
    cpu_set_t ours;
    uint32_t most = allocation->cpus / allocation->locals;
    return allocation->locals > 1 && most && sched_getaffinity(0, sizeof ours, &ours) == 0 &&
           (uint32_t)CPU_COUNT(&ours) <= most;
}

/* The words of a worker that takes its task's part of the node. */
static void worker_words(const struct allocation *allocation, const struct rundir *dir, struct texts *out)
{
    char *here = path_program_directory();
    texts_add(out, path_join(here, "gannet-worker"));
    texts_add(out, mem_text("--rundir"));
    texts_add(out, mem_text(dir->path));
    texts_add(out, mem_text("--share"));
    texts_add(out, tasks_are_bound(allocation) ? mem_text("1/1")
                                               : mem_format("%u/%u", allocation->local_task + 1, allocation->locals));
    free(here);
}

int inside_work(struct console *console, const struct inside *inside, const struct rundir *dir)
{
    struct texts words = {0};
    struct err err;
    worker_words(&inside->allocation, dir, &words);
    texts_add(&words, mem_text("--log-level=warning")); /* it shares the first task's terminal */
    execv(words.items[0], words.items);
    err_write_errno(&err, "can't start %s", words.items[0]);
    texts_fini(&words);
    return console_fail(console, STATUS_FAILED, &err);
}

/* --- the first of them, or the only one --- */

static void add_end(struct inside *inside, struct console *console, const struct spec *spec)
{
    struct err err = {"it does not know the job"};
    struct slurm_jobs jobs = {0};
    double ends = 0;
    uint32_t id = inside->allocation.id;
    json_t *answer = slurm_ask_now(slurm_ask_job(id), patience, NULL, &err);
    if (answer && slurm_jobs_read(answer, &jobs, &err) == 0)
        for (uint32_t i = 0; i < jobs.count; i++)
            if (jobs.items[i].id == id)
                ends = jobs.items[i].ends;
    texts_add(&inside->options, mem_format("--warn=%.0f", spec->slurm.signal_before_end));
    if (ends > 0)
        texts_add(&inside->options, mem_format("--until=%.0f", ends));
    else
        fprintf(console->err,
                "gannet: it is not known when job %u ends, so trials may be running then: Slurm does not say: %s\n", id,
                err.text);
    slurm_jobs_fini(&jobs);
    json_decref(answer);
}

/* Tasks beside this one are workers already. */
static void use_tasks(struct inside *inside, struct supervise_setup *setup)
{
    static const char log[] = "worker-1.log";
    worker_words(&inside->allocation, setup->dir, &inside->own);
    inside->worker = (struct supervise_worker){.argv = (const char *const *)inside->own.items, .log = log};
    setup->commands = &inside->worker;
    setup->workers = 1;
}

static void use_nodes(struct inside *inside, struct supervise_setup *setup)
{
    step_clean_environment();
    steps_make(&inside->allocation, NULL, setup->dir, &inside->steps);
    setup->commands = inside->steps.workers;
    setup->workers = inside->steps.count;
    setup->alone = true;
}

void inside_prepare(struct inside *inside, struct console *console, const struct spec *spec,
                    struct supervise_setup *setup)
{
    const struct allocation *allocation = &inside->allocation;
    bool several_nodes = allocation->nodes.count > 1 && !allocation->in_step;
    if (!allocation->id)
        return;
    add_end(inside, console, spec);
    setup->options = (const char *const *)inside->options.items;
    if (setup->listen || setup->topology || (allocation->tasks == 1 && !several_nodes))
        return;
    setup->listen = "tcp://0.0.0.0:*";
    if (allocation->tasks > 1)
        use_tasks(inside, setup);
    else
        use_nodes(inside, setup);
}
