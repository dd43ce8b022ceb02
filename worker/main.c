/* gannet-worker: offers this machine's cores and GPUs to an experiment's coordinator and runs the trials it is given.
 */
#include "common/buf.h"
#include "common/link.h"
#include "common/log.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/agent/options.h"
#include "worker/agent/show.h"
#include "worker/agent/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_USAGE = 2 };

/* "FILE,gpus=FILE" in two; `copy` owns the texts. */
static struct topology_source source_of(const struct options *options, char **copy)
{
    struct topology_source source = {.job_cores = options->job_cores};
    *copy = mem_text(options->topology);
    char *gpus = *copy ? strstr(*copy, ",gpus=") : NULL;
    if (gpus) {
        *gpus = '\0';
        source.gpus = gpus + strlen(",gpus=");
    }
    source.machine = *copy && **copy ? *copy : NULL;
    return source;
}

static int show(const struct options *options, const struct topology_source *source)
{
    struct topology topology;
    struct err err = {""};
    struct buf out = {0};
    int result = topology_read(source, &topology, &err);
    if (result == 0) {
        topology_part(&topology, options->share.part, options->share.parts);
        result = show_slots(&topology, &options->wish, options->json, &out, &err);
        topology_fini(&topology);
    }
    fputs(buf_str(&out), stdout);
    if (result)
        fprintf(stderr, "gannet-worker: %s\n", err.text);
    buf_fini(&out);
    return result ? WORKER_FAILED : 0;
}

/* A worker on its loop. */
struct life {
    struct loop *loop;
    struct worker *worker;
    int status;
};

static void on_end(void *context, int status)
{
    struct life *life = context;
    life->status = status;
    loop_stop(life->loop);
}

static void on_term(void *context)
{
    worker_leave(((struct life *)context)->worker, SIGTERM);
}

static void on_interrupt(void *context)
{
    worker_leave(((struct life *)context)->worker, SIGINT);
}

static int run(const struct worker_setup *setup)
{
    struct err err = {""};
    struct life life = {.loop = loop_create(), .status = WORKER_FAILED};
    loop_signal(life.loop, SIGTERM, on_term, &life); /* before ZeroMQ starts its threads */
    loop_signal(life.loop, SIGINT, on_interrupt, &life);
    struct link_context *links = link_context_create(&err);
    life.worker = links ? worker_create(life.loop, links, setup, on_end, &life, &err) : NULL;
    if (life.worker && loop_run(life.loop, &err))
        life.status = WORKER_FAILED;
    if (*err.text)
        log_error("%s", err.text);
    worker_destroy(life.worker);
    link_context_destroy(links);
    loop_destroy(life.loop);
    return life.status;
}

static int work(const struct options *options, struct topology_source source)
{
    char *rundir = options->rundir ? path_absolute(options->rundir) : NULL;
    char *here = path_program_directory();
    char *trainer = options->trainer ? path_absolute(options->trainer) : path_join(here, "gannet-trainer");
    const char *const argv[] = {trainer, NULL};
    struct worker_setup setup = {.rundir = rundir,
                                 .connect = options->connect,
                                 .trainer = argv,
                                 .source = source,
                                 .part = options->share.part,
                                 .parts = options->share.parts,
                                 .give_up = options->give_up,
                                 .idle_exit = options->idle_exit};
    int status = run(&setup);
    free(rundir);
    free(here);
    free(trainer);
    return status;
}

static int print_help(void)
{
    struct buf out = {0};
    options_help(&out);
    fputs(buf_str(&out), stdout);
    buf_fini(&out);
    return 0;
}

int main(int count, char **words)
{
    struct err err;
    char *copy;
    struct options options;
    if (options_read(count, words, &options, &err)) {
        fprintf(stderr, "gannet-worker: %s\n", err.text);
        return STATUS_USAGE;
    }
    if (options.help)
        return print_help();
    if (options.version)
        return printf("gannet-worker %s\n", GANNET_VERSION) < 0;
    if (!options.show_slots && !options.rundir && !options.connect) {
        fprintf(stderr, "gannet-worker: nothing says where the coordinator is: give --rundir or --connect\n");
        return STATUS_USAGE;
    }
    log_open("worker", (enum log_level)options.log_level);
    struct topology_source source = source_of(&options, &copy);
    int status = options.show_slots ? show(&options, &source) : work(&options, source);
    free(copy);
    return status;
}
