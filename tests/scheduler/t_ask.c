/* The strategy's thread, with a made-up searcher in it: this program defines searcher_ask, searcher_tell_all and more
 * itself. */
#include "scheduler/session/ask.h"
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/until.h"

#include "common/buf.h"
#include "common/mem.h"

#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The made-up searcher answers what it is told to. It is the thread's between ask_start and ask_stop. */
struct searcher {
    const char
        *answers; /* a character an ask: p proposed, l later, n no more, b broken, w proposed after `gate`; then p */
    sem_t gate;
    struct buf story; /* what it was asked and told: "?1 ~1@3=0.7 !1=0.5 " */
};

enum searcher_answer searcher_ask(struct searcher *searcher, uint64_t trial, struct proposal *out, struct err *err)
{
    char answer = *searcher->answers ? *searcher->answers++ : 'p';
    buf_format(&searcher->story, "?%u ", (unsigned)trial);
    if (answer == 'l')
        return SEARCHER_LATER;
    if (answer == 'n')
        return SEARCHER_NO_MORE;
    if (answer == 'b') {
        err_write(err, "the model is singular");
        return SEARCHER_BROKEN;
    }
    if (answer == 'w')
        sem_wait(&searcher->gate);
    *out = (struct proposal){.params = mem_format("{\"x\": %u}", (unsigned)trial), .fingerprint = 100 + trial};
    return SEARCHER_PROPOSED;
}

int searcher_add(struct searcher *searcher, uint64_t trial, const char *params, struct err *err)
{
    (void)err;
    buf_format(&searcher->story, "+%u%s ", (unsigned)trial, params);
    return 0;
}

void searcher_rejections(const struct searcher *searcher, uint64_t *forbidden, uint64_t *repeated)
{
    (void)searcher;
    *forbidden = *repeated = 0;
}

void searcher_destroy(struct searcher *searcher)
{
    (void)searcher;
}

void searcher_tell_all(struct searcher *searcher, uint64_t trial, enum ending ending, const struct measures *measured)
{
    (void)ending;
    buf_format(&searcher->story, "!%u=%g ", (unsigned)trial, measured->losses[0]);
}

void searcher_observe(struct searcher *searcher, uint64_t trial, const struct measures *so_far)
{
    buf_format(&searcher->story, "~%u@%u=%g ", (unsigned)trial, (unsigned)so_far->step, so_far->losses[0]);
}

struct stage {
    struct loop *loop;
    struct searcher searcher;
    struct searcher renewed; /* the one after ask_renew */
    const char *why;         /* there is none after it, for this reason; NULL: there is */
    struct ask *ask;
    bool gathers;
    struct buf heard; /* what came back: "1@0 2@0 " - trial@tells before - "none ", "held@1 ", "broken: why " */
    unsigned answers;
    unsigned awaited;
};

static void proposed(void *context, uint64_t trial, const struct event_proposed *proposal)
{
    struct stage *stage = context;
    assert_non_null(proposal->params);
    assert_int_equal(proposal->fingerprint, 100 + trial);
    assert_false(proposal->from_start);
    assert_int_equal(proposal->from, 0);
    buf_format(&stage->heard, "%u@%u ", (unsigned)trial, (unsigned)proposal->told_before);
    stage->answers++;
}

static void no_more(void *context)
{
    struct stage *stage = context;
    buf_text(&stage->heard, "none ");
    stage->answers++;
}

static void broken(void *context, const char *why)
{
    struct stage *stage = context;
    buf_format(&stage->heard, "broken: %s ", why);
    stage->answers++;
}

static void held(void *context, uint64_t told)
{
    struct stage *stage = context;
    buf_format(&stage->heard, "held@%u ", (unsigned)told);
    stage->answers++;
}

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){.loop = loop_create(), .searcher.answers = "", .renewed.answers = ""};
    sem_init(&stage.searcher.gate, 0, 0);
    *state = &stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    ask_stop(stage->ask);
    loop_destroy(stage->loop);
    sem_destroy(&stage->searcher.gate);
    buf_fini(&stage->searcher.story);
    buf_fini(&stage->renewed.story);
    buf_fini(&stage->heard);
    return 0;
}

static void start(struct stage *stage, const char *answers, struct metrics metrics, struct ask_past past)
{
    struct ask_calls calls = {.proposed = proposed,
                              .no_more = no_more,
                              .broken = broken,
                              .held = held,
                              .context = stage,
                              .gathers = stage->gathers};
    struct err err = {0};
    stage->searcher.answers = answers;
    stage->ask = ask_start(stage->loop, &stage->searcher, &metrics, &past, &calls, &err);
    assert_non_null(stage->ask);
}

static bool enough(void *context)
{
    const struct stage *stage = context;
    return stage->answers >= stage->awaited;
}

static void await(struct stage *stage, unsigned answers)
{
    stage->awaited = answers;
    ask_flush(stage->ask);
    until(stage->loop, enough, stage);
}

static void end(struct stage *stage)
{
    ask_stop(stage->ask);
    stage->ask = NULL;
}

static void tell(struct stage *stage, uint64_t trial)
{
    const double value = 0.5;
    ask_tell(stage->ask, &(struct told){.trial = trial, .ending = ENDING_COMPLETED, .values = &value, .seconds = 1});
}

static void answers_come_in_the_order_of_the_asks(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= 4; trial++)
        ask_trial(stage->ask, trial);
    await(stage, 4);
    assert_string_equal(buf_str(&stage->heard), "1@0 2@0 3@0 4@0 ");
}

static void a_proposal_says_how_many_tells_preceded_it(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){.told = 10});
    ask_trial(stage->ask, 11);
    tell(stage, 11);
    tell(stage, 9);
    ask_trial(stage->ask, 12);
    await(stage, 2);
    assert_string_equal(buf_str(&stage->heard), "11@10 12@12 ");
    end(stage);
    assert_string_equal(buf_str(&stage->searcher.story), "?11 !11=0.5 !9=0.5 ?12 ");
}

static void an_answer_does_not_wait_for_the_next_question(void **state)
{
    struct stage *stage = *state;
    start(stage, "pw", metrics_min, (struct ask_past){0});
    ask_trial(stage->ask, 1);
    ask_trial(stage->ask, 2);
    await(stage, 1); /* the second is still being thought about */
    sem_post(&stage->searcher.gate);
    await(stage, 2);
    assert_string_equal(buf_str(&stage->heard), "1@0 2@0 ");
}

static void what_must_wait_is_asked_again_after_the_next_tell_and_those_behind_it_too(void **state)
{
    struct stage *stage = *state;
    start(stage, "plpp", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= 3; trial++)
        ask_trial(stage->ask, trial);
    await(stage, 1);
    tell(stage, 1);
    await(stage, 3);
    assert_string_equal(buf_str(&stage->heard), "1@0 2@1 3@1 ");
    end(stage);
    assert_string_equal(buf_str(&stage->searcher.story), "?1 ?2 !1=0.5 ?2 ?3 ");
}

static void trials_of_before_a_restart_may_be_waited_for(void **state)
{
    struct stage *stage = *state;
    start(stage, "lp", metrics_min, (struct ask_past){.told = 3, .open = 1});
    ask_trial(stage->ask, 5);
    tell(stage, 4);
    await(stage, 1);
    assert_string_equal(buf_str(&stage->heard), "5@4 ");
}

static void a_strategy_that_waits_for_nothing_is_broken(void **state)
{
    struct stage *stage = *state;
    start(stage, "l", metrics_min, (struct ask_past){0});
    ask_trial(stage->ask, 1);
    await(stage, 1);
    assert_has(buf_str(&stage->heard), "broken: the strategy waits for a trial to end, but none is running");
}

static void after_no_more_nothing_is_asked(void **state)
{
    struct stage *stage = *state;
    start(stage, "pn", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= 5; trial++)
        ask_trial(stage->ask, trial);
    tell(stage, 1);
    ask_trial(stage->ask, 6);
    await(stage, 2);
    end(stage);
    assert_string_equal(buf_str(&stage->heard), "1@0 none ");
    assert_string_equal(buf_str(&stage->searcher.story), "?1 ?2 !1=0.5 ");
}

static void a_broken_strategy_says_why_once(void **state)
{
    struct stage *stage = *state;
    start(stage, "b", metrics_min, (struct ask_past){0});
    ask_trial(stage->ask, 1);
    ask_trial(stage->ask, 2);
    await(stage, 1);
    end(stage);
    assert_string_equal(buf_str(&stage->heard), "broken: the model is singular ");
    assert_string_equal(buf_str(&stage->searcher.story), "?1 ");
}

static void lower_is_better_for_a_strategy_whatever_the_metric(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_max, (struct ask_past){0});
    tell(stage, 1);
    ask_tell(stage->ask, &(struct told){.trial = 2, .ending = ENDING_CRASHED, .seconds = 1});
    end(stage);
    assert_string_equal(buf_str(&stage->searcher.story), "!1=-0.5 !2=nan ");
}

static void the_end_does_not_wait_for_questions_that_were_not_begun(void **state)
{
    struct stage *stage = *state;
    start(stage, "w", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= 1000; trial++)
        ask_trial(stage->ask, trial);
    ask_flush(stage->ask);
    sem_post(&stage->searcher.gate);
    end(stage);
    assert_true(stage->searcher.story.length < strlen("?1000 ") * 1000);
    assert_int_equal(stage->answers, 0); /* nobody listens any more */
}

static void an_observation_counts_as_something_told_and_ends_no_trial(void **state)
{
    struct stage *stage = *state;
    double value = 0.7;
    start(stage, "pp", metrics_min, (struct ask_past){0});
    ask_trial(stage->ask, 1);
    ask_tell(stage->ask, &(struct told){.trial = 1, .values = &value, .step = 3, .observed = true});
    ask_trial(stage->ask, 2);
    await(stage, 2);
    assert_string_equal(buf_str(&stage->searcher.story), "?1 ~1@3=0.7 ?2 ");
    assert_string_equal(buf_str(&stage->heard), "1@0 2@1 ");
}

static void the_questions_of_a_turn_wake_the_thread_once(void **state)
{
    enum { MANY = 500 };
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= MANY; trial++)
        ask_trial(stage->ask, trial);
    await(stage, MANY);
    assert_int_equal(ask_counts(stage->ask)->batches, 1);
}

/* Those of a millisecond come together, in their order, and with them whatever ends the search; what they say was told
 * serves for later tells. */
static void what_a_quick_strategy_answers_may_come_together(void **state)
{
    struct stage *stage = *state;
    stage->gathers = true;
    start(stage, "ppp", metrics_min, (struct ask_past){0});
    for (uint64_t trial = 1; trial <= 3; trial++)
        ask_trial(stage->ask, trial);
    await(stage, 3);
    assert_string_equal(buf_str(&stage->heard), "1@0 2@0 3@0 ");
    for (uint64_t round = 0; round < 50; round++) {
        for (uint64_t trial = 1 + 3 * round; trial <= 3 + 3 * round; trial++) {
            tell(stage, trial);
            ask_trial(stage->ask, trial + 3);
        }
        await(stage, (unsigned)(6 + 3 * round));
    }
    buf_clear(&stage->heard);
    stage->searcher.answers = "pn";
    ask_trial(stage->ask, 154);
    ask_trial(stage->ask, 155);
    await(stage, 155);
    assert_string_equal(buf_str(&stage->heard), "154@150 none ");
}

/* --- what was told has changed --- */

/* Called in the strategy's thread: all that was told is ten, and two trials are on their way. */
static struct searcher *live_anew(void *context, struct ask_past *past, struct err *err)
{
    struct stage *stage = context;
    *past = (struct ask_past){.told = 10, .open = 2};
    if (stage->why)
        err_write(err, "%s", stage->why);
    return stage->why ? NULL : &stage->renewed;
}

static void what_comes_behind_a_change_of_the_past_waits_for_another_searcher(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){.told = 8});
    ask_trial(stage->ask, 1);
    ask_forget(stage->ask, 9);
    ask_trial(stage->ask, 2);
    tell(stage, 1);
    ask_trial(stage->ask, 3);
    await(stage, 2);
    assert_string_equal(buf_str(&stage->heard), "1@8 held@9 ");
    ask_renew(stage->ask, live_anew, stage);
    await(stage, 4);
    assert_string_equal(buf_str(&stage->heard), "1@8 held@9 2@10 3@11 ");
    end(stage);
    assert_string_equal(buf_str(&stage->searcher.story), "?1 ");
    assert_string_equal(buf_str(&stage->renewed.story), "?2 !1=0.5 ?3 ");
}

static void a_second_change_behind_the_first_waits_for_its_turn(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){.told = 8});
    ask_forget(stage->ask, 9);
    ask_forget(stage->ask, 11);
    ask_trial(stage->ask, 1);
    await(stage, 1);
    ask_renew(stage->ask, live_anew, stage);
    await(stage, 2);
    assert_string_equal(buf_str(&stage->heard), "held@9 held@11 ");
    ask_renew(stage->ask, live_anew, stage);
    await(stage, 3);
    assert_string_equal(buf_str(&stage->heard), "held@9 held@11 1@10 ");
}

static void a_search_that_had_nothing_left_may_have_more_after_a_change(void **state)
{
    struct stage *stage = *state;
    start(stage, "n", metrics_min, (struct ask_past){.told = 8});
    ask_trial(stage->ask, 1);
    ask_trial(stage->ask, 2); /* not answered: there is nothing left */
    ask_forget(stage->ask, 9);
    await(stage, 2);
    ask_renew(stage->ask, live_anew, stage);
    ask_trial(stage->ask, 3);
    await(stage, 3);
    assert_string_equal(buf_str(&stage->heard), "none held@9 3@10 ");
}

static void a_searcher_that_can_not_be_made_anew_is_a_broken_strategy(void **state)
{
    struct stage *stage = *state;
    stage->why = "the recorded search can't be read";
    start(stage, "", metrics_min, (struct ask_past){0});
    ask_forget(stage->ask, 1);
    ask_trial(stage->ask, 1);
    await(stage, 1);
    ask_renew(stage->ask, live_anew, stage);
    await(stage, 2);
    end(stage);
    assert_string_equal(buf_str(&stage->heard), "held@1 broken: the recorded search can't be read ");
    assert_string_equal(buf_str(&stage->searcher.story), "");
}

static void a_search_may_end_while_everything_waits_for_a_change(void **state)
{
    struct stage *stage = *state;
    start(stage, "", metrics_min, (struct ask_past){0});
    ask_forget(stage->ask, 1);
    ask_trial(stage->ask, 1);
    tell(stage, 1);
    await(stage, 1);
    end(stage);
    assert_string_equal(buf_str(&stage->heard), "held@1 ");
    assert_string_equal(buf_str(&stage->searcher.story), "");
}

/* Somebody else's trial, with values of all metrics: it is no trial that a strategy could wait for. */
static void a_trial_that_was_measured_elsewhere_is_proposal_and_end_in_one(void **state)
{
    struct stage *stage = *state;
    const double values[] = {0.25, 0.5, 4};
    start(stage, "l", metrics_three, (struct ask_past){0});
    ask_tell(stage->ask,
             &(struct told){.trial = 4, .ending = ENDING_COMPLETED, .values = values, .params = "{\"x\": 4}"});
    ask_trial(stage->ask, 5);
    await(stage, 1);
    assert_has(buf_str(&stage->heard), "broken: the strategy waits for a trial to end, but none is running");
    end(stage);
    assert_string_equal(buf_str(&stage->searcher.story), "+4{\"x\": 4} !4=0.25 ?5 ");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(an_observation_counts_as_something_told_and_ends_no_trial),
        STAGED(answers_come_in_the_order_of_the_asks),
        STAGED(the_questions_of_a_turn_wake_the_thread_once),
        STAGED(a_proposal_says_how_many_tells_preceded_it),
        STAGED(an_answer_does_not_wait_for_the_next_question),
        STAGED(what_a_quick_strategy_answers_may_come_together),
        STAGED(what_must_wait_is_asked_again_after_the_next_tell_and_those_behind_it_too),
        STAGED(trials_of_before_a_restart_may_be_waited_for),
        STAGED(a_strategy_that_waits_for_nothing_is_broken),
        STAGED(after_no_more_nothing_is_asked),
        STAGED(a_broken_strategy_says_why_once),
        STAGED(lower_is_better_for_a_strategy_whatever_the_metric),
        STAGED(the_end_does_not_wait_for_questions_that_were_not_begun),
        STAGED(what_comes_behind_a_change_of_the_past_waits_for_another_searcher),
        STAGED(a_second_change_behind_the_first_waits_for_its_turn),
        STAGED(a_search_that_had_nothing_left_may_have_more_after_a_change),
        STAGED(a_searcher_that_can_not_be_made_anew_is_a_broken_strategy),
        STAGED(a_search_may_end_while_everything_waits_for_a_change),
        STAGED(a_trial_that_was_measured_elsewhere_is_proposal_and_end_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
