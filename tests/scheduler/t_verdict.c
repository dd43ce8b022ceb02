/* What bounded a run, by evidence that is made up. */
#include "scheduler/store/evidence.h"
#include "scheduler/verdict/division.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

enum { MOST_GIVEN = 12 };

/* Evidence by the names of its fields, as {"data", 7}. Phases that are not named took no time. */
struct given {
    const char *name;
    double value;
};

struct verdict_case {
    const char *what;
    struct given given[MOST_GIVEN];
    enum verdict_kind kind;
    double figure; /* NAN: none */
};

static double *field_named(struct verdict_evidence *evidence, const char *name)
{
    const struct {
        const char *name;
        double *field;
    } fields[] = {{"named", &evidence->named},
                  {"cpu", &evidence->cpu_seconds},
                  {"cores", &evidence->cores},
                  {"core_wait", &evidence->core_wait},
                  {"memory_wait", &evidence->memory_wait},
                  {"disk_wait", &evidence->disk_wait},
                  {"clock", &evidence->clock},
                  {"throttled", &evidence->throttled},
                  {"slowest", &evidence->slowest},
                  {"mean", &evidence->mean},
                  {"flops", &evidence->flops},
                  {"bytes", &evidence->bytes},
                  {"peak", &evidence->peak_flops},
                  {"bandwidth", &evidence->bandwidth}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].field;
    assert_true(phase_named(name) >= 0);
    return &evidence->phases[phase_named(name)];
}

static struct verdict find(const struct given *given)
{
    struct verdict_evidence evidence = verdict_nothing();
    for (int i = 0; i < PHASES_COUNT; i++)
        evidence.phases[i] = 0;
    for (; given->name; given++)
        *field_named(&evidence, given->name) = given->value;
    return verdict_find(&evidence);
}

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
     {{"data", 4}, {"forward", 12}, {"cpu", 4}, {"core_wait", 12}, {"cores", 1}},
     VERDICT_DATA,
     4.0 / 7},
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
    {"the first rank is the slowest",
     {{"allreduce", 0.1}, {"forward", 9.9}, {"slowest", 9.9}, {"mean", 5.9}},
     VERDICT_IMBALANCE,
     0.4},
    {"ranks that did nothing", {{"work", 10}, {"slowest", 0}, {"mean", 0}}, VERDICT_COMPUTING, 1},
    {"launch", {{"launch", 0.6}, {"forward", 0.4}}, VERDICT_LAUNCH, 0.6},
    {"hand-over of the shortest trials", {{"launch", 1e-5}, {"idle", 1e-4}, {"work", 1e-5}}, VERDICT_LAUNCH, 11 / 12.0},
    {"a process that only began and ended", {{"launch", 0.0003}, {"work", 0.0257}, {"cpu", 0.0008}}, VERDICT_LAUNCH, 1},
    {"a short program that computed", {{"launch", 0.0003}, {"work", 0.0297}, {"cpu", 0.02}}, VERDICT_COMPUTING, 0.99},
    {"launch, and more of data", {{"launch", 0.4}, {"data", 0.6}}, VERDICT_DATA, 0.6},
    {"a queue before", {{"queue", 1000}, {"forward", 1}}, VERDICT_COMPUTING, 1},
    {"idle", {{"idle", 6}, {"forward", 4}}, VERDICT_WAITING, 0.6},
    {"a program that sleeps", {{"work", 10}, {"cpu", 1}}, VERDICT_WAITING, 0.9},
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
    {"a short wait of several threads",
     {{"work", 0.15}, {"cpu", 0.05}, {"core_wait", 0.2}, {"cores", 1}},
     VERDICT_COMPUTING,
     1},
    {"one of four cores", {{"work", 10}, {"cpu", 10}, {"core_wait", 0.1}, {"cores", 4}}, VERDICT_UNDERUSED, 1.01},
    {"one of four cores, or the others were taken", {{"work", 10}, {"cpu", 10}, {"cores", 4}}, VERDICT_COMPUTING, 1},
    {"a large product", {{"forward", 10}, QUIET, LIMITS, {"flops", 800e9}, {"bytes", 20e9}}, VERDICT_COMPUTE, 0.8},
    {"a large product on a busy machine",
     {{"forward", 40}, {"cpu", 10}, {"core_wait", 30}, {"cores", 1}, LIMITS, {"flops", 800e9}, {"bytes", 20e9}},
     VERDICT_COMPUTE,
     0.8},
    {"updates that stream", {{"update", 10}, QUIET, LIMITS, {"flops", 30e9}, {"bytes", 150e9}}, VERDICT_MEMORY, 0.75},
    {"tiny batches", {{"forward", 10}, QUIET, LIMITS, {"flops", 50e9}, {"bytes", 40e9}}, VERDICT_LATENCY, 0.2},
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
        struct verdict found = find(cases[i].given);
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
        enum verdict_kind kind = find(some).kind;
        assert_int_equal(kind, VERDICT_COMPUTING);
    }
}

static void every_verdict_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICTS_COUNT; i++) {
        struct verdict verdict = {(enum verdict_kind)i, 0.68};
        struct buf text = {0};
        verdict_sentence(&verdict, &text);
        assert_true(text.length > 0);
        assert_int_equal(verdict_named(verdict_name(verdict.kind)), i);
        assert_non_null(verdict_advice(verdict.kind, true));
        buf_fini(&text);
    }
    assert_int_equal(verdict_named("sloth"), -1);
}

static void a_sentence_has_its_figure(void **state)
{
    (void)state;
    struct buf text = {0};
    verdict_sentence(&(struct verdict){VERDICT_DATA, 0.68}, &text);
    assert_string_equal(buf_str(&text), "68 % of the time waited for data");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_UNDERUSED, 1.04}, &text);
    assert_string_equal(buf_str(&text), "1.0 of its cores worked on average");
    buf_clear(&text);
    verdict_sentence(&(struct verdict){VERDICT_UNKNOWN, NAN}, &text);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_leads_to_its_verdict),
        cmocka_unit_test(of_nothing_nothing_is_said),
        cmocka_unit_test(what_is_not_known_counts_as_nothing),
        cmocka_unit_test(of_a_process_that_died_without_a_word_nothing_is_said),
        cmocka_unit_test(every_verdict_has_words),
        cmocka_unit_test(a_sentence_has_its_figure),
        cmocka_unit_test(small_batches_are_told_from_large_ones),
        cmocka_unit_test(where_nothing_differs_there_is_no_division),
        cmocka_unit_test(one_name_is_told_from_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
