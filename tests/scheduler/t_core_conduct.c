/* The core and a worker that nobody can make sense of, or that goes round in circles: it is set aside. */
#include "scheduler/core/conduct.h"
#include "common/mem.h"
#include "common/rng.h"
#include "tests/core_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_ahead(struct fixture *b, double clock, double ahead)
{
    fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {.wall = clock}});
    struct snapshot now = fixture_stand(b);
    assert_true(isnan(ahead) ? isnan(now.workers[0].ahead) : fabs(now.workers[0].ahead - ahead) < 1e-3);
    snapshot_fini(&now);
}

static void it_is_known_how_far_the_clock_of_a_worker_is_ahead(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    assert_ahead(b, b->now + b->config.wall_offset + 42, 42);
    assert_ahead(b, b->now + b->config.wall_offset - 42, -42);
    assert_ahead(b, 0, NAN);
    assert_ahead(b, INFINITY, NAN);
}

/* --- what a message says --- */

static void assert_aside(struct fixture *b, const char *why)
{
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.worker_count, 1);
    assert_has(now.workers[0].aside, why);
    assert_int_equal(now.slots, 0);
    snapshot_fini(&now);
    assert_has(fixture_last_sent(b, MSG_REFUSED)->refused.why, why);
}

static void a_step_that_no_trial_comes_to_sets_the_worker_aside(void **state)
{
    struct fixture *b = *state;
    struct msg_sample sample = {.metric = "loss", .step = INT64_MAX, .value = 0.5, .time = 1};
    struct msg_batch batch = {.trial = 1, .attempt = 1, .samples = &sample, .samples_count = 1};
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    fixture_say(b, 7, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_aside(b, "'step' of sample is 9.2233720368547758e+18");
    assert_int_equal(fixture_count_events(b, EVENT_SAMPLED), 0);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER_GONE), 1);
}

static void a_text_without_end_sets_the_worker_aside(void **state)
{
    enum { LENGTH = 1 << 20 };
    struct fixture *b = *state;
    char *text = memset(mem_resize(NULL, LENGTH + 1, 1), 'x', LENGTH);
    text[LENGTH] = '\0';
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_CRASHED, NAN);
    result.tail = text;
    fixture_report(b, 7, result);
    assert_aside(b, "'tail' of result is 1048576 bytes, from 0 to 16384 are allowed");
    free(text);
}

static void a_number_that_is_none_sets_the_worker_aside(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 0.5);
    result.seconds = NAN;
    fixture_report(b, 7, result);
    assert_aside(b, "'seconds' of result is nan");
}

/* A worker thins out what its trials report (worker/program/thin.h); one that does not would fill the store. */
static void samples_without_end_set_the_worker_aside(void **state)
{
    struct fixture *b = *state;
    struct msg_sample sample = {.metric = "loss", .step = 1, .value = 0.5, .time = 1};
    struct msg_batch batch = {.trial = 1, .attempt = 1, .samples = &sample, .samples_count = 1};
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    batch.first = metrics_most_samples(1) - 1;
    fixture_say(b, 7, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 0);
    batch.first++;
    fixture_say(b, 7, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_aside(b, "it reports 200001 samples of a run; a worker leaves out what is beyond 200000");
}

static void a_result_with_samples_without_end_sets_the_worker_aside(void **state)
{
    struct fixture *b = *state;
    struct msg_result result = fixture_done(1, 1, ENDING_COMPLETED, 0.5);
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    result.first = metrics_most_samples(1) + 1;
    fixture_report(b, 7, result);
    assert_aside(b, " samples of a run; ");
}

static void what_it_ran_goes_elsewhere_and_it_gets_nothing_more(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 2;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    fixture_say(b, 7, &(struct msg){.kind = MSG_GOODBYE, .goodbye = {.why = "ok"}});
    fixture_join(b, 8, 2, 2, 0);
    fixture_report(b, 8, (struct msg_result){.trial = 0, .attempt = 1});
    fixture_join(b, 8, 2, 2, 0); /* HELLO and OFFER, as if nothing had been */
    fixture_join(b, 8, 3, 2, 0); /* and as another one */
    size_t before = fixture_count_sent(b, MSG_LEASES);
    assert_int_equal(before, 2);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 3);
    fixture_join(b, 9, 4, 2, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases_count, 2);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 3);
}

static void a_hello_that_makes_no_sense_makes_no_worker(void **state)
{
    struct fixture *b = *state;
    char node[300];
    memset(node, 'n', sizeof node - 1);
    node[sizeof node - 1] = '\0';
    fixture_start(b);
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = node}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 0, .node = "n1"}});
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 2);
    assert_int_equal(fixture_count_events(b, EVENT_WORKER), 0);
}

/* --- runs whose keys are the same --- */

#define MULTIPLIER 0xd6e8feb86659fd93u /* these of common/rng.c */
#define ADDEND     0xa0761d6478bd642fu
#define STEP       0x9e3779b97f4a7c15u

/* The inverse of `z ^ z >> shift`. */
static uint64_t unshift(uint64_t z, int shift)
{
    uint64_t x = z;
    for (int i = 0; i < 64 / shift; i++)
        x = z ^ x >> shift;
    return x;
}

/* The number that times `odd` is 1 (Newton's iteration). */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t scramble(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t unscramble(uint64_t z)
{
    z = unshift(z, 31) * inverse(0x94d049bb133111ebu);
    z = unshift(z, 27) * inverse(0xbf58476d1ce4e5b9u);
    return unshift(z, 30);
}

/* Another run of this worker with the same key as this one has. */
static struct msg_held twin_of(uint64_t worker, uint64_t trial, uint32_t attempt)
{
    uint64_t key = rng_mix(rng_mix(worker, trial), attempt);
    for (uint32_t other = attempt + 1;; other++) {
        uint64_t mixed = unscramble(unscramble(key) ^ (other * MULTIPLIER + ADDEND)) - STEP;
        uint64_t twin = ((unscramble(mixed) ^ scramble(worker + STEP)) - ADDEND) * inverse(MULTIPLIER);
        if (twin && twin < (uint64_t)MSG_MOST_NUMBER)
            return (struct msg_held){twin, other, 0, false};
    }
}

static void runs_with_the_same_key_are_two_runs(void **state)
{
    struct fixture *b = *state;
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    struct msg_held held[] = {{5, 1, 0, false}, twin_of(1, 5, 1)};
    assert_true(rng_mix(rng_mix(1, 5), 1) == rng_mix(rng_mix(1, held[1].trial), held[1].attempt));
    b->config.max_trials = 0;
    b->proposes = false;
    fixture_start_from(b, &(struct memory){.next_trial = (uint64_t)MSG_MOST_NUMBER});
    fixture_say(b, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    fixture_say(b, 7, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, held, 2}});
    assert_int_equal(fixture_count_sent(b, MSG_STOP_RUN), 2); /* both are told to stop: their trials ended long ago */
    for (int i = 1; i >= 0; i--)
        fixture_report(b, 7, fixture_done(held[i].trial, held[i].attempt, ENDING_CANCELLED, NAN));
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.busy, 0);
    snapshot_fini(&now);
}

/* --- round in circles: many more outputs than a fixture keeps --- */

struct circle {
    struct fixture *b;
    uint64_t trial;
    uint32_t attempt; /* of the last lease */
    size_t leases, stored, refused;
};

/* Everything is committed at once, and forgotten. */
static void drain(struct circle *circle)
{
    struct output output;
    struct msg msg;
    bool any;
    do {
        any = false;
        for (; core_next(circle->b->core, &output); any = true) {
            circle->stored += output.kind == OUTPUT_STORE;
            if (output.kind == OUTPUT_STORE)
                circle->b->emitted = output.event.number;
            if (output.kind == OUTPUT_ASK)
                core_proposal(circle->b->core, circle->b->now, output.trial, &(struct event_proposed){.params = "{}"});
            if (output.kind == OUTPUT_SEND && !msg_decode(&msg, output.bytes.data, output.bytes.length, NULL)) {
                circle->refused += msg.kind == MSG_REFUSED;
                if (msg.kind == MSG_LEASES) {
                    circle->leases++;
                    circle->trial = msg.leases.leases[0].trial;
                    circle->attempt = msg.leases.leases[0].attempt;
                }
                msg_fini(&msg);
            }
            output_fini(&output);
        }
        core_committed(circle->b->core, circle->b->now, circle->b->emitted);
    } while (any);
}

static void say(struct circle *circle, uint64_t peer, const struct msg *msg)
{
    core_message(circle->b->core, circle->b->now, peer, msg);
    drain(circle);
}

static struct circle begin(struct fixture *b)
{
    struct circle circle = {.b = b};
    b->core = core_create(&b->config, &(struct memory){.next_trial = 1}, b->now);
    drain(&circle);
    return circle;
}

static void join(struct circle *circle, uint64_t peer, uint64_t worker)
{
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    say(circle, peer, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = "n1"}});
    say(circle, peer, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
}

/* So often the worker gets what it gives back. */
static void assert_set_aside_after(struct circle *circle, size_t leases)
{
    assert_int_equal(circle->leases, leases);
    assert_int_equal(circle->refused, 1);
    join(circle, 8, 2);
    assert_int_equal(circle->leases, leases + 1); /* the trial goes on elsewhere */
}

static void who_gives_back_leases_without_end_is_set_aside(void **state)
{
    struct fixture *b = *state;
    struct circle circle = begin(b);
    join(&circle, 7, 1);
    for (int i = 0; i < 2 * CONDUCT_MOST_FRUITLESS; i++) {
        struct msg_run_id run = {circle.trial, circle.attempt};
        say(&circle, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    }
    assert_set_aside_after(&circle, CONDUCT_MOST_FRUITLESS + 1);
}

static void cut_off(struct fixture *b, enum ending ending)
{
    b->config.requeues = UINT32_MAX; /* the trial may be patient, its worker is not believed */
    struct circle circle = begin(b);
    join(&circle, 7, 1);
    for (int i = 0; i < 2 * CONDUCT_MOST_FRUITLESS; i++) {
        struct msg_result result = {.trial = circle.trial, .attempt = circle.attempt, .ending = ending, .seconds = 1};
        say(&circle, 7, &(struct msg){.kind = MSG_RESULTS, .results = {&result, 1}});
    }
    assert_set_aside_after(&circle, CONDUCT_MOST_FRUITLESS + 1);
}

static void who_cuts_runs_off_without_end_is_set_aside(void **state)
{
    cut_off(*state, ENDING_WALLTIME);
}

static void who_pauses_what_nobody_pauses_is_set_aside(void **state)
{
    cut_off(*state, ENDING_PAUSED);
}

static void a_worker_that_brings_trials_to_an_end_may_give_back_what_it_likes(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 0;
    struct circle circle = begin(b);
    join(&circle, 7, 1);
    for (int i = 0; i < 2 * CONDUCT_MOST_FRUITLESS; i++) {
        struct msg_run_id run = {circle.trial, circle.attempt};
        struct msg_result done = fixture_done(circle.trial, circle.attempt, ENDING_COMPLETED, 0.5);
        if (i % 1000)
            say(&circle, 7, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
        else
            say(&circle, 7, &(struct msg){.kind = MSG_RESULTS, .results = {&done, 1}});
    }
    assert_int_equal(circle.leases, 2 * CONDUCT_MOST_FRUITLESS + 1);
    assert_int_equal(circle.refused, 0);
}

/* The events that a loop of HELLOs costs, as worker 1, 1 + step, ...; with GOODBYE in between or not. */
static size_t greet(struct fixture *b, uint64_t step, bool leaves)
{
    struct circle circle = begin(b);
    for (uint64_t i = 0; i < 3 * CONDUCT_MOST_GREETINGS; i++) {
        say(&circle, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1 + i * step, .node = "n1"}});
        if (leaves)
            say(&circle, 7, &(struct msg){.kind = MSG_GOODBYE, .goodbye = {.why = "see you"}});
    }
    core_destroy(b->core);
    b->core = NULL;
    b->emitted = 0;
    return circle.stored;
}

static void who_says_hello_without_end_is_set_aside(void **state)
{
    assert_true(greet(*state, 0, false) < CONDUCT_MOST_GREETINGS + 10);
    assert_true(greet(*state, 1, false) < CONDUCT_MOST_GREETINGS + 10);
    assert_true(greet(*state, 0, true) < 2 * CONDUCT_MOST_GREETINGS + 10);
    assert_true(greet(*state, 1, true) < 2 * CONDUCT_MOST_GREETINGS + 10);
}

/* Each time by another connection and under another number, as a program does that is started again and again. */
static void who_comes_without_end_as_somebody_else_is_refused(void **state)
{
    struct fixture *b = *state;
    struct circle circle = begin(b);
    for (uint64_t i = 0; i < 2 * CONDUCT_MOST_NEWCOMERS; i++) {
        say(&circle, 100 + i, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 100 + i, .node = "n1"}});
        say(&circle, 100 + i, &(struct msg){.kind = MSG_GOODBYE, .goodbye = {.why = "see you"}});
    }
    assert_int_equal(circle.refused, CONDUCT_MOST_NEWCOMERS);
    assert_in_range(circle.stored, CONDUCT_MOST_NEWCOMERS, 2 * CONDUCT_MOST_NEWCOMERS + 10);
    say(&circle, 8, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 8, .node = "n2"}});
    assert_int_equal(circle.refused, CONDUCT_MOST_NEWCOMERS); /* other nodes are not harmed */
    b->now += 10;
    for (uint64_t i = 0; i < 20; i++)
        say(&circle, 10 + i, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 10 + i, .node = "n1"}});
    assert_int_equal(circle.refused, CONDUCT_MOST_NEWCOMERS + 10); /* one a second may come */
}

static void workers_that_bring_runs_to_an_end_may_come_without_end(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 0;
    struct circle circle = begin(b);
    for (uint64_t i = 0; i < CONDUCT_MOST_NEWCOMERS + 1000; i++) {
        join(&circle, 100 + i, 100 + i);
        struct msg_result done = fixture_done(circle.trial, circle.attempt, ENDING_COMPLETED, 0.5);
        say(&circle, 100 + i, &(struct msg){.kind = MSG_RESULTS, .results = {&done, 1}});
        say(&circle, 100 + i, &(struct msg){.kind = MSG_GOODBYE, .goodbye = {.why = "see you"}});
    }
    assert_int_equal(circle.refused, 0);
}

static void a_hello_a_second_is_an_honest_worker_s_right(void **state)
{
    struct fixture *b = *state;
    struct circle circle = begin(b);
    for (int i = 0; i < 5 * CONDUCT_MOST_GREETINGS; i++) {
        b->now += 1;
        say(&circle, 7, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 1, .node = "n1"}});
    }
    assert_int_equal(circle.refused, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(it_is_known_how_far_the_clock_of_a_worker_is_ahead),
        FIXTURE_CLAIM(a_step_that_no_trial_comes_to_sets_the_worker_aside),
        FIXTURE_CLAIM(a_text_without_end_sets_the_worker_aside),
        FIXTURE_CLAIM(a_number_that_is_none_sets_the_worker_aside),
        FIXTURE_CLAIM(samples_without_end_set_the_worker_aside),
        FIXTURE_CLAIM(a_result_with_samples_without_end_sets_the_worker_aside),
        FIXTURE_CLAIM(what_it_ran_goes_elsewhere_and_it_gets_nothing_more),
        FIXTURE_CLAIM(a_hello_that_makes_no_sense_makes_no_worker),
        FIXTURE_CLAIM(runs_with_the_same_key_are_two_runs),
        FIXTURE_CLAIM(who_gives_back_leases_without_end_is_set_aside),
        FIXTURE_CLAIM(who_cuts_runs_off_without_end_is_set_aside),
        FIXTURE_CLAIM(who_pauses_what_nobody_pauses_is_set_aside),
        FIXTURE_CLAIM(a_worker_that_brings_trials_to_an_end_may_give_back_what_it_likes),
        FIXTURE_CLAIM(who_says_hello_without_end_is_set_aside),
        FIXTURE_CLAIM(who_comes_without_end_as_somebody_else_is_refused),
        FIXTURE_CLAIM(workers_that_bring_runs_to_an_end_may_come_without_end),
        FIXTURE_CLAIM(a_hello_a_second_is_an_honest_worker_s_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
