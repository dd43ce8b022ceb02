/* A rank other than 0 of all: does what it is told; see rank_gang.h. Its metrics, and what it would save, are those of
 * rank 0. On the first rank of another node it returns to its worker after a run, all others exit in the end. */
#include "worker/trainer/gang_parts.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/profile/self.h"
#include "worker/trainer/peak.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- binding --- */

/* Adds the numbers of "0-1,4", up to ';' or the end. False: it is no such list. */
static bool read_cores(const char *text, cpu_set_t *cores)
{
    char *end = NULL;
    for (const char *at = text; *at && *at != ';'; at = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end != at && *end == '-')
            last = strtoul(at = end + 1, &end, 10);
        if (end == at || last >= CPU_SETSIZE || (*end && !strchr(",;", *end)))
            return false;
        for (unsigned long core = first; core <= last; core++)
            CPU_SET(core, cores);
    }
    return true;
}

int gang_bind(const char *places, uint32_t rank, struct err *err)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (!*places)
        return 0;
    for (uint32_t i = 0; i < rank && places; i++)
        places = strchr(places, ';') ? strchr(places, ';') + 1 : NULL;
    if (!places || !read_cores(places, &cores))
        return err_set(err, "rank %u is told no cores", rank);
    if (!CPU_COUNT(&cores)) /* it is bound to nothing */
        return 0;
    return sched_setaffinity(0, sizeof cores, &cores) ? err_errno(err, "can't bind rank %u to its cores", rank) : 0;
}

/* --- agreeing --- */

struct rank_answer {
    enum ending ending;
    struct err err;
};

enum ending gang_agree(const struct collective *collective, enum ending ending, struct err *err)
{
    struct rank_answer answer = {.ending = ending, .err = *err};
    double *failed = MEM_ARRAY(double, collective->ranks);
    uint32_t first = 0;
    failed[collective->rank] = ending != ENDING_COMPLETED;
    collective->kind->add(collective->self, failed, collective->ranks);
    while (first < collective->ranks && failed[first] <= 0)
        first++;
    free(failed);
    if (first == collective->ranks)
        return ENDING_COMPLETED;
    collective->kind->broadcast(collective->self, first, &answer, sizeof answer);
    *err = answer.err;
    return answer.ending;
}

double gang_computing(const struct kernel_report *report)
{
    const struct phase_time *phases = report->phases;
    return phases[PHASE_FORWARD].seconds + phases[PHASE_BACKWARD].seconds + phases[PHASE_UPDATE].seconds;
}

void gang_compare(struct rank_gang *gang)
{
    const struct collective *local = &gang->local;
    double *all = MEM_ARRAY(double, local->ranks), sum = 0;
    all[local->rank] = gang->computing;
    local->kind->add(local->self, all, local->ranks);
    gang->slowest = 0;
    for (uint32_t i = 0; i < local->ranks; i++) {
        gang->slowest = all[i] > gang->slowest ? all[i] : gang->slowest;
        sum += all[i];
    }
    gang->mean = sum / local->ranks;
    gang->computing = 0;
    free(all);
}

/* --- a rank's life --- */

struct served_rank {
    struct rank_gang *gang;
    struct order order;
    char *bytes; /* that came with it, ended by a zero */
    json_t *params;
    struct peak peak;
    double cpu; /* processor seconds that were told */
    struct self_count count;
    double begun; /* clock_monotonic() of the beginning of the run */
};

static void ignore_metric(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void start_trial(struct served_rank *rank)
{
    const struct kernel *kernel = rank->gang->kernel;
    struct err err = {0};
    json_error_t where;
    int64_t steps;
    json_decref(rank->params);
    rank->params = json_loads(rank->bytes, 0, &where);
    peak_reset(&rank->peak);
    rank->begun = clock_monotonic();
    if (rank->gang->local.rank)
        self_count_begin(&rank->count, rank->begun);
    struct kernel_trial trial = {
        .number = rank->order.trial, .attempt = rank->order.attempt, .seed = rank->order.seed, .params = rank->params};
    bool failed = kernel->start(rank->gang->self, &trial, &steps, &err) != 0;
    bool all_failed = gang_agree(&rank->gang->collective, failed ? ENDING_BAD_CONFIG : ENDING_COMPLETED, &err);
    if (all_failed && !failed)
        kernel->finish(rank->gang->self);
}

static void resume_trial(struct served_rank *rank)
{
    struct err err = {0};
    int failed = gang_hear_state(rank->gang, rank->order.step, &err);
    gang_agree(&rank->gang->collective, failed ? ENDING_BAD_CONFIG : ENDING_COMPLETED, &err);
}

static void take_step(struct served_rank *rank)
{
    struct err err = {0};
    struct kernel_report report = {.metric = ignore_metric, .step = rank->order.step};
    enum ending ending = rank->gang->kernel->step(rank->gang->self, rank->order.step, &report, &err);
    rank->gang->computing += gang_computing(&report);
    gang_agree(&rank->gang->collective, ending, &err);
}

/* What it used in the run. That of a node's first rank its worker is told as its own. */
static void count_use(struct served_rank *rank, struct gang_use *used)
{
    double cpu = clock_cpu();
    struct run_counters counters;
    *used = (struct gang_use){.cpu = cpu - rank->cpu, .memory = (double)peak_read_own(&rank->peak)};
    self_count_end(&rank->count, clock_monotonic() - rank->begun, &counters);
    memcpy(used->counted, counters.values, sizeof used->counted);
    rank->cpu = cpu;
}

static void finish_trial(struct served_rank *rank)
{
    struct rank_gang *gang = rank->gang;
    const struct collective *local = &gang->local;
    gang->kernel->finish(gang->self);
    struct gang_use used = {0};
    if (local->rank)
        count_use(rank, &used);
    local->kind->add(local->self, &used.cpu, GANG_USE_NUMBERS);
    gang->used = used;
    gang_compare(gang);
}

static void receive_order(struct served_rank *rank)
{
    const struct collective *collective = &rank->gang->collective;
    collective->kind->broadcast(collective->self, 0, &rank->order, sizeof rank->order);
    free(rank->bytes);
    rank->bytes = mem_zero(rank->order.length + 1, 1);
    collective->kind->broadcast(collective->self, 0, rank->bytes, rank->order.length);
}

static void fini_rank(struct served_rank *rank)
{
    json_decref(rank->params);
    free(rank->bytes);
    peak_close(&rank->peak);
    self_count_fini(&rank->count);
}

/* Obeys the next order; false: it was the last one, of the run or of all. */
static bool obey_order(struct served_rank *rank)
{
    struct rank_gang *gang = rank->gang;
    receive_order(rank);
    switch (rank->order.kind) {
    case ORDER_ENTER:
        gang_join_nodes(gang, rank->order.node, rank->order.nodes, NULL, NULL);
        break;
    case ORDER_LEAVE:
        gang_part_nodes(gang);
        return gang->local.rank > 0;
    case ORDER_START:
        start_trial(rank);
        break;
    case ORDER_RESUME:
        resume_trial(rank);
        break;
    case ORDER_STEP:
        take_step(rank);
        break;
    case ORDER_FINISH:
        finish_trial(rank);
        break;
    case ORDER_CLOSE:
        return false;
    }
    return true;
}

void rank_gang_follow(struct rank_gang *gang)
{
    struct served_rank rank = {.gang = gang};
    peak_open(&rank.peak);
    while (obey_order(&rank))
        ;
    fini_rank(&rank);
}

_Noreturn void gang_rank_run(struct rank_gang *gang)
{
    struct served_rank rank = {.gang = gang};
    struct err err = {0};
    peak_open(&rank.peak);
    bool opened = gang->kernel->open(&gang->task, &gang->self, &err) == 0;
    gang_agree(&gang->collective, opened ? ENDING_COMPLETED : ENDING_BAD_CONFIG, &err);
    while (obey_order(&rank))
        ;
    if (opened)
        gang->kernel->close(gang->self);
    fini_rank(&rank);
    _exit(EXIT_SUCCESS);
}
