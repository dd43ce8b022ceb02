/* Which workers have fallen silent, by a made-up coordinator: this program defines notifier_ask itself. */
#include "scheduler/supervisor/silence.h"
#include "tests/claims.h"
#include "tests/until.h"

#include "common/json.h"

enum { WORKERS = 3, LOOKS = 40 };

struct notifier {
    double silent[WORKERS]; /* what is answered of each; negative: it is not known */
    bool refuses;           /* the coordinator has no answer but a sentence */
    int looks[WORKERS];
    bool runs[WORKERS];
};

struct stage {
    struct loop *loop;
    struct notifier notifier;
    struct silence *silence;
    int told[WORKERS];
    int awaited; /* looks at the last worker */
};

void notifier_ask(struct notifier *notifier, const char *what, json_t *arguments,
                  void (*answered)(void *context, const json_t *answer), void *context)
{
    assert_string_equal(what, "silent");
    json_int_t worker = json_integer_value(json_object_get(arguments, "pid"));
    double seconds = notifier->silent[worker];
    json_t *answer = json_pack("{s:o}", "silent", seconds < 0 ? json_null() : json_of_real(seconds));
    notifier->looks[worker]++;
    answered(context, notifier->refuses ? NULL : answer);
    json_decref(answer);
    json_decref(arguments);
}

static json_t *sign(void *context, uint32_t worker)
{
    const struct stage *stage = context;
    return stage->notifier.runs[worker] ? json_pack("{s:i}", "pid", (int)worker) : NULL;
}

static void silent(void *context, uint32_t worker, double seconds)
{
    struct stage *stage = context;
    assert_true(seconds >= 0.004);
    stage->told[worker]++;
}

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){.loop = loop_create()};
    for (int i = 0; i < WORKERS; i++)
        stage.notifier.runs[i] = true;
    *state = &stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    silence_end(stage->silence);
    loop_destroy(stage->loop);
    return 0;
}

static void watch(struct stage *stage, bool from_start)
{
    struct silence_setup setup = {.loop = stage->loop,
                                  .notifier = &stage->notifier,
                                  .workers = WORKERS,
                                  .from_start = from_start,
                                  .every = 0.001,
                                  .most = 0.004,
                                  .sign = sign,
                                  .silent = silent,
                                  .context = stage};
    stage->silence = silence_watch(&setup);
}

static bool has_looked(void *context)
{
    const struct stage *stage = context;
    return stage->notifier.looks[WORKERS - 1] >= stage->awaited;
}

/* So many more times. */
static void look(struct stage *stage, int times)
{
    stage->awaited = stage->notifier.looks[WORKERS - 1] + times;
    until(stage->loop, has_looked, stage);
}

static void who_falls_silent_is_found_once_and_who_speaks_never(void **state)
{
    struct stage *stage = *state;
    watch(stage, true);
    look(stage, LOOKS);
    stage->notifier.silent[1] = 100;
    look(stage, LOOKS);
    assert_int_equal(stage->told[0] + stage->told[2], 0);
    assert_int_equal(stage->told[1], 1);
    silence_forget(stage->silence, 1); /* the next process is silent as well */
    look(stage, LOOKS);
    assert_int_equal(stage->told[1], 2);
}

static void who_was_given_up_by_the_coordinator_is_silent(void **state)
{
    struct stage *stage = *state;
    watch(stage, false);
    look(stage, 1);
    stage->notifier.silent[2] = -1;
    look(stage, LOOKS);
    assert_int_equal(stage->told[2], 1);
}

static void who_was_never_heard_is_silent_only_where_it_can_be_on_no_way(void **state)
{
    struct stage *stage = *state;
    for (int i = 0; i < WORKERS; i++)
        stage->notifier.silent[i] = -1;
    watch(stage, false);
    look(stage, LOOKS);
    assert_int_equal(stage->told[0] + stage->told[1] + stage->told[2], 0);
    silence_end(stage->silence);
    watch(stage, true);
    look(stage, LOOKS);
    assert_int_equal(stage->told[0] + stage->told[1] + stage->told[2], WORKERS);
}

static void one_look_alone_finds_nobody_silent(void **state)
{
    struct stage *stage = *state;
    stage->notifier.silent[0] = 1e6;
    watch(stage, true);
    look(stage, 1);
    assert_int_equal(stage->told[0], 0);
}

static void without_a_coordinators_answer_nobody_is_silent(void **state)
{
    struct stage *stage = *state;
    stage->notifier.refuses = true;
    watch(stage, true);
    look(stage, LOOKS);
    assert_int_equal(stage->told[0] + stage->told[1] + stage->told[2], 0);
}

static void who_does_not_run_is_not_asked_for(void **state)
{
    struct stage *stage = *state;
    stage->notifier.runs[0] = false;
    watch(stage, true);
    look(stage, 3);
    assert_int_equal(stage->notifier.looks[0], 0);
    assert_int_equal(stage->notifier.looks[1], stage->notifier.looks[2]);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(who_falls_silent_is_found_once_and_who_speaks_never),
        STAGED(who_was_given_up_by_the_coordinator_is_silent),
        STAGED(who_was_never_heard_is_silent_only_where_it_can_be_on_no_way),
        STAGED(one_look_alone_finds_nobody_silent),
        STAGED(without_a_coordinators_answer_nobody_is_silent),
        STAGED(who_does_not_run_is_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
