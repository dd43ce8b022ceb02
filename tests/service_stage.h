/* A coordinator's service over a real socket, before a real core; the store is made up: this defines store_write,
 * store_reader and read_run itself, which stand before those of the library, so one file of a test program includes it.
 * The asking side waits for answers, so it has a thread of its own. */
#ifndef GANNET_TESTS_SERVICE_STAGE_H
#define GANNET_TESTS_SERVICE_STAGE_H

#include "scheduler/coordinator/service.h"
#include "tests/claims.h"
#include "tests/control.h"
#include "tests/service_question.h"
#include "tests/test_metrics.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/msg.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/coordinator/query.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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
    static const struct timespec some_time = {.tv_nsec = 20 * 1000 * 1000};
    (void)reader;
    if (json_object_get(arguments, "slow"))
        nanosleep(&some_time, NULL);
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

static void open_service(struct stage *stage, bool viewers_only)
{
    static struct counters counters; /* a tree without any */
    struct service_setup setup = {.loop = stage->loop,
                                  .link = stage->control,
                                  .viewers_only = viewers_only,
                                  .core = stage->core,
                                  .commit = stage->commit,
                                  .counters = &counters,
                                  .name = "small",
                                  .directory = stage->dir.path,
                                  .session = 2};
    stage->service = service_open(&setup);
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
    open_service(&stage, false);
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

#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
