/* Rank 0 of a gang; see rank_gang.h. */
#include "worker/trainer/gang_parts.h"

#include "common/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- orders --- */

void gang_order(const struct collective *collective, struct order *order, const void *bytes)
{
    collective->kind->broadcast(collective->self, 0, order, sizeof *order);
    collective->kind->broadcast(collective->self, 0, (void *)(uintptr_t)bytes, order->length);
}

static int start_trial(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct rank_gang *gang = self;
    char *params = json_dumps(trial->params, JSON_COMPACT | JSON_ENCODE_ANY);
    struct order order = {.kind = ORDER_START,
                          .attempt = trial->attempt,
                          .trial = trial->number,
                          .seed = trial->seed,
                          .length = strlen(params)};
    gang_order(&gang->collective, &order, params);
    free(params);
    bool failed = gang->kernel->start(gang->self, trial, steps, err) != 0;
    bool all_failed = gang_agree(&gang->collective, failed ? ENDING_BAD_CONFIG : ENDING_COMPLETED, err);
    if (all_failed && !failed)
        gang->kernel->finish(gang->self);
    return all_failed ? -1 : 0;
}

static int resume_trial(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    struct rank_gang *gang = self;
    struct order order = {.kind = ORDER_RESUME, .step = step};
    if (gang->kernel->resume(gang->self, step, in, err))
        return -1;
    gang_order(&gang->collective, &order, NULL);
    gang_tell_state(gang);
    return gang_agree(&gang->collective, ENDING_COMPLETED, err) ? -1 : 0;
}

static enum ending take_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    struct rank_gang *gang = self;
    struct order order = {.kind = ORDER_STEP, .step = step};
    gang_order(&gang->collective, &order, NULL);
    enum ending ending = gang->kernel->step(gang->self, step, report, err);
    gang->computing = gang_computing(report); /* of all steps of the run */
    return gang_agree(&gang->collective, ending, err);
}

static void save_trial(void *self, struct pack_writer *out)
{
    struct rank_gang *gang = self;
    gang->kernel->save(gang->self, out);
}

static void finish_trial(void *self)
{
    struct rank_gang *gang = self;
    struct order order = {.kind = ORDER_FINISH};
    struct gang_use used = {0};
    gang_order(&gang->collective, &order, NULL);
    gang->kernel->finish(gang->self);
    gang->local.kind->add(gang->local.self, &used.cpu, GANG_USE_NUMBERS);
    gang->used = used;
    gang_compare(gang);
}

uint32_t rank_gang_ranks(const struct rank_gang *gang)
{
    return gang->local.ranks;
}

void rank_gang_take_use(struct rank_gang *gang, double *cpu, uint64_t *memory, struct run_counters *counters)
{
    *cpu = gang->used.cpu;
    *memory = (uint64_t)gang->used.memory;
    memcpy(counters->values, gang->used.counted, sizeof counters->values);
    counters->values[COUNT_RANK_SLOWEST] = gang->slowest;
    counters->values[COUNT_RANK_MEAN] = gang->mean;
    gang->slowest = gang->mean = 0;
    gang->used = (struct gang_use){0};
}

/* --- its life --- */

/* Where not all ranks could be forked, those that are there wait for the others for ever. */
static void kill_ranks(struct rank_gang *gang)
{
    for (uint32_t rank = 1; rank < gang->local.ranks; rank++)
        if (gang->pids[rank] > 0 && kill(gang->pids[rank], SIGKILL) == 0)
            waitpid(gang->pids[rank], NULL, 0);
}

static void end_ranks(struct rank_gang *gang)
{
    struct order order = {.kind = ORDER_CLOSE};
    atomic_store(&gang->is_closing, true);
    if (!gang->is_watched) {
        kill_ranks(gang);
        return;
    }
    gang_order(&gang->local, &order, NULL);
    pthread_join(gang->watcher, NULL);
}

static void destroy_gang(struct rank_gang *gang)
{
    across_destroy(gang->across);
    shared_destroy(gang->shared);
    free(gang->hosts);
    free(gang->pids);
    free(gang);
}

static void close_gang(void *self)
{
    struct rank_gang *gang = self;
    end_ranks(gang);
    gang->kernel->close(gang->self);
    destroy_gang(gang);
}

/* In the child: nothing that the worker listens to is held open by it, and it dies with rank 0. */
static _Noreturn void become_rank(struct rank_gang *gang, const struct gang_setup *setup, uint32_t rank, pid_t parent)
{
    struct err err;
    int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    dup2(nothing, STDIN_FILENO);
    if (setup->socket >= 0)
        close(setup->socket);
    gang->local = gang->collective = shared_join(gang->shared, rank);
    if (gang_bind(setup->places, rank, &err)) {
        dprintf(STDERR_FILENO, "gannet-trainer: %s\n", err.text);
        _exit(EXIT_FAILURE);
    }
    gang_rank_run(gang);
}

static int fork_ranks(struct rank_gang *gang, const struct gang_setup *setup, struct err *err)
{
    pid_t parent = getpid();
    for (uint32_t rank = 1; rank < setup->ranks; rank++) {
        gang->pids[rank] = fork();
        if (!gang->pids[rank])
            become_rank(gang, setup, rank, parent);
        if (gang->pids[rank] < 0)
            return err_errno(err, "can't start rank %u of %u", rank, setup->ranks);
    }
    return gang_bind(setup->places, 0, err) || gang_watch(gang, err) ? -1 : 0;
}

static struct kernel face_of(const struct kernel *kernel)
{
    struct kernel face = *kernel;
    face.start = start_trial;
    face.step = take_step;
    face.save = kernel->save ? save_trial : NULL;
    face.resume = kernel->resume ? resume_trial : NULL;
    face.finish = finish_trial;
    face.close = close_gang;
    return face;
}

static struct rank_gang *create_gang(const struct gang_setup *setup, const struct kernel_task *task, struct err *err)
{
    struct shared *shared = shared_create(setup->ranks, err);
    if (!shared)
        return NULL;
    struct rank_gang *gang = MEM_NEW(struct rank_gang);
    gang->shared = shared;
    gang->kernel = setup->kernel;
    gang->face = face_of(setup->kernel);
    gang->pids = MEM_ARRAY(pid_t, setup->ranks);
    gang->local = gang->collective = shared_join(shared, 0);
    gang->nodes = 1;
    gang->socket = setup->socket;
    gang->task = *task;
    gang->task.collective = &gang->collective;
    return gang;
}

int rank_gang_open(struct opened_kernel *opened, const struct gang_setup *setup, const struct kernel_task *task,
                   struct err *err)
{
    if (!setup->kernel->ranks)
        return err_set(err, "kernel %s trains in one process; leave out resources.%s", setup->kernel->name,
                       setup->ranks > 1 ? "ranks" : "nodes");
    struct rank_gang *gang = create_gang(setup, task, err);
    if (!gang)
        return -1;
    bool ready = fork_ranks(gang, setup, err) == 0;
    bool is_open = ready && gang->kernel->open(&gang->task, &gang->self, err) == 0;
    if (ready && gang_agree(&gang->collective, is_open ? ENDING_COMPLETED : ENDING_BAD_CONFIG, err))
        ready = false;
    if (ready) {
        opened->kernel = &gang->face;
        opened->self = opened->gang = gang;
        return 0;
    }
    end_ranks(gang);
    if (is_open)
        gang->kernel->close(gang->self);
    destroy_gang(gang);
    return -1;
}
