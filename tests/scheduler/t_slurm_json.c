/* Requests and jobs survive the way to JSON and back, and what is no request is refused. */
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

/* A request in which every member has a value of its own. */
static struct slurm_request full_request(void)
{
    struct slurm_request request;
    uint32_t number = 0;
    slurm_request_init(&request);
#define FILL_TEXT(name)          request.name = mem_text("a " #name " with \"quotes\" and\nlines")
#define FILL_NUMBER(name)        request.name = number++
#define FILL_SWITCH(name)        request.name = true
#define X(type, name, key, help) FILL_##type(name);
    SLURM_REQUEST(X)
#undef X
    request.environment = MEM_ARRAY(char *, 2);
    request.environment[0] = mem_text("A=b");
    request.environment[1] = mem_text("C=");
    request.environment_count = 2;
    return request;
}

static void a_request_comes_back_as_it_was(void **state)
{
    (void)state;
    struct slurm_request request = full_request(), back;
    json_t *json = slurm_request_json(&request);
    assert_int_equal(slurm_request_read(json, &back, NULL), 0);
#define SAME_TEXT(name)          assert_string_equal(back.name, request.name)
#define SAME_NUMBER(name)        assert_int_equal(back.name, request.name)
#define SAME_SWITCH(name)        assert_true(back.name)
#define X(type, name, key, help) SAME_##type(name);
    SLURM_REQUEST(X)
#undef X
    assert_int_equal(back.environment_count, 2);
    assert_string_equal(back.environment[1], "C=");
    json_decref(json);
    slurm_request_fini(&request);
    slurm_request_fini(&back);
}

static void what_is_not_given_stays_so(void **state)
{
    (void)state;
    struct slurm_request request, back;
    slurm_request_init(&request);
    json_t *json = slurm_request_json(&request);
    assert_int_equal(json_object_size(json), 1); /* its empty environment */
    assert_int_equal(slurm_request_read(json, &back, NULL), 0);
    assert_null(back.script);
    assert_int_equal(back.minutes, SLURM_UNSET);
    assert_false(back.hold);
    json_decref(json);
    slurm_request_fini(&back);
}

static void a_member_of_a_wrong_type_is_named(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"{\"minutes\": \"ten\"}", "minutes"},
                                           {"{\"minutes\": -1}", "minutes"},
                                           {"{\"minutes\": 1e9}", "minutes"},
                                           {"{\"name\": 5}", "name"},
                                           {"{\"hold\": 1}", "hold"},
                                           {"{\"environment\": {}}", "environment"},
                                           {"{\"environment\": [1]}", "environment"},
                                           {"[]", "it"},
                                           {"{\"name\": \"a\", \"nodes\": []}", "nodes"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct slurm_request request;
        struct err err;
        json_t *json = json_loads(wrong[i][0], 0, NULL);
        assert_int_equal(slurm_request_read(json, &request, &err), -1);
        assert_has(err.text, wrong[i][1]);
        assert_null(request.name);
        json_decref(json);
    }
}

static void a_job_comes_back_as_it_was(void **state)
{
    (void)state;
    const struct slurm_job job = {.id = 12,
                                  .array = 10,
                                  .element = 3,
                                  .restarts = 2,
                                  .state = SLURM_PREEMPTED,
                                  .requeued = true,
                                  .reason = "Priority",
                                  .submitted = 1e9,
                                  .started = 2e9,
                                  .ends = 3e9,
                                  .nodes = "n[1-4]",
                                  .batch_node = "n1",
                                  .exit_status = 3,
                                  .exit_signal = 9};
    struct slurm_job back;
    json_t *json = slurm_job_json(&job);
    assert_int_equal(slurm_job_read(json, &back), 0);
    json_t *again = slurm_job_json(&back);
    assert_true(json_equal(json, again));
    assert_int_equal(back.state, SLURM_PREEMPTED);
    assert_string_equal(back.nodes, "n[1-4]");
    json_decref(json);
    json_decref(again);
}

static void a_job_of_wrong_types_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"id\": \"x\"}",        "{\"state\": \"odd\"}", "{\"state\": 3}",          "{\"nodes\": 3}",
        "{\"started\": \"now\"}", "{\"requeued\": 1}",    "{\"exit_status\": 1e99}", "7"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct slurm_job job;
        json_t *json = json_loads(wrong[i], JSON_DECODE_ANY, NULL);
        assert_int_equal(slurm_job_read(json, &job), -1);
        assert_int_equal(job.id, 0);
        json_decref(json);
    }
}

static void a_list_of_nodes_longer_than_its_room_is_cut(void **state)
{
    (void)state;
    struct slurm_job job;
    char nodes[1000] = "";
    memset(nodes, 'n', sizeof nodes - 1);
    json_t *json = json_pack("{s:i, s:s}", "id", 5, "nodes", nodes);
    assert_int_equal(slurm_job_read(json, &job), 0);
    assert_int_equal(strlen(job.nodes), sizeof job.nodes - 1);
    json_decref(json);
}

static void every_state_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < SLURM_STATES; i++)
        assert_int_equal(slurm_state_named(slurm_state_name((enum slurm_state)i)), i);
    assert_int_equal(slurm_state_named("no state"), -1);
    assert_false(slurm_state_is_end(SLURM_SUSPENDED));
    assert_true(slurm_state_is_end(SLURM_VANISHED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_comes_back_as_it_was),
        cmocka_unit_test(what_is_not_given_stays_so),
        cmocka_unit_test(a_member_of_a_wrong_type_is_named),
        cmocka_unit_test(a_job_comes_back_as_it_was),
        cmocka_unit_test(a_job_of_wrong_types_is_refused),
        cmocka_unit_test(a_list_of_nodes_longer_than_its_room_is_cut),
        cmocka_unit_test(every_state_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
