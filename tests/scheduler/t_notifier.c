/* Telling a coordinator - here a made-up one on the same loop - of dead workers and the like. */
#include "scheduler/supervisor/notifier.h"
#include "tests/claims.h"
#include "tests/control.h"
#include "tests/until.h"

#include "common/msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stage {
    void *scratch;
    struct rundir dir;
    int lock;
    struct loop *loop;
    struct link_context *links;
    struct notifier *notifier;
    struct link *control; /* the made-up coordinator's */
    struct loop_watch *watch;
    bool answers;
    struct buf heard; /* the arguments of the asks */
};

static void hear(void *context)
{
    struct stage *stage = context;
    struct buf bytes = {0}, out = {0};
    uint64_t peer;
    struct msg msg, answer = {.kind = MSG_ANSWER, .answer = {.text = "{\"count\": 7}"}};
    while (link_receive(stage->control, &peer, &bytes) == LINK_OK) {
        assert_int_equal(msg_decode(&msg, bytes.data, bytes.length, NULL), 0);
        buf_format(&stage->heard, "%s ", msg.ask.what);
        buf_text(&stage->heard, msg.ask.arguments);
        msg_fini(&msg);
        buf_clear(&out);
        msg_encode(&answer, &out);
        if (stage->answers)
            assert_int_equal(link_send(stage->control, peer, out.data, out.length), LINK_OK);
    }
    buf_fini(&bytes);
    buf_fini(&out);
}

static void start_coordinator(struct stage *stage)
{
    struct discovery discovery;
    struct err err = {0};
    stage->control = control_open(stage->links, &stage->dir, 1, &discovery);
    if (rundir_lock(&stage->dir, &stage->lock, &err) || discovery_write(&stage->dir, &discovery, &err))
        fail_msg("%s", err.text);
    stage->watch = loop_link(stage->loop, stage->control, hear, stage);
}

static void kill_coordinator(struct stage *stage)
{
    loop_remove(stage->watch);
    link_close(stage->control);
    if (stage->lock >= 0)
        close(stage->lock);
    stage->watch = NULL;
    stage->control = NULL;
    stage->lock = -1;
}

static int set_up(void **state)
{
    static struct stage stage;
    struct err err;
    stage = (struct stage){.lock = -1, .answers = true};
    *state = &stage;
    if (enter_scratch(&stage.scratch))
        return -1;
    rundir_name(stage.scratch, &stage.dir);
    stage.loop = loop_create();
    stage.links = link_context_create(&err);
    stage.notifier = notifier_open(stage.loop, stage.links, &stage.dir);
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    notifier_close(stage->notifier);
    kill_coordinator(stage);
    link_context_destroy(stage->links);
    loop_destroy(stage->loop);
    buf_fini(&stage->heard);
    rundir_fini(&stage->dir);
    return leave_scratch(&stage->scratch);
}

static void tell_death(struct stage *stage, int pid)
{
    notifier_tell(stage->notifier, "worker_dead", json_pack("{s:i}", "pid", pid));
}

static bool heard_47(void *context)
{
    const struct stage *stage = context;
    return strstr(buf_str(&stage->heard), "47");
}

static bool heard_48(void *context)
{
    const struct stage *stage = context;
    return strstr(buf_str(&stage->heard), "48");
}

static void deaths_are_told_one_after_the_other(void **state)
{
    struct stage *stage = *state;
    start_coordinator(stage);
    tell_death(stage, 47);
    tell_death(stage, 48);
    until(stage->loop, heard_48, stage);
    assert_string_equal(buf_str(&stage->heard), "worker_dead {\"pid\":47}worker_dead {\"pid\":48}");
}

static void a_coordinator_that_is_not_there_yet_is_waited_for(void **state)
{
    struct stage *stage = *state;
    tell_death(stage, 47);
    start_coordinator(stage);
    until(stage->loop, heard_47, stage);
}

static void what_was_not_answered_is_told_to_the_next_coordinator(void **state)
{
    struct stage *stage = *state;
    stage->answers = false;
    start_coordinator(stage);
    tell_death(stage, 47);
    until(stage->loop, heard_47, stage);
    kill_coordinator(stage);
    buf_clear(&stage->heard);
    stage->answers = true;
    start_coordinator(stage);
    until(stage->loop, heard_47, stage);
}

static void keep_count(void *context, const json_t *answer)
{
    *(json_int_t *)context = json_integer_value(json_object_get(answer, "count"));
}

static bool is_counted(void *context)
{
    return *(json_int_t *)context;
}

static void who_asks_is_handed_the_answer(void **state)
{
    struct stage *stage = *state;
    json_int_t count = 0;
    start_coordinator(stage);
    notifier_ask(stage->notifier, "count", json_object(), keep_count, &count);
    until(stage->loop, is_counted, &count);
    assert_int_equal(count, 7);
    assert_true(notifier_has_told(stage->notifier));
}

static void ending_with_something_untold_is_fine(void **state)
{
    struct stage *stage = *state;
    tell_death(stage, 47);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(deaths_are_told_one_after_the_other),
        STAGED(a_coordinator_that_is_not_there_yet_is_waited_for),
        STAGED(what_was_not_answered_is_told_to_the_next_coordinator),
        STAGED(who_asks_is_handed_the_answer),
        STAGED(ending_with_something_untold_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
