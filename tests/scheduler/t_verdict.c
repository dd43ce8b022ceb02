/* What bounded a run, by evidence that is made up. */
#include "scheduler/store/evidence.h"
#include "common/rng.h"
#include "scheduler/verdict/division.h"
#include "tests/claims.h"
#include "tests/verdict_given.h"

#include <math.h>
#include <string.h>

struct verdict_case {
    const char *what;
    struct given given[MOST_GIVEN];
    enum verdict_kind kind;
    double figure; /* NAN: none */
};

#define LIMITS                                                                                                         \
    {"peak", 100e9},                                                                                                   \
    {                                                                                                                  \
        "bandwidth", 20e9                                                                                              \
    }
#define QUIET                                                                                                          \
    {"cpu", 10}, {"core_wait", 0},                                                                                     \
    {                                                                                                                  \
        "cores", 1                                                                                                     \
    }

static const struct verdict_case cases[] = {
    {"no time at all", {{NULL, 0}}, VERDICT_UNKNOWN, NAN},
    {"training, and nothing else is known", {{"forward", 6}, {"backward", 4}}, VERDICT_COMPUTING, 1},
    {"data", {{"data", 7}, {"forward", 3}}, VERDICT_DATA, 0.7},
    {"data beside training that others slowed down",
     {{"data", 4}, {"forward", 12}, {"cpu", 3}, {"core_wait", 9}, {"cores", 1}},
     VERDICT_DATA,
     4.0 / 7},
    {"a little data that others slowed down as well",
     {{"data", 4}, {"forward", 12}, {"cpu", 4}, {"core_wait", 12}, {"cores", 1}},
     VERDICT_CROWDED,
     0.75},
    {"the same in the first run of a process, which opened the data before anything was counted",
     {{"stage", 4}, {"data", 4}, {"forward", 12}, {"cpu", 4}, {"core_wait", 12}, {"cores", 1}},
     VERDICT_CROWDED,
     0.75},
    {"validation that others slowed down, as they did all",
     {{"evaluation", 12}, {"data", 4}, {"forward", 4}, {"cpu", 2}, {"core_wait", 18}, {"cores", 1}},
     VERDICT_EVALUATION,
     0.6},
    {"little data", {{"data", 3}, {"forward", 7}}, VERDICT_COMPUTING, 0.7},
    {"a disk that a silent program waits for", {{"work", 10}, {"cpu", 2}, {"disk_wait", 6}}, VERDICT_DATA, 0.6},
    {"checkpoints", {{"checkpoint", 5}, {"data", 3.5}, {"forward", 1.5}}, VERDICT_CHECKPOINT, 0.5},
    {"validation", {{"evaluation", 6}, {"forward", 4}}, VERDICT_EVALUATION, 0.6},
    {"a third of validation", {{"evaluation", 4}, {"forward", 6}}, VERDICT_COMPUTING, 0.6},
    {"sums over ranks", {{"allreduce", 5}, {"forward", 5}}, VERDICT_SYNC, 0.5},
    {"sums over equal ranks", {{"allreduce", 5}, {"forward", 5}, {"slowest", 1.05}, {"mean", 1}}, VERDICT_SYNC, 0.5},
    {"sums over unequal ranks",
     {{"allreduce", 5}, {"forward", 5}, {"slowest", 1.6}, {"mean", 1}},
     VERDICT_IMBALANCE,
     0.5},
    {"a rank that was stopped for a part of the run",
     {{"allreduce", 1.3}, {"forward", 2}, {"slowest", 3.2}, {"mean", 2.6}},
     VERDICT_IMBALANCE,
     1.3 / 3.3},
    {"the first rank is the slowest",
     {{"allreduce", 0.1}, {"forward", 9.9}, {"slowest", 9.9}, {"mean", 5.9}},
     VERDICT_IMBALANCE,
     0.4},
    {"ranks that did nothing", {{"work", 10}, {"slowest", 0}, {"mean", 0}}, VERDICT_COMPUTING, 1},
    {"launch", {{"launch", 0.6}, {"forward", 0.4}}, VERDICT_LAUNCH, 0.6},
    {"hand-over of the shortest trials", {{"launch", 1e-5}, {"idle", 1e-4}, {"work", 1e-5}}, VERDICT_LAUNCH, 11 / 12.0},
    {"a process that only began and ended", {{"launch", 0.0003}, {"work", 0.0257}, {"cpu", 0.0008}}, VERDICT_LAUNCH, 1},
    {"a process that began and ended on a busy machine",
     {{"launch", 0.001}, {"work", 0.089}, {"cpu", 0.0009}},
     VERDICT_LAUNCH,
     1},
    {"one that waited longer for its core",
     {{"launch", 0.001}, {"work", 0.389}, {"cpu", 0.001}, {"core_wait", 0.35}},
     VERDICT_LAUNCH,
     1},
    {"a program that slept for a moment", {{"launch", 0.005}, {"work", 0.195}, {"cpu", 0.002}}, VERDICT_WAITING, 0.99},
    {"a short program that computed", {{"launch", 0.0003}, {"work", 0.0297}, {"cpu", 0.02}}, VERDICT_COMPUTING, 0.99},
    {"launch, and more of data", {{"launch", 0.4}, {"data", 0.6}}, VERDICT_DATA, 0.6},
    {"a queue before", {{"queue", 1000}, {"forward", 1}}, VERDICT_COMPUTING, 1},
    {"idle", {{"idle", 6}, {"forward", 4}}, VERDICT_WAITING, 0.6},
    {"a program that sleeps", {{"work", 10}, {"cpu", 1}}, VERDICT_WAITING, 0.9},
    {"a program that sleeps on a busy machine", {{"work", 3}, {"cpu", 0.1}, {"core_wait", 2}}, VERDICT_WAITING, 0.9},
    {"one of two cores on a busy machine",
     {{"work", 10}, {"cpu", 1}, {"core_wait", 9}, {"cores", 2}},
     VERDICT_UNDERUSED,
     1},
    {"two cores of which one or the other was taken",
     {{"work", 6}, {"cpu", 2}, {"core_wait", 5}, {"cores", 2}},
     VERDICT_CROWDED,
     5.0 / 7},
    {"a program that would run if it could", {{"work", 10}, {"cpu", 1}, {"core_wait", 9}}, VERDICT_CROWDED, 0.9},
    {"a kernel that got few processors", {{"forward", 10}, {"cpu", 1}}, VERDICT_COMPUTING, 1},
    {"its own phase", {{"named", 6}, {"work", 4}}, VERDICT_PROGRAM, 0.6},
    {"swapping", {{"memory_wait", 2}, {"forward", 10}}, VERDICT_SWAPPING, 0.2},
    {"a slow clock", {{"clock", 0.6}, {"forward", 10}}, VERDICT_THROTTLED, 0.4},
    {"a fast clock", {{"clock", 1.2}, {"forward", 10}}, VERDICT_COMPUTING, 1},
    {"throttling that was counted", {{"throttled", 5}, {"clock", 0.95}, {"forward", 10}}, VERDICT_THROTTLED, 0.5},
    {"four threads on one core",
     {{"forward", 10}, {"cpu", 10}, {"core_wait", 30}, {"cores", 1}},
     VERDICT_OVERSUBSCRIBED,
     0.75},
    {"a limit of processor time",
     {{"work", 10}, {"cpu", 2}, {"core_wait", 8}, {"cores", 1}, {"quota_stall", 7.5}},
     VERDICT_QUOTA,
     0.75},
    {"four threads that a limit stops",
     {{"work", 10}, {"cpu", 2}, {"core_wait", 38}, {"cores", 1}, {"quota_stall", 9}},
     VERDICT_OVERSUBSCRIBED,
     0.95},
    {"a limit that stopped others",
     {{"work", 10}, {"cpu", 9}, {"core_wait", 1}, {"quota_stall", 8}},
     VERDICT_COMPUTING,
     1},
    {"a limit of processor time on a busy machine",
     {{"work", 10}, {"cpu", 2}, {"core_wait", 8}, {"cores", 1}, {"quota_stall", 1}},
     VERDICT_CROWDED,
     0.8},
    {"a short wait of several threads",
     {{"work", 0.15}, {"cpu", 0.05}, {"core_wait", 0.2}, {"cores", 1}},
     VERDICT_COMPUTING,
     1},
    {"one of four cores", {{"work", 10}, {"cpu", 10}, {"core_wait", 0.1}, {"cores", 4}}, VERDICT_UNDERUSED, 10 / 9.9},
    {"one of four cores, or the others were taken", {{"work", 10}, {"cpu", 10}, {"cores", 4}}, VERDICT_COMPUTING, 1},
    {"a large product", {{"forward", 10}, QUIET, LIMITS, {"flops", 800e9}, {"bytes", 20e9}}, VERDICT_COMPUTE, 0.8},
    {"a large product on a busy machine",
     {{"forward", 40}, {"cpu", 10}, {"core_wait", 30}, {"cores", 1}, LIMITS, {"flops", 800e9}, {"bytes", 20e9}},
     VERDICT_COMPUTE,
     0.8},
    {"updates that stream", {{"update", 10}, QUIET, LIMITS, {"flops", 30e9}, {"bytes", 150e9}}, VERDICT_MEMORY, 0.75},
    {"tiny batches", {{"forward", 10}, QUIET, LIMITS, {"flops", 50e9}, {"bytes", 40e9}}, VERDICT_LATENCY, 0.2},
    {"large products on a busy machine",
     {{"forward", 10}, QUIET, LIMITS, {"flops", 300e9}, {"bytes", 20e9}, {"calls", 30000}},
     VERDICT_COMPUTE,
     0.3},
    {"streams on a busy machine",
     {{"update", 10}, QUIET, LIMITS, {"flops", 30e9}, {"bytes", 60e9}, {"calls", 30000}},
     VERDICT_MEMORY,
     0.3},
    {"the same in small calls",
     {{"forward", 10}, QUIET, LIMITS, {"flops", 300e9}, {"bytes", 20e9}, {"calls", 30001}},
     VERDICT_LATENCY,
     0.3},
    {"a peak that is not known", {{"forward", 10}, QUIET, {"flops", 50e9}, {"bytes", 40e9}}, VERDICT_COMPUTING, 1},
    {"a bandwidth that is not known",
     {{"forward", 10}, QUIET, {"peak", 100e9}, {"flops", 50e9}, {"bytes", 40e9}},
     VERDICT_COMPUTING,
     1},
    {"more than the peak: it can't have been one",
     {{"forward", 10}, QUIET, LIMITS, {"flops", 2000e9}, {"bytes", 1}},
     VERDICT_COMPUTE,
     1},
};

static bool is_as_said(const struct verdict_case *one, const struct verdict *found)
{
    return found->kind == one->kind &&
           (isnan(one->figure) ? isnan(found->figure) : fabs(found->figure - one->figure) < 1e-9);
}

static void evidence_leads_to_its_verdict(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct verdict found = given_find(cases[i].given);
        if (is_as_said(&cases[i], &found))
            continue;
        print_error("%s: %s %g, not %s %g\n", cases[i].what, verdict_name(found.kind), found.figure,
                    verdict_name(cases[i].kind), cases[i].figure);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void of_nothing_nothing_is_said(void **state)
{
    (void)state;
    struct verdict_evidence nothing = verdict_nothing();
    assert_int_equal(verdict_find(&nothing).kind, VERDICT_UNKNOWN);
}

/* Whatever is left out of the evidence, no rule holds that needed it, but a weaker one. */
static void what_is_not_known_counts_as_nothing(void **state)
{
    (void)state;
    static const struct given all[] = {{"forward", 10}, {"cpu", 10},     {"cores", 1},       {"flops", 50e9},
                                       {"bytes", 40e9}, {"peak", 100e9}, {"bandwidth", 20e9}};
    enum { GIVEN = sizeof all / sizeof *all };
    for (int out = 1; out < GIVEN; out++) {
        struct given some[MOST_GIVEN] = {{NULL, 0}};
        for (int i = 0, kept = 0; i < GIVEN; i++)
            if (i != out)
                some[kept++] = all[i];
        enum verdict_kind kind = given_find(some).kind;
        assert_int_equal(kind, VERDICT_COMPUTING);
    }
}

static void every_verdict_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICTS_COUNT; i++) {
        struct verdict verdict = {(enum verdict_kind)i, 0.68};
        struct buf text = {0};
        verdict_sentence(&verdict, NAN, &text);
        assert_true(text.length > 0);
        assert_int_equal(verdict_named(verdict_name(verdict.kind)), i);
        buf_fini(&text);
    }
    assert_int_equal(verdict_named("sloth"), -1);
}

static void a_sentence_has_its_figure(void **state)
{
    (void)state;
    struct buf text = {0};
    verdict_sentence(&(struct verdict){VERDICT_DATA, 0.68}, 4, &text);
    assert_string_equal(buf_str(&text), "68 % of the time waited for data");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_DATA, INFINITY}, 4, &text); /* a damaged store's */
    assert_string_equal(buf_str(&text), "of the time waited for data");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_UNDERUSED, 1.04}, NAN, &text);
    assert_string_equal(buf_str(&text), "1.0 of its cores worked on average");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_UNDERUSED, 1.04}, 4, &text);
    assert_string_equal(buf_str(&text), "the slot has 4 cores: 1.0 of its cores worked on average");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_UNKNOWN, NAN}, 4, &text);
    assert_string_equal(buf_str(&text), "what bounded it is not known: nothing was measured");
    buf_fini(&text);
}

/* --- divisions --- */

enum { TRIALS = 60 };

/* Trials of sixty values, those below 20 bounded by `below`, the others by `above`, but for every `every`-th one. */
static void make_trials(struct division_trial *out, enum verdict_kind below, enum verdict_kind above, int every)
{
    for (int i = 0; i < TRIALS; i++) {
        bool odd = every && i % every == 0;
        int value = i * 7 % TRIALS;
        out[i] = (struct division_trial){(value < 20) != odd ? below : above, value};
    }
}

static void small_batches_are_told_from_large_ones(void **state)
{
    (void)state;
    struct division_trial trials[TRIALS];
    struct division split;
    make_trials(trials, VERDICT_LATENCY, VERDICT_COMPUTE, 0);
    assert_true(division_find(trials, TRIALS, false, &split));
    assert_true(split.value == 20 && split.here == 20 && split.there == 40);
    size_t latency = split.verdict == VERDICT_LATENCY ? split.bounded_here : split.here - split.bounded_here;
    assert_int_equal(latency, 20);
    make_trials(trials, VERDICT_LATENCY, VERDICT_COMPUTE, 15);
    assert_true(division_find(trials, TRIALS, false, &split));
    assert_true(split.here >= 17 && split.here <= 23);
}

/* "data: 8 of 8 trials, 7 of the 12 others" says more than "computing: 0 of 8 trials, 5 of the 12 others". */
static void of_two_verdicts_the_one_with_more_trials_is_named(void **state)
{
    (void)state;
    struct division_trial trials[TRIALS];
    struct division split;
    static const enum verdict_kind kinds[] = {VERDICT_DATA, VERDICT_COMPUTING};
    for (int i = 0; i < 2; i++) {
        make_trials(trials, kinds[i], kinds[1 - i], 0);
        assert_true(division_find(trials, TRIALS, false, &split));
        assert_int_equal(split.verdict, kinds[1 - i]);
        assert_true(split.bounded_here == 0 && split.bounded_there == 40);
    }
}

static void where_nothing_differs_there_is_no_division(void **state)
{
    (void)state;
    struct division_trial trials[TRIALS];
    struct division split;
    make_trials(trials, VERDICT_DATA, VERDICT_DATA, 0);
    assert_false(division_find(trials, TRIALS, false, &split));
    make_trials(trials, VERDICT_LATENCY, VERDICT_COMPUTE, 2); /* as by the throw of a coin */
    assert_false(division_find(trials, TRIALS, true, &split));
    assert_false(division_find(trials, 0, false, &split));
    assert_false(division_find(trials, 2 * DIVISION_LEAST - 1, false, &split));
}

static void one_name_is_told_from_the_others(void **state)
{
    (void)state;
    struct division_trial trials[TRIALS];
    struct division split;
    for (int name = 0; name < 3; name++) {
        for (int i = 0; i < TRIALS; i++)
            trials[i] = (struct division_trial){i % 3 == name ? VERDICT_DATA : VERDICT_COMPUTING, i % 3};
        assert_true(division_find(trials, TRIALS, true, &split));
        assert_true(split.value == name && split.here == TRIALS / 3 && split.there == 2 * TRIALS / 3);
    }
}

static enum verdict_kind judge_run(enum ending ending, const struct phase_time *profile)
{
    struct event_run run = {.ending = ending, .profile = profile, .seconds = 5, .cpu_seconds = 4};
    struct verdict_evidence evidence = evidence_of_run(&run);
    return verdict_find(&evidence).kind;
}

/* A kernel that is killed tells no phases: what is left of its time is none that it waited. */
static void of_a_process_that_died_without_a_word_nothing_is_said(void **state)
{
    (void)state;
    static const struct phase_time died[PHASES_COUNT] = {
        [PHASE_LAUNCH] = {.seconds = 1, .count = 1},
        [PHASE_IDLE] = {.seconds = 4, .count = 1},
    };
    static const struct phase_time worked[PHASES_COUNT] = {
        [PHASE_LAUNCH] = {.seconds = 1, .count = 1},
        [PHASE_WORK] = {.seconds = 4, .count = 1},
    };
    assert_int_equal(judge_run(ENDING_CRASHED, died), VERDICT_UNKNOWN);
    assert_int_equal(judge_run(ENDING_COMPLETED, died), VERDICT_WAITING);
    assert_int_equal(judge_run(ENDING_CRASHED, worked), VERDICT_COMPUTING);
}

/* Whatever a worker says of a run: the number of one field after the other is absurd, then all are drawn. */
static void absurd_evidence_has_a_verdict_and_no_absurd_figure(void **state)
{
    (void)state;
    static const double absurd[] = {NAN, -1, 0, 1e-300, 1, 1e18, 0x1p63, 1e308, INFINITY, -INFINITY};
    enum { FIELDS = sizeof(struct verdict_evidence) / sizeof(double), VALUES = sizeof absurd / sizeof *absurd };
    struct rng rng = rng_make(7, "evidence", 0);
    for (int i = 0; i < 20000; i++) {
        struct verdict_evidence evidence = verdict_nothing();
        double *numbers = (double *)&evidence;
        for (int k = 0; k < FIELDS; k++)
            numbers[k] = i < FIELDS * VALUES ? 1 : absurd[rng_below(&rng, VALUES)];
        if (i < FIELDS * VALUES)
            numbers[i / VALUES] = absurd[i % VALUES];
        struct verdict verdict = verdict_find(&evidence);
        struct buf text = {0};
        assert_in_range(verdict.kind, 0, VERDICTS_COUNT - 1);
        if (verdict.kind == VERDICT_UNDERUSED)
            assert_true(verdict.figure >= 0 && verdict.figure <= 1e18);
        else if (verdict.kind != VERDICT_UNKNOWN)
            assert_true(verdict.figure >= 0 && verdict.figure <= 1);
        verdict_sentence(&verdict, numbers[FIELDS - 1], &text);
        assert_true(text.length < 300);
        assert_null(strstr(buf_str(&text), "nan"));
        assert_null(strstr(buf_str(&text), "inf"));
        buf_fini(&text);
    }
}

/* Of a run in which the node waited for memory for so long. */
static enum verdict_kind judge_memory(double swapped, double faults, double stall)
{
    static const struct phase_time worked[PHASES_COUNT] = {[PHASE_WORK] = {.seconds = 10, .count = 1}};
    struct run_counters counters;
    run_counters_clear(&counters);
    counters.values[COUNT_SWAPPED] = swapped;
    counters.values[COUNT_MAJOR_FAULTS] = faults;
    counters.values[COUNT_NODE_MEMORY_STALL] = stall;
    struct event_run run = {
        .ending = ENDING_COMPLETED, .profile = worked, .seconds = 10, .cpu_seconds = 8, .counters = &counters};
    struct verdict_evidence evidence = evidence_of_run(&run);
    return verdict_find(&evidence).kind;
}

/* Without swap space it is the pages of files that come and go. */
static void a_wait_for_memory_is_that_of_who_lost_some(void **state)
{
    (void)state;
    assert_int_equal(judge_memory(1e6, 0, 2), VERDICT_SWAPPING);
    assert_int_equal(judge_memory(0, 20000, 2), VERDICT_SWAPPING);
    assert_int_equal(judge_memory(0, 20000, 0.01), VERDICT_COMPUTING); /* a disk, and memory enough */
    assert_int_equal(judge_memory(0, 50, 2), VERDICT_COMPUTING);       /* others swap */
    assert_int_equal(judge_memory(NAN, 20000, 2), VERDICT_COMPUTING);
}

/* With counters as cpufreq and thermal_throttle tell them: heat can't be made here. */
static struct verdict judge_clock(double cpu_seconds, double megahertz, double hot)
{
    static const struct phase_time worked[PHASES_COUNT] = {[PHASE_WORK] = {.seconds = 60, .count = 1}};
    struct run_counters counters;
    run_counters_clear(&counters);
    counters.values[COUNT_CORES] = 1;
    counters.values[COUNT_QUEUE_WAIT] = 0;
    counters.values[COUNT_FREQUENCY] = megahertz;
    counters.values[COUNT_FREQUENCY_BASE] = 2600;
    counters.values[COUNT_THROTTLED_HEAT] = hot;
    struct event_run run = {.ending = ENDING_COMPLETED,
                            .profile = worked,
                            .seconds = 60,
                            .cpu_seconds = cpu_seconds,
                            .counters = &counters};
    struct verdict_evidence evidence = evidence_of_run(&run);
    return verdict_find(&evidence);
}

static void a_slow_clock_bounds_who_works(void **state)
{
    (void)state;
    struct verdict slow = judge_clock(59, 1560, NAN), hot = judge_clock(59, 2500, 21);
    assert_int_equal(slow.kind, VERDICT_THROTTLED);
    assert_true(fabs(slow.figure - 0.4) < 1e-9);
    assert_int_equal(hot.kind, VERDICT_THROTTLED);
    assert_true(fabs(hot.figure - 0.35) < 1e-9);
    assert_int_equal(judge_clock(59, 2470, 2).kind, VERDICT_COMPUTING);
    assert_int_equal(judge_clock(59, NAN, NAN).kind, VERDICT_COMPUTING);
    assert_int_equal(judge_clock(6, 1560, 0).kind, VERDICT_WAITING); /* cores that idle are clocked down */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_leads_to_its_verdict),
        cmocka_unit_test(of_nothing_nothing_is_said),
        cmocka_unit_test(what_is_not_known_counts_as_nothing),
        cmocka_unit_test(of_a_process_that_died_without_a_word_nothing_is_said),
        cmocka_unit_test(absurd_evidence_has_a_verdict_and_no_absurd_figure),
        cmocka_unit_test(a_slow_clock_bounds_who_works),
        cmocka_unit_test(a_wait_for_memory_is_that_of_who_lost_some),
        cmocka_unit_test(every_verdict_has_words),
        cmocka_unit_test(a_sentence_has_its_figure),
        cmocka_unit_test(small_batches_are_told_from_large_ones),
        cmocka_unit_test(of_two_verdicts_the_one_with_more_trials_is_named),
        cmocka_unit_test(where_nothing_differs_there_is_no_division),
        cmocka_unit_test(one_name_is_told_from_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
