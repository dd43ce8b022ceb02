/* The program gannet-trainer over its socket, as the worker drives it: every way in which a run can end. */
#include "common/mem.h"
#include "common/path.h"
#include "common/phases.h"
#include "tests/claims.h"
#include "tests/trainer_client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char point[] = "{\"x1\": 1, \"x2\": 1}";

/* --- runs that end well --- */

static void a_short_run_is_one_message_each_way(void **state)
{
    struct trainer *trainer = *state;
    assert_string_equal(client_set_up(trainer, "synth", "value", "{'function': 'sphere', 'steps': 3}"), "");
    assert_true(trainer->msg.ready.memory > 1 << 20);
    client_run(trainer, 1, point);
    assert_int_equal(client_next(trainer), MSG_ENDED);
    const struct msg_ended *end = &trainer->msg.ended;
    assert_int_equal(end->ending, ENDING_COMPLETED);
    assert_string_equal(end->detail, "");
    assert_int_equal(end->samples_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(end->samples[i].metric, "value");
        assert_int_equal(end->samples[i].step, i + 1);
        assert_true(end->samples[i].value == 2 && end->samples[i].time >= 0);
    }
    assert_int_equal(end->phases_count, 1);
    assert_int_equal(end->phases[0].phase, PHASE_WORK);
    assert_int_equal(end->phases[0].count, 3);
    assert_true(end->peak_memory > 1 << 20 && end->launch >= 0);
}

static void runs_sent_ahead_are_answered_in_order(void **state)
{
    enum { RUNS = 200 };
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'function': 'sphere', 'refuse': [77]}");
    for (uint64_t n = 1; n <= RUNS; n++) {
        char params[40];
        snprintf(params, sizeof params, "{\"x1\": %llu}", (unsigned long long)n);
        client_run(trainer, n, params);
    }
    for (uint64_t n = 1; n <= RUNS; n++) {
        assert_int_equal(client_ended(trainer), n == 77 ? ENDING_BAD_CONFIG : ENDING_COMPLETED);
        if (n != 77)
            assert_true(trainer->msg.ended.samples[0].value == (double)(n * n));
    }
}

static void a_run_begins_with_its_permit_and_one_that_was_skipped_never(void **state)
{
    static const uint64_t given[] = {1, 2, 5};
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'function': 'sphere'}");
    for (uint64_t n = 1; n <= 5; n++) {
        char params[40];
        snprintf(params, sizeof params, "{\"x1\": %llu}", (unsigned long long)n);
        client_tell(trainer,
                    &(struct msg){.kind = MSG_RUN, .run = {.permit = n, .trial = n, .attempt = 1, .params = params}});
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(write(trainer->permit_to, &given[i], sizeof given[i]), sizeof given[i]);
        assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
        assert_true(trainer->msg.ended.samples[0].value == (double)(given[i] * given[i]));
        assert_true(trainer->msg.ended.begun > 0 && trainer->msg.ended.seconds >= 0);
    }
}

static void a_run_that_lasts_sends_its_metrics_before_its_end(void **state)
{
    struct trainer *trainer = *state;
    int64_t steps = 0;
    client_set_up(trainer, "synth", "value", "{'steps': 30, 'seconds': 0.02}");
    client_run(trainer, 1, point);
    assert_int_equal(client_next(trainer), MSG_STEP);
    do {
        uint32_t count =
            trainer->msg.kind == MSG_STEP ? trainer->msg.step.samples_count : trainer->msg.ended.samples_count;
        const struct msg_sample *samples =
            trainer->msg.kind == MSG_STEP ? trainer->msg.step.samples : trainer->msg.ended.samples;
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(samples[i].step, ++steps);
    } while (trainer->msg.kind == MSG_STEP && client_next(trainer));
    assert_int_equal(trainer->msg.ended.ending, ENDING_COMPLETED);
    assert_int_equal(steps, 30);
}

static void data_is_loaded_once_for_all_runs(void **state)
{
    struct trainer *trainer = *state;
    char *base = getcwd(NULL, 0), *copy = mem_text("/tmp/gannet-test-XXXXXX"), *digits, *options;
    struct buf text = {0};
    struct err err;
    digits = path_join(base, "examples/data/digits.csv");
    close(mkstemp(copy));
    assert_int_equal(path_read(digits, &text, 1 << 20, &err), 0);
    assert_int_equal(path_write(copy, text.data, text.length, 0600, &err), 0);
    options = mem_format("{'data': '%s', 'epochs': 1}", copy);
    assert_string_equal(client_set_up(trainer, "mlp", "val_loss", options), "");
    assert_int_equal(unlink(copy), 0);
    for (uint64_t n = 1; n <= 3; n++) {
        client_run(trainer, n, "{\"width\": 16}");
        assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
        assert_int_equal(trainer->msg.ended.samples_count, 4);
        uint32_t phases = trainer->msg.ended.phases_count;
        assert_true(phases == 5 || (n == 1 && phases == 6)); /* a backend may make its operations ready, once */
    }
    buf_fini(&text);
    free(options);
    free(digits);
    free(copy);
    free(base);
}

/* --- runs that end otherwise --- */

static void divergence_is_an_ending(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'steps': 5, 'diverge': [1], 'mishap_step': 3}");
    client_run(trainer, 1, point);
    assert_int_equal(client_ended(trainer), ENDING_DIVERGED);
    assert_string_equal(trainer->msg.ended.detail, "value became NaN at step 3");
    assert_int_equal(trainer->msg.ended.samples_count, 2);
    client_run(trainer, 2, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
}

static void configurations_are_refused_with_a_sentence(void **state)
{
    struct trainer *trainer = *state;
    static const char *const broken[] = {"", "{", "[1]", "null", "{\"x1\": 1e999}", "{\"x1\": {\"x1\": 1}}"};
    client_set_up(trainer, "synth", "value", "{'function': 'sphere'}");
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        client_run(trainer, i + 1, broken[i]);
        assert_int_equal(client_ended(trainer), ENDING_BAD_CONFIG);
        assert_true(strlen(trainer->msg.ended.detail) > 10);
    }
    client_run(trainer, 99, "{\"x1\": 2}");
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
}

static void a_task_that_can_t_be_run_refuses_every_trial(void **state)
{
    struct trainer *trainer = *state;
    assert_has(client_set_up(trainer, "mlp", "val_loss", "{'data': 'nowhere.csv'}"),
               "can't open /nowhere.csv: No such file");
    for (uint64_t n = 1; n <= 2; n++) {
        client_run(trainer, n, "{}");
        assert_int_equal(client_ended(trainer), ENDING_BAD_CONFIG);
        assert_has(trainer->msg.ended.detail, "can't open /nowhere.csv");
    }
}

static void an_unknown_kernel_is_trouble(void **state)
{
    assert_has(client_set_up(*state, "gan", "val_loss", "{}"), "there is no kernel 'gan'");
}

static void a_task_that_is_none_is_trouble(void **state)
{
    struct trainer *trainer = *state;
    client_tell(trainer, &(struct msg){.kind = MSG_SETUP, .setup = {.task = "{\"kernel\": 5}", .threads = 1}});
    assert_int_equal(client_next(trainer), MSG_READY);
    assert_has(trainer->msg.ready.trouble, "the task");
}

static void a_crash_is_the_signal_of_its_process(void **state)
{
    struct trainer *trainer = *state;
    char line[200];
    client_set_up(trainer, "synth", "value", "{'crash': [2], 'crash_signal': 'SIGBUS'}");
    client_run(trainer, 1, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
    client_run(trainer, 2, point);
    assert_int_equal(client_next(trainer), MSG_NONE);
    int status = client_reap(trainer);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    client_read_error(trainer, line, sizeof line);
    assert_string_equal(line, "synth: as the option 'crash' wants it\n");
}

static void an_exit_is_the_status_of_its_process(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'exit': 1, 'exit_status': 7}");
    client_run(trainer, 1, point);
    assert_int_equal(client_next(trainer), MSG_NONE);
    int status = client_reap(trainer);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void a_hang_ends_by_killing_it(void **state)
{
    struct trainer *trainer = *state;
    char line[200];
    client_set_up(trainer, "synth", "value", "{'hang': [1]}");
    client_run(trainer, 1, point);
    client_read_error(trainer, line, sizeof line); /* now it hangs */
    assert_has(line, "'hang'");
    assert_int_equal(waitpid(trainer->pid, NULL, WNOHANG), 0);
    kill(trainer->pid, SIGTERM);
    assert_int_equal(client_next(trainer), MSG_NONE);
    assert_true(WIFSIGNALED(client_reap(trainer)));
}

static void a_fault_can_spare_later_attempts(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'refuse': [5], 'mishap_attempts': 2}");
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        client_tell(trainer, &(struct msg){.kind = MSG_RUN,
                                           .run = {.trial = 5, .attempt = attempt, .seed = 1, .params = point}});
        assert_int_equal(client_ended(trainer), attempt <= 2 ? ENDING_BAD_CONFIG : ENDING_COMPLETED);
    }
}

static void a_leak_stays_in_the_process(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'leak': [1], 'leak_bytes': 50000000}");
    uint64_t before = trainer->msg.ready.memory;
    client_run(trainer, 1, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
    assert_true(trainer->msg.ended.peak_memory >= before + 45000000);
    client_run(trainer, 2, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
    assert_true(trainer->msg.ended.peak_memory >= before + 45000000);
}

/* --- HALT --- */

static void a_halted_run_ends_after_the_present_step(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'steps': 1000000000, 'seconds': 0.005}");
    client_run(trainer, 1, point);
    assert_int_equal(client_next(trainer), MSG_STEP);
    client_halt(trainer, 1);
    assert_int_equal(client_ended(trainer), ENDING_STOPPED_EARLY);
    client_run(trainer, 2, point);
    assert_int_equal(client_next(trainer), MSG_STEP);
    client_halt(trainer, 2);
    assert_int_equal(client_ended(trainer), ENDING_STOPPED_EARLY);
}

static void a_halt_of_another_run_is_nothing(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'steps': 3}");
    client_halt(trainer, 1);
    client_run(trainer, 1, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
    client_halt(trainer, 1);
    client_run(trainer, 2, point);
    assert_int_equal(client_ended(trainer), ENDING_COMPLETED);
}

static void a_run_that_waits_can_be_halted(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'steps': 1000000000, 'seconds': 0.005}");
    client_run(trainer, 1, point);
    client_run(trainer, 2, point);
    assert_int_equal(client_next(trainer), MSG_STEP);
    client_halt(trainer, 2);
    client_halt(trainer, 1);
    assert_int_equal(client_ended(trainer), ENDING_STOPPED_EARLY);
    assert_int_equal(client_ended(trainer), ENDING_STOPPED_EARLY);
    assert_int_equal(trainer->msg.ended.samples_count, 0);
}

/* --- the socket --- */

static void it_ends_when_the_worker_is_gone(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{}");
    close(trainer->fd);
    trainer->fd = -1;
    assert_int_equal(client_reap(trainer), 0);
}

static void it_ends_in_the_middle_of_a_run_when_the_worker_is_gone(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{'steps': 1000000000, 'seconds': 0.005}");
    client_run(trainer, 1, point);
    assert_int_equal(client_next(trainer), MSG_STEP);
    close(trainer->fd);
    trainer->fd = -1;
    assert_int_equal(client_reap(trainer), 0);
}

static void assert_protests(struct trainer *trainer, const char *part)
{
    char line[1200];
    while (client_next(trainer) != MSG_NONE)
        ;
    int status = client_reap(trainer);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 70);
    client_read_error(trainer, line, sizeof line);
    assert_has(line, "gannet-trainer: ");
    assert_has(line, part);
}

static void what_a_worker_does_not_say_ends_it_with_a_sentence(void **state)
{
    struct trainer *trainer = *state;
    client_tell(trainer, &(struct msg){.kind = MSG_HEARD});
    assert_protests(trainer, "a worker does not say HEARD");
}

static void a_second_setup_ends_it_with_a_sentence(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{}");
    client_tell(trainer, &(struct msg){.kind = MSG_SETUP, .setup = {.task = "{}"}});
    assert_protests(trainer, "SETUP twice");
}

static void bytes_that_are_no_messages_end_it_with_a_sentence(void **state)
{
    struct trainer *trainer = *state;
    client_set_up(trainer, "synth", "value", "{}");
    assert_int_equal(write(trainer->fd, "\x08\0\0\0garbage!", 12), 12);
    assert_protests(trainer, "");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, client_start, client_stop)
    const struct CMUnitTest tests[] = {
        CLAIM(a_short_run_is_one_message_each_way),
        CLAIM(runs_sent_ahead_are_answered_in_order),
        CLAIM(a_run_begins_with_its_permit_and_one_that_was_skipped_never),
        CLAIM(a_run_that_lasts_sends_its_metrics_before_its_end),
        CLAIM(data_is_loaded_once_for_all_runs),
        CLAIM(divergence_is_an_ending),
        CLAIM(configurations_are_refused_with_a_sentence),
        CLAIM(a_task_that_can_t_be_run_refuses_every_trial),
        CLAIM(an_unknown_kernel_is_trouble),
        CLAIM(a_task_that_is_none_is_trouble),
        CLAIM(a_crash_is_the_signal_of_its_process),
        CLAIM(an_exit_is_the_status_of_its_process),
        CLAIM(a_hang_ends_by_killing_it),
        CLAIM(a_fault_can_spare_later_attempts),
        CLAIM(a_leak_stays_in_the_process),
        CLAIM(a_halted_run_ends_after_the_present_step),
        CLAIM(a_halt_of_another_run_is_nothing),
        CLAIM(a_run_that_waits_can_be_halted),
        CLAIM(it_ends_when_the_worker_is_gone),
        CLAIM(it_ends_in_the_middle_of_a_run_when_the_worker_is_gone),
        CLAIM(what_a_worker_does_not_say_ends_it_with_a_sentence),
        CLAIM(a_second_setup_ends_it_with_a_sentence),
        CLAIM(bytes_that_are_no_messages_end_it_with_a_sentence),
    };
    return cmocka_run_group_tests_name("trainer", tests, NULL, NULL);
}
