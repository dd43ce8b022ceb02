/* Asking Slurm through the agent: answers, errors, and agents that die, hang or talk nonsense. */
#include "scheduler/slurm/client.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"
#include "scheduler/slurm/slurm_agent.h"
#include "tests/claims.h"
#include "tests/fake_slurm.h"
#include "tests/until.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Long enough for a process to start on a busy machine; where a deadline is to pass, it is short. */
static const double patience = 300, impatience = 0.2;

/* A client of the fake, and what it answered last. */
struct bench {
    struct loop *loop;
    struct slurm_client *client;
    char *directory;
    bool answered;
    json_t *answer;
    int number;
    char *error;
    unsigned order[8], answers;
};

static struct bench bench_open(void **state, const char *program)
{
    struct bench bench = {.loop = loop_create(), .directory = mem_text(path_in(state, "."))};
    char *gannet = fake_slurm_program();
    fake_slurm_use(bench.directory);
    bench.client = slurm_client_create(bench.loop, program ? program : gannet);
    free(gannet);
    return bench;
}

static void forget(struct bench *bench)
{
    json_decref(bench->answer);
    free(bench->error);
    bench->answer = NULL;
    bench->error = NULL;
    bench->answered = false;
}

static void bench_close(struct bench *bench)
{
    slurm_client_destroy(bench->client);
    loop_destroy(bench->loop);
    forget(bench);
    free(bench->directory);
}

static void answered(void *context, const json_t *answer, int number, const char *error)
{
    struct bench *bench = context;
    forget(bench);
    bench->answer = json_deep_copy(answer);
    bench->number = number;
    bench->error = mem_text(error);
    bench->answered = true;
}

static void ask(struct bench *bench, json_t *question, double seconds)
{
    bench->answered = false;
    slurm_client_ask(bench->client, question, seconds, answered, bench);
    until_true(bench->loop, &bench->answered);
}

static struct slurm_request request_of(const char *comment)
{
    struct slurm_request request;
    slurm_request_init(&request);
    request.comment = mem_text(comment);
    return request;
}

static json_int_t id_of(const json_t *answer)
{
    return json_integer_value(json_object_get(answer, "id"));
}

/* Submits with the one known job 99. */
static uint32_t submit_surely(int *number, struct err *err)
{
    static const uint32_t known[] = {99};
    struct slurm_request request = request_of("gannet:ours");
    char *gannet = fake_slurm_program();
    uint32_t id = slurm_submit_now(gannet, &request, known, 1, patience, number, err);
    slurm_request_fini(&request);
    free(gannet);
    return id;
}

/* A program that stands in for the agent. */
static char *script(void **state, const char *text)
{
    const char *path = path_in(state, "agent");
    write_file(path, text, 0700);
    return mem_text(path);
}

/* --- answers --- */

static void a_question_gets_its_answer(void **state)
{
    struct bench bench = bench_open(state, NULL);
    ask(&bench, slurm_ask_partitions(), patience);
    assert_null(bench.error);
    assert_int_equal(bench.number, 0);
    assert_int_equal(json_array_size(json_object_get(bench.answer, "partitions")), 3);
    bench_close(&bench);
}

static void count_order(void *context, const json_t *answer, int number, const char *error)
{
    struct bench *bench = context;
    (void)number, (void)error;
    bench->order[bench->answers++] = (unsigned)id_of(answer);
    bench->answered = bench->answers == 3;
}

static void questions_are_answered_in_their_order(void **state)
{
    struct bench bench = bench_open(state, NULL);
    struct slurm_request request = request_of("gannet:ours");
    for (int i = 0; i < 3; i++)
        slurm_client_ask(bench.client, slurm_ask_submit(&request), patience, count_order, &bench);
    slurm_request_fini(&request);
    until_true(bench.loop, &bench.answered);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bench.order[i], 100 + i);
    assert_int_equal(fake_slurm_calls(bench.directory, "submit"), 3);
    bench_close(&bench);
}

static void ask_again(void *context, const json_t *answer, int number, const char *error)
{
    struct bench *bench = context;
    (void)answer, (void)number, (void)error;
    slurm_client_ask(bench->client, slurm_ask_ping(), patience, answered, bench);
}

static void an_answer_may_lead_to_a_question(void **state)
{
    struct bench bench = bench_open(state, NULL);
    slurm_client_ask(bench.client, slurm_ask_ping(), patience, ask_again, &bench);
    until_true(bench.loop, &bench.answered);
    assert_null(bench.error);
    assert_int_equal(fake_slurm_calls(bench.directory, "ping"), 2);
    bench_close(&bench);
}

static void a_script_of_megabytes_arrives_whole(void **state)
{
    struct bench bench = bench_open(state, NULL);
    struct slurm_request request = request_of("gannet:ours");
    request.script = mem_zero(3 << 20, 1);
    memset(request.script, '#', (3 << 20) - 1);
    ask(&bench, slurm_ask_submit(&request), patience);
    slurm_request_fini(&request);
    assert_int_equal(id_of(bench.answer), 100);
    struct stat calls;
    assert_int_equal(stat(path_in(state, "calls"), &calls), 0);
    assert_true(calls.st_size > 3 << 20);
    bench_close(&bench);
}

static void an_error_has_slurms_number_and_words(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'job': {'error': 'Requested node configuration is not available',"
                                       " 'number': 2014, 'say': 'n17 is drained'}}");
    ask(&bench, slurm_ask_job(7), patience);
    assert_null(bench.answer);
    assert_int_equal(bench.number, 2014);
    assert_string_equal(bench.error, "Requested node configuration is not available (n17 is drained)");
    bench_close(&bench);
}

static void a_job_that_slurm_does_not_know_has_vanished(void **state)
{
    struct bench bench = bench_open(state, NULL);
    struct slurm_job job;
    ask(&bench, slurm_ask_job(7), patience);
    assert_int_equal(slurm_job_read(json_array_get(json_object_get(bench.answer, "jobs"), 0), &job), 0);
    assert_int_equal(job.state, SLURM_VANISHED);
    assert_int_equal(job.element, SLURM_UNSET);
    bench_close(&bench);
}

/* --- agents that fail --- */

static void an_agent_that_ends_is_replaced(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'ping': {'times': 1, 'exit': 3, 'say': 'the plug-in is broken'}}");
    ask(&bench, slurm_ask_ping(), patience);
    assert_null(bench.answer);
    assert_int_equal(bench.number, SLURM_UNCLEAR);
    assert_string_equal(bench.error, "Slurm can't be used here: the plug-in is broken");
    ask(&bench, slurm_ask_ping(), patience);
    assert_null(bench.error);
    bench_close(&bench);
}

static void a_machine_without_slurm_conf_is_named_as_such(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory,
                      "{'open': {'exit': 1, 'say': 'fatal: Could not establish a configuration source'}}");
    ask(&bench, slurm_ask_ping(), patience);
    assert_int_equal(bench.number, 0);
    assert_has(bench.error, "Could not establish a configuration source; there is no slurm.conf here");
    bench_close(&bench);
}

static void a_crashed_agent_is_replaced(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'job': {'times': 1, 'crash': true}}");
    ask(&bench, slurm_ask_job(7), patience);
    assert_int_equal(bench.number, SLURM_UNCLEAR);
    assert_has(bench.error, "killed by signal 9");
    ask(&bench, slurm_ask_job(7), patience);
    assert_null(bench.error);
    bench_close(&bench);
}

static void silence_ends_at_the_deadline(void **state)
{
    struct bench bench = bench_open(state, NULL);
    ask(&bench, slurm_ask_ping(), patience);
    fake_slurm_script(bench.directory, "{'ping': {'times': 1, 'hang': true, 'say': 'retrying'}}");
    ask(&bench, slurm_ask_ping(), impatience);
    assert_int_equal(bench.number, SLURM_UNCLEAR);
    assert_has(bench.error, "did not answer within 0.2 s");
    ask(&bench, slurm_ask_ping(), patience);
    assert_null(bench.error);
    bench_close(&bench);
}

/* Whether the agent that wrote its number into the file has ended. */
static bool has_ended(void *context)
{
    struct buf text = {0};
    int pid = path_read(context, &text, 64, NULL) ? 0 : atoi(buf_str(&text));
    buf_fini(&text);
    return pid && !proc_lives(pid);
}

static void an_agent_that_dies_between_questions_is_replaced(void **state)
{
    char *program = script(state, "#!/bin/sh\necho $$ >\"$GANNET_SLURM_FAKE/pid\"\nread -r line\necho '{\"id\": 1}'\n");
    char *pid = mem_text(path_in(state, "pid"));
    struct bench bench = bench_open(state, program);
    for (int i = 0; i < 3; i++) {
        ask(&bench, slurm_ask_ping(), patience);
        assert_null(bench.error);
        until(bench.loop, has_ended, pid);
    }
    bench_close(&bench);
    free(program);
    free(pid);
}

static void nonsense_is_no_answer(void **state)
{
    static const char *const nonsense[] = {"hello", "[]", "{", "{} {}", ""};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        char *text = mem_format("#!/bin/sh\nread -r line\necho '%s'\nsleep 1000\n", nonsense[i]);
        char *program = script(state, text);
        struct bench bench = bench_open(state, program);
        ask(&bench, slurm_ask_ping(), patience);
        assert_null(bench.answer);
        assert_has(bench.error, "no answer");
        bench_close(&bench);
        free(program);
        free(text);
    }
}

static void an_agent_that_closes_its_output_is_given_up_at_the_deadline(void **state)
{
    char *program = script(state, "#!/bin/sh\nexec >&- <&-\nsleep 1000\n");
    struct bench bench = bench_open(state, program);
    ask(&bench, slurm_ask_ping(), impatience);
    assert_has(bench.error, "did not answer");
    bench_close(&bench);
    free(program);
}

static void a_missing_program_is_a_sentence(void **state)
{
    struct bench bench = bench_open(state, "/nowhere/gannet");
    ask(&bench, slurm_ask_ping(), patience);
    assert_int_equal(bench.number, 0);
    assert_has(bench.error, "/nowhere/gannet");
    bench_close(&bench);
}

static void a_missing_module_says_what_to_install(void **state)
{
    struct bench bench = bench_open(state, NULL);
    setenv("GANNET_SLURM_MODULE", "/nowhere/slurm.so", 1);
    ask(&bench, slurm_ask_ping(), patience);
    assert_int_equal(bench.number, 0);
    assert_has(bench.error, "/nowhere/slurm.so");
    assert_has(bench.error, "libslurm-dev");
    bench_close(&bench);
}

static void a_module_of_another_interface_is_refused(void **state)
{
    struct bench bench = bench_open(state, NULL);
    char *old = fake_slurm_module("slurm_old.so");
    setenv("GANNET_SLURM_MODULE", old, 1);
    ask(&bench, slurm_ask_ping(), patience);
    assert_int_equal(bench.number, 0);
    assert_has(bench.error, "its interface has version 4711");
    bench_close(&bench);
    free(old);
}

static void a_client_may_go_with_questions_open(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'job': {'hang': true}}");
    ask(&bench, slurm_ask_ping(), patience);
    slurm_client_ask(bench.client, slurm_ask_job(7), patience, answered, &bench);
    slurm_client_ask(bench.client, slurm_ask_job(8), patience, answered, &bench);
    bench_close(&bench);
    slurm_client_destroy(NULL);
}

/* --- submitting once --- */

static void a_submission_whose_answer_was_lost_is_found(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_jobs(bench.directory, "[{'id': 99, 'state': 'running', 'comment': 'gannet:ours'}]");
    fake_slurm_script(bench.directory, "{'submit': {'after': true, 'times': 1, 'crash': true}}");
    assert_int_equal(submit_surely(NULL, NULL), 100);
    assert_int_equal(fake_slurm_calls(bench.directory, "submit"), 1);
    bench_close(&bench);
}

static void a_submission_that_never_arrived_is_made_again(void **state)
{
    struct bench bench = bench_open(state, NULL);
    fake_slurm_jobs(bench.directory, "[{'id': 99, 'state': 'running', 'comment': 'gannet:ours'}]");
    fake_slurm_script(bench.directory, "{'submit': {'times': 1, 'error': 'Timed out', 'unclear': true}}");
    assert_int_equal(submit_surely(NULL, NULL), 100);
    assert_int_equal(fake_slurm_calls(bench.directory, "find"), 2);
    assert_int_equal(fake_slurm_calls(bench.directory, "submit"), 2);
    bench_close(&bench);
}

static void a_submission_stays_unclear_while_the_controller_is_silent(void **state)
{
    struct err err;
    int number = 0;
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'submit': {'error': 'Timed out', 'unclear': true},"
                                       " 'find': {'error': 'Timed out', 'number': 5004}}");
    assert_int_equal(submit_surely(&number, &err), 0);
    assert_int_equal(number, SLURM_UNCLEAR);
    assert_has(err.text, "Timed out");
    assert_int_equal(fake_slurm_calls(bench.directory, "submit"), 1);
    bench_close(&bench);
}

static void a_refused_submission_is_not_repeated(void **state)
{
    struct err err;
    int number = 0;
    struct bench bench = bench_open(state, NULL);
    fake_slurm_script(bench.directory, "{'submit': {'error': 'Invalid partition name specified', 'number': 2000}}");
    assert_int_equal(submit_surely(&number, &err), 0);
    assert_int_equal(number, 2000);
    assert_int_equal(fake_slurm_calls(bench.directory, "submit"), 1);
    assert_int_equal(fake_slurm_calls(bench.directory, "find"), 0);
    bench_close(&bench);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        CLAIM(a_question_gets_its_answer),
        CLAIM(questions_are_answered_in_their_order),
        CLAIM(an_answer_may_lead_to_a_question),
        CLAIM(a_script_of_megabytes_arrives_whole),
        CLAIM(an_error_has_slurms_number_and_words),
        CLAIM(a_job_that_slurm_does_not_know_has_vanished),
        CLAIM(an_agent_that_ends_is_replaced),
        CLAIM(a_machine_without_slurm_conf_is_named_as_such),
        CLAIM(a_crashed_agent_is_replaced),
        CLAIM(silence_ends_at_the_deadline),
        CLAIM(an_agent_that_dies_between_questions_is_replaced),
        CLAIM(nonsense_is_no_answer),
        CLAIM(an_agent_that_closes_its_output_is_given_up_at_the_deadline),
        CLAIM(a_missing_program_is_a_sentence),
        CLAIM(a_missing_module_says_what_to_install),
        CLAIM(a_module_of_another_interface_is_refused),
        CLAIM(a_client_may_go_with_questions_open),
        CLAIM(a_submission_whose_answer_was_lost_is_found),
        CLAIM(a_submission_that_never_arrived_is_made_again),
        CLAIM(a_submission_stays_unclear_while_the_controller_is_silent),
        CLAIM(a_refused_submission_is_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
