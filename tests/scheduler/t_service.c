/* The coordinator's service and its asking side over a real socket, before a real core; the store is made up: this
 * program defines store_write, store_reader and read_run itself. The asking side waits for answers, so it has a thread
 * of its own. */
#include "scheduler/coordinator/service.h"
#include "tests/claims.h"
#include "tests/control.h"
#include "tests/service_question.h"
#include "tests/test_metrics.h"
#include "tests/until.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/node.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/coordinator/query.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct store {
    atomic_bool full;
};

bool store_is_lost(const struct store *store)
{
    (void)store;
    return false;
}

uint64_t store_statements(const struct store *store)
{
    (void)store;
    return 0;
}

int store_write(struct store *store, const struct event *events, size_t count, struct err *err)
{
    (void)events;
    (void)count;
    return atomic_load(&store->full) ? err_set(err, "the disk is full") : 0;
}

int store_recall_trial(struct store *store, uint64_t trial, struct memory *out, struct err *err)
{
    (void)store;
    (void)trial;
    (void)err;
    *out = (struct memory){0};
    return 0;
}

struct tally store_tally(const struct store *store)
{
    (void)store;
    return (struct tally){0};
}

struct reader *store_reader(struct store *store)
{
    return (struct reader *)store;
}

json_t *read_run(struct reader *reader, const json_t *arguments, struct err *err)
{
    (void)reader;
    if (json_object_get(arguments, "large")) {
        char *text = mem_zero(MSG_LARGEST + 1, 1);
        memset(text, 'x', MSG_LARGEST);
        json_t *large = json_string(text);
        free(text);
        return large;
    }
    err_write(err, "no such table");
    return json_object_get(arguments, "fail") ? NULL : json_pack("[i]", 131);
}

struct stage {
    void *scratch;
    struct rundir dir;
    int lock;
    struct loop *loop;
    struct link_context *links;
    struct store store;
    struct core *core;
    struct commit *commit;
    struct service *service;
    struct link *control;
    struct loop_watch *turn;
};

static void committed(void *context, uint64_t number)
{
    struct stage *stage = context;
    core_committed(stage->core, clock_monotonic(), number);
}

/* What the coordinator does at the end of a turn, as far as it matters here. */
static void turn(void *context)
{
    struct stage *stage = context;
    struct output output;
    while (core_next(stage->core, &output)) {
        if (output.kind == OUTPUT_STORE)
            commit_add(stage->commit, &output.event);
        output_fini(&output);
    }
    commit_flush(stage->commit);
}

static void start_core(struct stage *stage)
{
    struct core_config config;
    struct memory memory = {.next_trial = 1};
    core_config_defaults(&config);
    config.task = "{}";
    config.metrics = metrics_min;
    config.max_trials = 20;
    stage->core = core_create(&config, &memory, clock_monotonic());
    core_proposal(stage->core, clock_monotonic(), 1, &(struct event_proposed){.params = "{}", .fingerprint = 1});
}

static int set_up(void **state)
{
    static struct stage stage;
    struct err err = {0};
    stage = (struct stage){0};
    *state = &stage;
    if (enter_scratch(&stage.scratch))
        return -1;
    rundir_name(stage.scratch, &stage.dir);
    stage.loop = loop_create();
    stage.links = link_context_create(&err);
    start_core(&stage);
    stage.commit =
        commit_start(stage.loop, &stage.store, &(struct commit_calls){.committed = committed, .context = &stage}, &err);
    stage.turn = loop_turn(stage.loop, turn, &stage);
    struct discovery discovery;
    stage.control = control_open(stage.links, &stage.dir, 2, &discovery);
    static struct counters counters; /* a tree without any */
    struct service_setup setup = {.loop = stage.loop,
                                  .link = stage.control,
                                  .core = stage.core,
                                  .commit = stage.commit,
                                  .counters = &counters,
                                  .name = "small",
                                  .directory = stage.dir.path,
                                  .session = 2};
    stage.service = service_open(&setup);
    if (rundir_lock(&stage.dir, &stage.lock, &err) || discovery_write(&stage.dir, &discovery, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    service_close(stage->service);
    link_close(stage->control);
    commit_stop(stage->commit);
    core_destroy(stage->core);
    link_context_destroy(stage->links);
    loop_destroy(stage->loop);
    if (stage->lock >= 0)
        close(stage->lock);
    rundir_fini(&stage->dir);
    return leave_scratch(&stage->scratch);
}

/* Asks for the snapshot. */
static void look(struct stage *stage, struct snapshot *snapshot)
{
    struct service_question question = {0};
    service_question_ask(&question, stage->loop, &stage->dir, "status", NULL);
    if (question.status || snapshot_decode(question.answer, snapshot, &question.err))
        fail_msg("%s", question.err.text);
    json_decref(question.answer);
}

static void refused(struct stage *stage, const char *what, const char *arguments, int status, const char *why)
{
    struct service_question question = {0};
    service_question_ask(&question, stage->loop, &stage->dir, what, arguments);
    assert_int_equal(question.status, status);
    assert_null(question.answer);
    assert_has(question.err.text, why);
}

static void accepted(struct stage *stage, const char *what, const char *arguments)
{
    struct service_question question = {0};
    service_question_ask(&question, stage->loop, &stage->dir, what, arguments);
    if (question.status)
        fail_msg("%s", question.err.text);
    assert_true(json_is_object(question.answer));
    json_decref(question.answer);
}

static void status_is_a_snapshot_and_says_whose(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    struct snapshot snapshot;
    service_question_ask(&question, stage->loop, &stage->dir, "status", NULL);
    assert_int_equal(question.status, 0);
    assert_int_equal(snapshot_decode(question.answer, &snapshot, &question.err), 0);
    assert_int_equal(snapshot.max_trials, 20);
    assert_string_equal(json_string_value(json_object_get(question.answer, "name")), "small");
    assert_string_equal(json_string_value(json_object_get(question.answer, "directory")), stage->dir.path);
    assert_int_equal(json_integer_value(json_object_get(question.answer, "session")), 2);
    assert_int_equal(json_integer_value(json_object_get(question.answer, "pid")), getpid());
    assert_true(json_is_null(json_object_get(question.answer, "trouble")));
    snapshot_fini(&snapshot);
    json_decref(question.answer);
}

static bool is_troubled(void *context)
{
    const struct stage *stage = context;
    return commit_trouble(stage->commit);
}

static void status_says_that_nothing_can_be_written(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    atomic_store(&stage->store.full, true);
    core_proposal(stage->core, clock_monotonic(), 2, &(struct event_proposed){.params = "{}", .fingerprint = 1});
    until(stage->loop, is_troubled, stage);
    service_question_ask(&question, stage->loop, &stage->dir, "status", NULL);
    assert_has(json_string_value(json_object_get(question.answer, "trouble")), "the disk is full");
    json_decref(question.answer);
}

static void drain_starts_nothing_new(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "drain", "{\"why\": \"interrupted\"}");
    look(stage, &snapshot);
    assert_int_not_equal(snapshot.state, EXPERIMENT_RUNNING);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void stop_means_stopped_unless_it_says_interrupted(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    refused(stage, "stop", "{\"why\": \"bored\"}", 2, "stopped or interrupted");
    accepted(stage, "stop", "{}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_STOPPED);
    snapshot_fini(&snapshot);
}

static void a_trial_is_cancelled_by_its_number(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    refused(stage, "cancel", "{\"trial\": 99}", SERVICE_NO_TRIAL, "trial 99");
    refused(stage, "cancel", "{}", SERVICE_NO_TRIAL, "trial 0");
    accepted(stage, "cancel", "{\"trial\": 1}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED], 1);
    snapshot_fini(&snapshot);
}

static void the_death_of_an_unknown_worker_does_no_harm(void **state)
{
    accepted(*state, "worker_dead", "{\"pid\": 1}");
    accepted(*state, "worker_dead", "{\"node\": \"n7\", \"ending\": \"node_failed\"}");
    accepted(*state, "silent", "{\"pid\": 1}");
    refused(*state, "silent", "{}", 2, "pid, node or job");
    refused(*state, "worker_dead", "{\"pid\": \"x\", \"why\": 3}", 2, "pid has to be a whole number");
    refused(*state, "worker_dead", "{}", 2, "pid, node or job");
    refused(*state, "worker_dead", "{\"job\": 1, \"ending\": \"completed\"}", 2, "not 'completed'");
}

/* What a program of somebody's own may ask. */
static void questions_that_make_no_sense_are_refused_and_do_no_harm(void **state)
{
    static const struct {
        const char *what, *arguments, *why;
        int status;
    } cases[] = {
        {"until", "{\"until\": \"nan\"}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{\"until\": \"-inf\"}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{\"until\": [1]}", "until has to be a time in seconds", SERVICE_USAGE},
        {"cancel", "{\"trial\": -1}", "trial 0", SERVICE_NO_TRIAL},
        {"cancel", "{\"trial\": \"1\"}", "trial 0", SERVICE_NO_TRIAL},
        {"cancel", "{\"trial\": 9223372036854775807}", "trial 9223372036854775807", SERVICE_NO_TRIAL},
        {"silent", "{\"pid\": -1}", "pid has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"job\": 4294967296}", "job has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"job\": 1, \"element\": 1.5}", "element has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"node\": {}}", "pid, node or job", SERVICE_USAGE},
        {"worker_dead", "{\"job\": 1, \"why\": []}", "why has to be a text", SERVICE_USAGE},
        {"no_workers", "{\"why\": 7}", "why has to be a text", SERVICE_USAGE},
        {"leave", "{\"why\": null}", "walltime, preempted or paused", SERVICE_USAGE},
        {"drain", "{\"why\": \"\"}", "stopped or interrupted", SERVICE_USAGE},
    };
    struct snapshot snapshot;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].what, cases[i].arguments, cases[i].status, cases[i].why);
    accepted(*state, "until", "{\"until\": -1e308}"); /* which is long ago */
    look(*state, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED], 0);
    snapshot_fini(&snapshot);
}

static void more_names_of_workers_than_anybody_needs_at_once_are_refused(void **state)
{
    enum { NAMED = 20001 };
    struct buf arguments = {0};
    buf_text(&arguments, "{\"workers\": [0");
    for (int i = 1; i < NAMED; i++)
        buf_text(&arguments, ",1");
    buf_text(&arguments, "]}");
    refused(*state, "workers", buf_str(&arguments), SERVICE_USAGE, "at most 2000 names at once");
    buf_fini(&arguments);
}

static void a_reason_without_end_is_refused(void **state)
{
    enum { LENGTH = 1 << 20 };
    char *arguments = mem_zero(LENGTH + 32, 1);
    char *at = arguments + sprintf(arguments, "{\"job\": 1, \"why\": \"");
    memset(at, 'x', LENGTH);
    strcpy(at + LENGTH, "\"}");
    refused(*state, "worker_dead", arguments, SERVICE_USAGE, "why has to be a text of at most 1000 bytes");
    refused(*state, "no_workers", arguments, SERVICE_USAGE, "why has to be a text of at most 1000 bytes");
    free(arguments);
}

static void without_workers_the_session_ends(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "no_workers", "{\"why\": \"they have left\"}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_NO_WORKERS);
    snapshot_fini(&snapshot);
}

static void an_end_under_way_is_not_for_want_of_workers(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "drain", "{\"why\": \"interrupted\"}");
    accepted(stage, "no_workers", "{}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void readers_are_answered_by_the_store(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    service_question_ask(&question, stage->loop, &stage->dir, "read", "{\"function\": \"trials\"}");
    assert_int_equal(question.status, 0);
    assert_int_equal(json_integer_value(json_array_get(question.answer, 0)), 131);
    json_decref(question.answer);
    refused(*state, "read", "{\"fail\": true}", 1, "no such table");
}

static void an_answer_that_is_too_large_is_refused_with_what_to_do(void **state)
{
    refused(*state, "read", "{\"large\": true}", 1, "ask for less");
}

static void an_unknown_question_lists_the_known_ones(void **state)
{
    refused(*state, "statsu", "{}", 2, "status, workers, read, drain, stop, cancel, leave, worker_dead");
}

/* --- roles --- */

/* Every question that there is, and whether a viewer may ask it. */
static const struct {
    const char *what;
    bool looks;
} questions[] = {{"status", true},  {"workers", true},   {"read", true},    {"drain", false},
                 {"stop", false},   {"cancel", false},   {"leave", false},  {"worker_dead", false},
                 {"until", false},  {"prospect", false}, {"silent", false}, {"no_workers", false},
                 {"ignore", false}, {"retry", false},    {"add", false},    {"statsu", false},
                 {"", false}};

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

static void arguments_that_are_no_object_are_refused(void **state)
{
    refused(*state, "stop", "[1, 2]", 2, "no JSON object");
}

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
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(status_is_a_snapshot_and_says_whose),
        STAGED(status_says_that_nothing_can_be_written),
        STAGED(drain_starts_nothing_new),
        STAGED(stop_means_stopped_unless_it_says_interrupted),
        STAGED(a_trial_is_cancelled_by_its_number),
        STAGED(the_death_of_an_unknown_worker_does_no_harm),
        STAGED(questions_that_make_no_sense_are_refused_and_do_no_harm),
        STAGED(more_names_of_workers_than_anybody_needs_at_once_are_refused),
        STAGED(a_reason_without_end_is_refused),
        STAGED(without_workers_the_session_ends),
        STAGED(an_end_under_way_is_not_for_want_of_workers),
        STAGED(readers_are_answered_by_the_store),
        STAGED(an_answer_that_is_too_large_is_refused_with_what_to_do),
        STAGED(an_unknown_question_lists_the_known_ones),
        STAGED(a_viewer_looks_and_changes_nothing),
        STAGED(one_viewer_after_the_other_gets_the_same_short_status),
        STAGED(a_key_that_is_neither_does_not_get_in),
        STAGED(arguments_that_are_no_object_are_refused),
        STAGED(strange_messages_are_not_answered_and_do_no_harm),
        STAGED(where_no_coordinator_lives_it_says_so),
        STAGED(a_coordinator_that_does_not_answer_is_status_69),
        STAGED(a_coordinator_that_dies_is_not_waited_for),
        STAGED(who_has_another_key_hears_which_file_is_wrong_and_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
