/* Many searches on several threads; see series.h. A thread takes the next search that nobody has taken: seed by seed,
 * so that what is done when somebody interrupts it compares well. */
#include "cli/bench/series.h"
#include "common/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct series {
    struct series_setup setup;
    struct series_search *searches; /* by objective, contender, seed */
    size_t count;
    atomic_size_t taken; /* searches that a thread has taken */
    atomic_bool stop;
    pthread_t *threads;
    unsigned thread_count;
    pthread_mutex_t lock; /* guards `ended` and `alive` */
    pthread_cond_t died;  /* a thread has ended */
    size_t ended;
    unsigned alive;
};

/* The n-th search to be run: all of the first seed before those of the second. */
static struct series_search *search_at(struct series *series, size_t n)
{
    size_t pairs = series->count / series->setup.seeds;
    return &series->searches[n % pairs * series->setup.seeds + n / pairs];
}

static void run_search_bench(struct series *series, struct series_search *search)
{
    struct simulation simulation = {.objective = search->objective,
                                    .contender = search->contender,
                                    .seed = search->seed,
                                    .trials = series->setup.trials,
                                    .workers = series->setup.workers,
                                    .durations = series->setup.durations,
                                    .asks_take_time = series->setup.asks_take_time,
                                    .by_steps = series->setup.by_steps,
                                    .stop = &series->stop};
    int result = simulate(&simulation, &search->result, &search->err);
    if (result <= 0)
        search->state = result ? SEARCH_BROKEN : SEARCH_DONE;
}

static void *work_searches(void *context)
{
    struct series *series = context;
    size_t mine;
    while (!atomic_load(&series->stop) && (mine = atomic_fetch_add(&series->taken, 1)) < series->count) {
        run_search_bench(series, search_at(series, mine));
        pthread_mutex_lock(&series->lock);
        series->ended++;
        pthread_mutex_unlock(&series->lock);
    }
    pthread_mutex_lock(&series->lock);
    series->alive--;
    pthread_cond_signal(&series->died);
    pthread_mutex_unlock(&series->lock);
    return NULL;
}

static void list_searches(struct series *series)
{
    const struct series_setup *setup = &series->setup;
    series->searches =
        MEM_ARRAY(struct series_search, setup->objective_count * setup->contenders->count * setup->seeds);
    for (size_t o = 0; o < setup->objective_count; o++)
        for (size_t c = 0; c < setup->contenders->count; c++)
            for (uint64_t seed = 1; seed <= setup->seeds; seed++)
                series->searches[series->count++] = (struct series_search){
                    .objective = setup->objectives[o], .contender = &setup->contenders->items[c], .seed = seed};
}

static void make_lock(struct series *series)
{
    pthread_condattr_t clock;
    pthread_mutex_init(&series->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&series->died, &clock);
    pthread_condattr_destroy(&clock);
}

struct series *series_start(const struct series_setup *setup, struct err *err)
{
    struct series *series = MEM_NEW(struct series);
    series->setup = *setup;
    list_searches(series);
    make_lock(series);
    series->threads = MEM_ARRAY(pthread_t, setup->jobs);
    pthread_mutex_lock(&series->lock);
    while (series->alive < setup->jobs &&
           pthread_create(&series->threads[series->alive], NULL, work_searches, series) == 0)
        series->alive++;
    series->thread_count = series->alive;
    pthread_mutex_unlock(&series->lock);
    if (series->thread_count)
        return series;
    err_write(err, "can't start a thread; are there limits on processes?");
    series_end(series);
    return NULL;
}

bool series_wait(struct series *series, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double end = (double)until.tv_sec + (double)until.tv_nsec / 1e9 + seconds;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)((end - (double)until.tv_sec) * 1e9);
    pthread_mutex_lock(&series->lock);
    while (series->alive && pthread_cond_timedwait(&series->died, &series->lock, &until) == 0)
        ;
    bool all = !series->alive;
    pthread_mutex_unlock(&series->lock);
    return all;
}

uint64_t series_ended(struct series *series)
{
    pthread_mutex_lock(&series->lock);
    uint64_t ended = series->ended;
    pthread_mutex_unlock(&series->lock);
    return ended;
}

uint64_t series_count(const struct series *series)
{
    return series->count;
}

void series_stop(struct series *series)
{
    atomic_store(&series->stop, true);
}

const struct series_search *series_searches(const struct series *series, size_t *count)
{
    *count = series->count;
    return series->searches;
}

void series_rows(const struct series *series, struct bench_rows *rows)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct series_search *search = &series->searches[i];
        for (size_t s = 0; search->state == SEARCH_DONE && s < search->result.count; s++) {
            const struct bench_standing *standing = &search->result.standings[s];
            rows_add(rows, &(struct bench_row){.table = objective_name(search->objective),
                                               .strategy = search->contender->text,
                                               .seed = search->seed,
                                               .workers = series->setup.workers,
                                               .trials = standing->trials,
                                               .best = standing->best,
                                               .regret = standing->regret,
                                               .ask_ms_p50 = standing->ask50,
                                               .ask_ms_p99 = standing->ask99});
        }
    }
}

void series_end(struct series *series)
{
    if (!series)
        return;
    series_stop(series);
    for (unsigned i = 0; i < series->thread_count; i++)
        pthread_join(series->threads[i], NULL);
    for (size_t i = 0; i < series->count; i++)
        simulated_fini(&series->searches[i].result);
    pthread_cond_destroy(&series->died);
    pthread_mutex_destroy(&series->lock);
    free(series->threads);
    free(series->searches);
    free(series);
}
