/* The processes of a program; see ranks.h. */
#include "worker/program/ranks.h"
#include "common/clock.h"
#include "common/mem.h"
#include "worker/profile/rusage.h"
#include "worker/profile/tree.h"
#include "worker/program/process_tree.h"

#include <math.h>
#include <stdlib.h>

/* What did not end by itself within its grace gets so much of it for SIGTERM. */
#define LAST_MOST 5.0

struct rank_process {
    struct ranks *ranks;
    struct proc *proc;
    uint32_t which;
    uint64_t peak; /* memory that it was seen to have at most */
    double begun;
    struct tree_looks looks; /* at what it has used */
    struct perf_counts perf; /* what the processor counts of it */
    bool has_ended;
    struct proc_exit how;
};

enum ranks_state {
    RANKS_RUN,
    RANKS_FINISH, /* the first has ended well, the others have the grace to */
    RANKS_STAYED, /* some did not */
    RANKS_FAILED,
    RANKS_ASKED /* somebody asked for their end */
};

struct ranks {
    struct loop *loop;
    struct ranks_setup setup;
    struct rank_process **items;
    size_t count, capacity, running;
    enum ranks_state state;
    struct loop_watch *timer; /* when something follows from the state */
    uint32_t failed;          /* the one that counts, once that is known */
    bool is_known;
    struct numbers stayed;
};

/* --- what follows from an end --- */

static bool has_failed(const struct ranks *ranks, const struct proc_exit *how)
{
    bool later = ranks->setup.later && how->number == ranks->setup.later;
    return how->by_signal || (how->number != 0 && !later);
}

/* Of those that have failed by now the one that counts. */
static void choose_failed(struct ranks *ranks)
{
    double earliest = INFINITY;
    for (uint32_t i = 0; i < ranks->count && !ranks->is_known; i++) {
        if (!ranks->items[i]->has_ended || !has_failed(ranks, &ranks->items[i]->how))
            continue;
        double spoke = ranks->setup.spoke(ranks->setup.context, i);
        if (spoke < earliest || !isfinite(earliest)) {
            earliest = spoke;
            ranks->failed = i;
        }
    }
    ranks->is_known = true;
}

static void end_others(struct ranks *ranks, double grace)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (!ranks->items[i]->has_ended)
            proc_end(ranks->items[i]->proc, grace);
}

/* In the turn after the first failure: others may have failed at the same time. */
static void end_failed(void *context)
{
    struct ranks *ranks = context;
    ranks->timer = NULL;
    choose_failed(ranks);
    end_others(ranks, ranks->setup.grace);
}

static double last_part(const struct ranks *ranks)
{
    return fmin(LAST_MOST, ranks->setup.grace / 4);
}

static void end_stayed(void *context)
{
    struct ranks *ranks = context;
    ranks->timer = NULL;
    ranks->state = RANKS_STAYED;
    for (uint32_t i = 0; i < ranks->count; i++)
        if (!ranks->items[i]->has_ended)
            numbers_add(&ranks->stayed, i);
    end_others(ranks, last_part(ranks));
}

static void set_timer(struct ranks *ranks, double seconds, loop_call *call)
{
    loop_remove(ranks->timer);
    ranks->timer = loop_timer(ranks->loop, seconds, call, ranks);
}

/* Changes the state by an end. */
static void take_exit(struct ranks *ranks, const struct rank_process *rank)
{
    bool is_open = ranks->state == RANKS_RUN || ranks->state == RANKS_FINISH;
    if (is_open && has_failed(ranks, &rank->how)) {
        ranks->state = RANKS_FAILED;
        set_timer(ranks, 0, end_failed);
    } else if (ranks->state == RANKS_RUN && rank->which == 0 && ranks->setup.leads) {
        ranks->state = RANKS_FINISH;
        set_timer(ranks, ranks->setup.grace - last_part(ranks), end_stayed);
    }
}

/* --- what they use --- */

static void look_at_tree(struct rank_process *rank, pid_t pid)
{
    struct process_tree tree = {0};
    process_tree_tree(pid, &tree);
    tree_looks_take(&rank->looks, "/proc", tree.pids, tree.count);
    process_tree_fini(&tree);
}

void ranks_watch_use(struct ranks *ranks, double now)
{
    for (size_t i = 0; i < ranks->count; i++) {
        struct rank_process *rank = ranks->items[i];
        if (!rank->has_ended && now - rank->begun >= TREE_SHORTEST && tree_looks_due(&rank->looks, now))
            look_at_tree(rank, proc_pid(rank->proc));
    }
}

/* Twice, since it may start another between being listed and being counted. */
void ranks_count_events(struct ranks *ranks)
{
    if (!ranks->setup.events)
        return;
    struct perf_processor processor = perf_processor_here();
    for (size_t i = 0; i < 2 * ranks->count; i++) {
        struct rank_process *rank = ranks->items[i % ranks->count];
        struct process_tree tree = {0};
        if (rank->has_ended)
            continue;
        process_tree_tree(proc_pid(rank->proc), &tree);
        perf_attach_tree(&rank->perf, &perf_system, &processor, ranks->setup.events, tree.pids, tree.count);
        process_tree_fini(&tree);
    }
}

/* It has ended and was not reaped: its files say what it and its children came to. */
static void look_last(void *context, pid_t pid)
{
    struct rank_process *rank = context;
    if (clock_monotonic() - rank->begun >= TREE_SHORTEST)
        tree_looks_take(&rank->looks, "/proc", &pid, 1);
}

static void count_use(const struct ranks *ranks, struct run_counters *sum)
{
    run_counters_clear(sum);
    for (size_t i = 0; i < ranks->count; i++) {
        struct run_counters one;
        run_counters_clear(&one);
        rusage_count(&ranks->items[i]->how.used, &one);
        tree_looks_add(&ranks->items[i]->looks, &one);
        if (ranks->items[i]->looks.at > 0) /* else it was too short */
            perf_read(&ranks->items[i]->perf, &perf_system, &one);
        run_counters_merge(sum, &one);
    }
}

/* --- the end of all --- */

static struct proc_exit sum_up(const struct ranks *ranks, uint32_t which)
{
    struct proc_exit sum = ranks->count ? ranks->items[which]->how : (struct proc_exit){0};
    sum.user = sum.system = 0;
    sum.peak_memory = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        const struct proc_exit *how = &ranks->items[i]->how;
        sum.user += how->user;
        sum.system += how->system;
        sum.peak_memory += how->peak_memory ? how->peak_memory : ranks->items[i]->peak;
        sum.left_others |= how->left_others;
    }
    return sum;
}

static void tell_end(void *context)
{
    struct ranks *ranks = context;
    bool failed = ranks->state == RANKS_FAILED;
    loop_remove(ranks->timer);
    ranks->timer = NULL;
    if (failed)
        choose_failed(ranks);
    uint32_t which = failed ? ranks->failed : 0;
    struct ranks_end end = {.how = sum_up(ranks, which),
                            .which = which,
                            .has_failed = failed && ranks->count > 1,
                            .stayed = &ranks->stayed};
    count_use(ranks, &end.counters);
    ranks->setup.ended(ranks->setup.context, &end);
}

static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct rank_process *rank = context;
    struct ranks *ranks = rank->ranks;
    rank->has_ended = true;
    rank->how = *how;
    ranks->running--;
    take_exit(ranks, rank);
    if (!ranks->running)
        tell_end(ranks);
}

/* --- their life --- */

struct ranks *ranks_create(struct loop *loop, const struct ranks_setup *setup)
{
    struct ranks *ranks = MEM_NEW(struct ranks);
    ranks->loop = loop;
    ranks->setup = *setup;
    return ranks;
}

/* All are killed before the first is waited for. */
void ranks_destroy(struct ranks *ranks)
{
    if (!ranks)
        return;
    end_others(ranks, 0);
    for (size_t i = 0; i < ranks->count; i++) {
        proc_destroy(ranks->items[i]->proc);
        tree_looks_fini(&ranks->items[i]->looks);
        perf_close(&ranks->items[i]->perf, &perf_system);
        free(ranks->items[i]);
    }
    loop_remove(ranks->timer);
    numbers_fini(&ranks->stayed);
    free(ranks->items);
    free(ranks);
}

int ranks_add(struct ranks *ranks, const struct proc_setup *setup, struct err *err)
{
    struct rank_process *rank = MEM_NEW(struct rank_process);
    rank->ranks = ranks;
    rank->which = (uint32_t)ranks->count;
    struct proc_setup counted = *setup;
    counted.ended = look_last;
    rank->begun = clock_monotonic();
    rank->proc = proc_start(ranks->loop, &counted, on_exit_of, rank, err);
    if (!rank->proc) {
        free(rank);
        return -1;
    }
    MEM_GROW(ranks->items, ranks->capacity, ranks->count + 1);
    ranks->items[ranks->count++] = rank;
    ranks->running++;
    return 0;
}

void ranks_expect_end(struct ranks *ranks)
{
    if (ranks->state == RANKS_FAILED || ranks->state == RANKS_ASKED)
        return;
    ranks->state = RANKS_ASKED;
    loop_remove(ranks->timer);
    ranks->timer = NULL;
}

void ranks_end(struct ranks *ranks, double grace)
{
    ranks_expect_end(ranks);
    end_others(ranks, grace);
    if (!ranks->count && !ranks->timer)
        ranks->timer = loop_timer(ranks->loop, 0, tell_end, ranks);
}

void ranks_signal(struct ranks *ranks, int signal)
{
    ranks_expect_end(ranks);
    for (size_t i = 0; i < ranks->count; i++)
        if (!ranks->items[i]->has_ended)
            proc_signal(ranks->items[i]->proc, signal);
}

bool ranks_have_failed(const struct ranks *ranks)
{
    return ranks->state == RANKS_FAILED;
}

/* Behind the one that ran last nothing is left to look at. */
void ranks_look(struct ranks *ranks)
{
    bool was_last = false;
    for (size_t i = 0; !was_last && i < ranks->count; i++) {
        if (ranks->items[i]->has_ended)
            continue;
        was_last = ranks->running == 1;
        proc_look(ranks->items[i]->proc);
    }
}

bool ranks_are_gone(const struct ranks *ranks)
{
    bool gone = ranks->count > 0;
    for (size_t i = 0; i < ranks->count; i++)
        gone &= proc_is_gone(ranks->items[i]->proc);
    return gone;
}

bool ranks_have(const struct ranks *ranks, pid_t pid)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (proc_pid(ranks->items[i]->proc) == pid)
            return true;
    return false;
}

pid_t ranks_stopped(const struct ranks *ranks)
{
    pid_t stopped = 0;
    for (size_t i = 0; i < ranks->count && !stopped; i++)
        if (!ranks->items[i]->has_ended)
            stopped = process_tree_stopped(proc_pid(ranks->items[i]->proc));
    return stopped;
}

uint64_t ranks_memory(const struct ranks *ranks, bool exactly)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (!ranks->items[i]->has_ended)
            sum += process_tree_memory(proc_pid(ranks->items[i]->proc), exactly);
    return sum;
}

void ranks_watch_memory(struct ranks *ranks, unsigned long long (*peak_of)(pid_t pid))
{
    for (size_t i = 0; i < ranks->count; i++) {
        struct rank_process *rank = ranks->items[i];
        uint64_t peak = rank->has_ended ? 0 : peak_of(proc_pid(rank->proc));
        rank->peak = peak > rank->peak ? peak : rank->peak;
    }
}
