/* gannet-worker: offers this machine's cores and GPUs to an experiment's coordinator and runs the trials it is given.
 */
#include "common/buf.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/link.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"
#include "common/stage.h"
#include "worker/agent/worker_options.h"
#include "worker/agent/show_slots.h"
#include "worker/agent/agent.h"

#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_USAGE = 2 };

/* "FILE,gpus=FILE" in two; `copy` owns the texts. */
static struct topology_source source_of(const struct worker_options *options, char **copy)
{
    struct topology_source source = {
        .cores = options->only_cores, .visible = options->only_gpus, .job_cores = options->job_cores};
    *copy = mem_text(options->topology);
    char *gpus = *copy ? strstr(*copy, ",gpus=") : NULL;
    if (gpus) {
        *gpus = '\0';
        source.gpus = gpus + strlen(",gpus=");
    }
    source.machine = *copy && **copy ? *copy : NULL;
    return source;
}

static int print_slots(const struct worker_options *options, const struct topology_source *source)
{
    struct topology topology;
    struct err err = {""};
    struct buf out = {0};
    int result = topology_read(source, &topology, &err);
    if (result == 0) {
        topology_part(&topology, options->share.part, options->share.parts);
        result = show_slots(&topology, &options->request, !source->machine, options->json, &out, &err);
        topology_fini(&topology);
    }
    fputs(buf_str(&out), stdout);
    if (result)
        fprintf(stderr, "gannet-worker: %s\n", err.text);
    buf_fini(&out);
    return result ? AGENT_FAILED : 0;
}

/* A worker on its loop. */
struct agent_life {
    struct loop *loop;
    struct agent *agent;
    int status;
};

static void on_end(void *context, int status)
{
    struct agent_life *life = context;
    life->status = status;
    loop_stop(life->loop);
}

static void on_term(void *context)
{
    agent_leave(((struct agent_life *)context)->agent, SIGTERM);
}

static void on_interrupt(void *context)
{
    agent_leave(((struct agent_life *)context)->agent, SIGINT);
}

static int run_agent(const struct agent_setup *setup)
{
    struct err err = {""};
    struct agent_life life = {.loop = loop_create(), .status = AGENT_FAILED};
    loop_signal(life.loop, SIGTERM, on_term, &life); /* before ZeroMQ starts its threads */
    loop_signal(life.loop, SIGINT, on_interrupt, &life);
    struct link_context *links = link_context_create(&err);
    life.agent = links ? agent_create(life.loop, links, setup, on_end, &life, &err) : NULL;
    if (life.agent && loop_run(life.loop, &err))
        life.status = AGENT_FAILED;
    if (*err.text)
        log_error("%s", err.text);
    agent_destroy(life.agent);
    stage_sweep(); /* data that trainers who were killed had staged */
    link_context_destroy(links);
    loop_destroy(life.loop);
    return life.status;
}

/* The batch script's node may be gone with the coordinator: then one that is left sees to the search. Whether there is
 * nothing to see to, so that the coordinator may come back. */
static bool asks_to_wait(const char *directory, const char *rundir)
{
    char *program = path_join(directory, "gannet");
    char job[] = "job", rescue[] = "--rescue", option[] = "--rundir";
    char *const argv[] = {program, job, rescue, option, (char *)(uintptr_t)rundir, NULL};
    pid_t child;
    int status = -1, failed = posix_spawn(&child, program, NULL, NULL, argv, environ);
    if (failed)
        log_error("can't start %s: %s", program, strerror(failed));
    bool ended = !failed && waitpid(child, &status, 0) == child && WIFEXITED(status);
    free(program);
    return ended && WEXITSTATUS(status) == AGENT_ALONE;
}

/* Where another filesystem is mounted than on the node that submitted, waiting for a coordinator would be in vain. But
 * the first task of a step makes the directory while the others start already, and NFS shows it to them some time
 * later. */
static int check_rundir(const char *rundir)
{
    enum { PATIENCE_SECONDS = 60 };
    char node[NODE_SIZE];
    for (double end = clock_monotonic() + PATIENCE_SECONDS; clock_monotonic() < end; usleep(100000))
        if (path_exists(rundir))
            return 0;
    log_error("the run directory %s is not there on %s", rundir, node_name(node));
    return AGENT_FAILED;
}

static int run_worker(const struct worker_options *options, struct topology_source source)
{
    char *rundir = options->rundir ? path_absolute(options->rundir) : NULL;
    char *here = path_program_directory();
    char *trainer = options->trainer ? path_absolute(options->trainer) : path_join(here, "gannet-trainer");
    char *reaper = path_join(here, "gannet-reaper"), *lines = path_of_module("lines.so");
    char *cupti = path_of_module("cupti.so");
    char *gpu_trainer = path_join(here, "gannet-trainer-cuda");
    const char *const argv[] = {trainer, NULL}, *const gpu_argv[] = {gpu_trainer, NULL};
    struct agent_setup setup = {.rundir = rundir,
                                .connect = options->connect,
                                .node = options->node,
                                .trainer = argv,
                                .gpu_trainer = !options->trainer && path_exists(gpu_trainer) ? gpu_argv : NULL,
                                .reaper = reaper,
                                .lines = path_exists(lines) ? lines : NULL,
                                .cupti = path_exists(cupti) ? cupti : NULL,
                                .source = source,
                                .shared = options->shared,
                                .part = options->share.part,
                                .parts = options->share.parts,
                                .give_up = options->give_up,
                                .idle_exit = options->idle_exit};
    if (options->rescue)
        signal(SIGPIPE, SIG_IGN); /* srun, which reads what we say, may be gone with its node */
    int status = rundir ? check_rundir(rundir) : 0;
    if (!status)
        status = run_agent(&setup);
    setup.give_up = fmin(setup.give_up, 60); /* from the second time on */
    while (status == AGENT_ALONE && options->rescue && rundir && asks_to_wait(here, rundir))
        status = run_agent(&setup);
    free(rundir);
    free(here);
    free(trainer);
    free(gpu_trainer);
    free(reaper);
    free(lines);
    free(cupti);
    return status;
}

static int print_help(void)
{
    struct buf out = {0};
    worker_options_help(&out);
    fputs(buf_str(&out), stdout);
    buf_fini(&out);
    return 0;
}

int main(int count, char **words)
{
    struct err err;
    char *copy;
    struct worker_options options;
    json_require_memory();
    signal(SIGXFSZ, SIG_IGN); /* what does not fit `ulimit -f` is an error of the run that it belongs to */
    if (worker_options_read(count, words, &options, &err)) {
        fprintf(stderr, "gannet-worker: %s\n", err.text);
        return STATUS_USAGE;
    }
    if (options.help)
        return print_help();
    if (options.version)
        return printf("gannet-worker %s\n", GANNET_VERSION) < 0;
    if (!options.show_slots && !options.rundir) {
        fprintf(stderr, "gannet-worker: nothing says where the coordinator is: give --rundir\n");
        return STATUS_USAGE;
    }
    log_open("worker", (enum log_level)options.log_level);
    struct topology_source source = source_of(&options, &copy);
    int status = options.show_slots ? print_slots(&options, &source) : run_worker(&options, source);
    free(copy);
    return status;
}
