/* Who may ask the coordinator's service what, and what the asking side hears where it gets no answer. */
#include "tests/service_stage.h"
#include "tests/until.h"

/* --- roles --- */

/* Every question that there is, and whether a viewer may ask it. */
static const struct {
    const char *what;
    bool looks;
} questions[] = {{"status", true},  {"workers", true},   {"read", true},    {"drain", false},
                 {"stop", false},   {"cancel", false},   {"leave", false},  {"worker_dead", false},
                 {"until", false},  {"prospect", false}, {"silent", false}, {"no_workers", false},
                 {"ignore", false}, {"retry", false},    {"add", false},    {"share", false},
                 {"statsu", false}, {"", false}};

static void a_viewer_looks_and_changes_nothing(void **state)
{
    struct stage *stage = *state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct service_question question = {.role = SERVICE_VIEWER};
        service_question_ask(&question, stage->loop, &stage->dir, questions[i].what,
                             "{\"trial\": 1, \"pid\": 1, \"why\": \"stopped\", \"until\": 1.0}");
        assert_int_equal(question.status, questions[i].looks ? 0 : 2);
        if (!questions[i].looks)
            assert_has(question.err.text, "a viewer's key is not enough");
        json_decref(question.answer);
    }
    struct snapshot snapshot;
    look(stage, &snapshot);
    assert_int_equal(snapshot.state, EXPERIMENT_RUNNING);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED], 0);
    snapshot_fini(&snapshot);
}

static void one_viewer_after_the_other_gets_the_same_short_status(void **state)
{
    struct stage *stage = *state;
    json_t *answers[2];
    for (int i = 0; i < 2; i++) {
        struct service_question question = {.role = SERVICE_VIEWER};
        service_question_ask(&question, stage->loop, &stage->dir, "status", "{\"workers\": false}");
        assert_int_equal(question.status, 0);
        answers[i] = question.answer;
        struct snapshot snapshot;
        assert_int_equal(snapshot_decode(answers[i], &snapshot, &question.err), 0);
        assert_int_equal(snapshot.max_trials, 20);
        snapshot_fini(&snapshot);
    }
    json_decref(answers[0]);
    json_decref(answers[1]);
    refused(stage, "status", "{\"workers\": 7}", 2, "'workers' has to be true or false");
    refused(stage, "workers", "{\"workers\": \"all\"}", 2, "an array of names");
    refused(stage, "workers", "{\"limit\": -1}", 2, "a whole number from 1");
}

/* --- at the port for viewers --- */

static void at_the_port_for_viewers_any_key_is_a_viewers(void **state)
{
    struct stage *stage = *state;
    service_close(stage->service);
    open_service(stage, true);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct service_question question = {.role = SERVICE_OPERATOR};
        service_question_ask(&question, stage->loop, &stage->dir, questions[i].what, "{\"trial\": 1, \"pid\": 1}");
        assert_int_equal(question.status, questions[i].looks ? 0 : 2);
        json_decref(question.answer);
    }
}

/* Whoever asks next waits three times as long as the answer before took, which was 20 ms at least. */
static void viewers_have_a_quarter_of_the_time_however_often_they_ask(void **state)
{
    enum { ASKED = 5 };
    struct stage *stage = *state;
    service_close(stage->service);
    open_service(stage, true);
    double began = clock_monotonic();
    for (int i = 0; i < ASKED; i++) {
        struct service_question question = {.role = SERVICE_VIEWER};
        char *arguments = mem_format("{\"slow\": %d}", i); /* what was asked just now costs nothing */
        service_question_ask(&question, stage->loop, &stage->dir, "read", arguments);
        assert_int_equal(question.status, 0);
        json_decref(question.answer);
        free(arguments);
    }
    assert_true(clock_monotonic() - began >= 0.020 * (ASKED + 3 * (ASKED - 1)));
}

/* However little an answer costs: this is the time of so many rests. */
static void viewers_are_heard_so_often_a_second_at_most(void **state)
{
    enum { ASKED = 50 };
    struct stage *stage = *state;
    service_close(stage->service);
    open_service(stage, true);
    double began = clock_monotonic();
    for (int i = 0; i < ASKED; i++) {
        struct service_question question = {.role = SERVICE_VIEWER};
        service_question_ask(&question, stage->loop, &stage->dir, "status", "{\"workers\": false}");
        assert_int_equal(question.status, 0);
        json_decref(question.answer);
    }
    assert_true(clock_monotonic() - began >= 0.004 * (ASKED - 1));
}

struct refused_link {
    struct link *link;
    bool refused;
};

static void look_whether_refused(void *context)
{
    struct refused_link *knocking = context;
    knocking->refused = link_is_refused(knocking->link);
}

static void a_key_that_is_neither_does_not_get_in(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    struct discovery discovery;
    struct key_pair worker;
    assert_int_equal(discovery_read(&stage->dir, &discovery, NULL), 0);
    assert_int_equal(rundir_make_key(&stage->dir, "worker", &err), 0);
    assert_int_equal(rundir_read_key(&stage->dir, "worker", &worker, &err), 0);
    struct refused_link knocking = {
        .link = link_connect_watched(stage->links, discovery.control, &worker, discovery.public_key, &err)};
    struct loop_watch *turn = loop_turn(stage->loop, look_whether_refused, &knocking);
    until_true(stage->loop, &knocking.refused);
    loop_remove(turn);
    link_close(knocking.link);
}

/* --- the asking side --- */

static void strange_messages_are_not_answered_and_do_no_harm(void **state)
{
    struct stage *stage = *state;
    struct msg msg = {.kind = MSG_HEARTBEAT};
    struct buf bytes = {0};
    struct discovery discovery;
    assert_int_equal(discovery_read(&stage->dir, &discovery, NULL), 0);
    struct link *link = control_connect(stage->links, &stage->dir, "operator", &discovery);
    msg_encode(&msg, &bytes);
    while (link_send(link, 0, bytes.data, bytes.length) != LINK_OK) {
        struct link_poll item = {.link = link, .want_write = true};
        link_wait(&item, 1, 1, NULL);
    }
    assert_int_equal(link_send(link, 0, "rubbish", 7), LINK_OK);
    accepted(stage, "drain", "{\"why\": \"interrupted\"}");
    link_close(link);
    buf_fini(&bytes);
}

static void where_no_coordinator_lives_it_says_so(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    close(stage->lock);
    stage->lock = -1;
    assert_null(service_connect(stage->links, &stage->dir, SERVICE_OPERATOR, &err));
    assert_has(err.text, "no coordinator runs");
}

static void a_question_that_nobody_waits_for_is_broken_off(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    json_t *answer;
    atomic_bool stop = true;
    struct service_client *client = service_connect(stage->links, &stage->dir, SERVICE_OPERATOR, &err);
    service_stop_at(client, &stop);
    assert_int_equal(service_ask(client, "status", NULL, 3600, &answer, &err), 69); /* the loop does not run */
    assert_has(err.text, "was broken off");
    service_disconnect(client);
}

static void a_coordinator_that_does_not_answer_is_status_69(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    json_t *answer;
    struct service_client *client = service_connect(stage->links, &stage->dir, SERVICE_OPERATOR, &err);
    assert_int_equal(service_ask(client, "status", NULL, 0.05, &answer, &err), 69); /* the loop does not run */
    assert_has(err.text, "does not answer");
    assert_null(answer);
    service_disconnect(client);
}

static void a_coordinator_that_dies_is_not_waited_for(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    json_t *answer;
    struct service_client *client = service_connect(stage->links, &stage->dir, SERVICE_OPERATOR, &err);
    close(stage->lock);
    stage->lock = -1;
    assert_int_equal(service_ask(client, "status", NULL, 1e6, &answer, &err), 69);
    assert_has(err.text, "has ended");
    service_disconnect(client);
}

static void who_has_another_key_hears_which_file_is_wrong_and_does_not_wait(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    json_t *answer;
    char *file = rundir_key(&stage->dir, "operator");
    assert_int_equal(unlink(file), 0);
    free(file);
    assert_int_equal(rundir_make_key(&stage->dir, "operator", &err), 0);
    struct service_client *client = service_connect(stage->links, &stage->dir, SERVICE_OPERATOR, &err);
    assert_int_equal(service_ask(client, "status", NULL, 1e6, &answer, &err), 69);
    assert_has(err.text, "refused the key in");
    assert_has(err.text, "keys/operator.key");
    service_disconnect(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_viewer_looks_and_changes_nothing),
        STAGED(one_viewer_after_the_other_gets_the_same_short_status),
        STAGED(at_the_port_for_viewers_any_key_is_a_viewers),
        STAGED(viewers_have_a_quarter_of_the_time_however_often_they_ask),
        STAGED(viewers_are_heard_so_often_a_second_at_most),
        STAGED(a_key_that_is_neither_does_not_get_in),
        STAGED(strange_messages_are_not_answered_and_do_no_harm),
        STAGED(where_no_coordinator_lives_it_says_so),
        STAGED(a_question_that_nobody_waits_for_is_broken_off),
        STAGED(a_coordinator_that_does_not_answer_is_status_69),
        STAGED(a_coordinator_that_dies_is_not_waited_for),
        STAGED(who_has_another_key_hears_which_file_is_wrong_and_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
