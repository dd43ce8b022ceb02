/* The conversation: joining, coming back, what is repeated, leaving. */
#include "common/endings.h"
#include "common/mem.h"
#include "tests/rig.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- joining --- */

static void a_worker_says_who_it_is_and_offers_its_slots(void **state)
{
    struct rig *rig = *state;
    rig->task.cpus = 2;
    rig_open_door(rig);
    rig_start_worker(rig);
    const struct msg_hello *hello = &rig_wait(rig, MSG_HELLO)->hello;
    assert_true(hello->worker != 0);
    assert_int_equal(hello->pid, getpid());
    assert_int_equal(hello->cores, 4);
    assert_string_equal(hello->machine, "1 socket, 4 cores, 1.0 GiB");
    const struct msg_offer *offer = &rig_wait(rig, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 2);
    assert_int_equal(offer->slots[1].index, 1);
    assert_string_equal(offer->slots[1].cpus, "0-3"); /* not bound */
    assert_int_equal(offer->held_count, 0);
}

static void a_worker_that_starts_first_finds_its_coordinator_later(void **state)
{
    struct rig *rig = *state;
    rig_start_worker(rig);
    rig_open_door(rig);
    rig_wait(rig, MSG_OFFER);
}

static void a_hello_without_answer_is_said_again(void **state)
{
    struct rig *rig = *state;
    rig->mute = true;
    rig_open_door(rig);
    rig_start_worker(rig);
    uint64_t id = rig_wait(rig, MSG_HELLO)->hello.worker;
    assert_true(rig_wait(rig, MSG_HELLO)->hello.worker == id);
    rig->mute = false;
    rig_wait(rig, MSG_OFFER);
}

static void a_machine_that_is_too_small_says_goodbye_with_the_reason(void **state)
{
    struct rig *rig = *state;
    rig->task.cpus = 8;
    rig_open_door(rig);
    rig_start_worker(rig);
    assert_int_equal(rig_wait_end(rig), WORKER_FAILED);
}

static void a_task_that_makes_no_sense_ends_the_worker(void **state)
{
    struct rig *rig = *state;
    rig->task.options = "[]";
    rig_open_door(rig);
    rig_start_worker(rig);
    assert_int_equal(rig_wait_end(rig), WORKER_FAILED);
}

static void a_refused_worker_ends(void **state)
{
    struct rig *rig = *state;
    rig->mute = true;
    rig_open_door(rig);
    rig_start_worker(rig);
    rig_wait(rig, MSG_HELLO);
    struct msg msg = {.kind = MSG_REFUSED, .refused = {.why = "too late"}};
    rig_send(rig, &msg);
    assert_int_equal(rig_wait_end(rig), WORKER_FAILED);
}

static void without_a_coordinator_a_worker_gives_up(void **state)
{
    struct rig *rig = *state;
    rig->setup.give_up = 0.3;
    rig_start_worker(rig);
    assert_int_equal(rig_wait_end(rig), WORKER_ALONE);
}

/* --- losing each other --- */

static void who(struct rig *rig)
{
    struct msg msg = {.kind = MSG_WHO, .who = {.session = 1}};
    rig_send(rig, &msg);
}

static bool holds(const struct msg_offer *offer, uint64_t trial, bool ended)
{
    for (uint32_t i = 0; i < offer->held_count; i++)
        if (offer->held[i].trial == trial && offer->held[i].ended == ended)
            return true;
    return false;
}

static void a_worker_that_is_not_known_any_more_comes_back_with_its_runs(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    rig_lease(rig, 2, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    who(rig);
    who(rig);
    const struct msg_offer *offer = &rig_wait(rig, MSG_OFFER)->offer;
    assert_int_equal(offer->held_count, 2);
    assert_true(holds(offer, 1, true));
    assert_true(holds(offer, 2, false));
    const struct msg_result *result = rig_result(rig, 1); /* told again */
    assert_int_equal(result->first, 0);
    assert_int_equal(result->samples_count, 2);
    const struct msg *samples = rig_wait(rig, MSG_SAMPLES); /* those, too */
    assert_int_equal(samples->samples.batches[0].trial, 2);
    assert_int_equal(samples->samples.batches[0].first, 0);
}

static void many_whos_make_one_hello(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig->inbox_read = rig->inbox_count;
    for (int i = 0; i < 20; i++)
        who(rig);
    rig_wait(rig, MSG_OFFER);
    rig_settle(rig);
    int hellos = 0;
    for (size_t i = 0; i < rig->inbox_count; i++)
        hellos += rig->inbox[i]->kind == MSG_HELLO;
    assert_in_range(hellos, 2, 3); /* the first one, and one or, when the whos came in two turns, two more */
}

static void a_restarted_coordinator_is_found_at_its_new_address(void **state)
{
    struct rig *rig = *state;
    rig->silence = 0.2;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig_close_door(rig);
    rig->door_name = "elsewhere";
    rig_open_door(rig);
    const struct msg_offer *offer = &rig_wait(rig, MSG_OFFER)->offer;
    assert_true(holds(offer, 1, false));
    rig_stop_run(rig, 1, ENDING_CANCELLED);
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_CANCELLED);
}

static void a_restarted_coordinator_at_the_same_address_is_found(void **state)
{
    struct rig *rig = *state;
    rig->silence = 0.2;
    rig_start(rig);
    rig_close_door(rig);
    rig_open_door(rig);
    rig_wait(rig, MSG_OFFER);
    rig_lease(rig, 1, 1, "{}");
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_COMPLETED);
}

static void runs_go_on_while_the_coordinator_is_silent_until_it_is_given_up(void **state)
{
    struct rig *rig = *state;
    rig->silence = 0.5;
    rig->setup.give_up = 2;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    pid_t trainer = (pid_t)rig_value(rig_result(rig, 1), "pid");
    rig_lease(rig, 2, 1, "{\"do\":\"hang\"}");
    rig_settle(rig);
    rig->mute = true;
    rig_wait(rig, MSG_HELLO);
    assert_true(rig_lives(trainer));
    assert_int_equal(rig_wait_end(rig), WORKER_ALONE);
    assert_false(rig_lives(trainer));
}

static void a_result_is_repeated_until_it_is_acknowledged(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    rig_result(rig, 1); /* after five seconds */
    rig_ack(rig, 1, 1, 2, true);
    rig_settle(rig);
    rig_settle(rig);
    const struct msg_heartbeat *last = NULL;
    for (size_t i = 0; i < rig->inbox_count; i++)
        if (rig->inbox[i]->kind == MSG_HEARTBEAT)
            last = &rig->inbox[i]->heartbeat;
    assert_int_equal(last->held_count, 0);
}

static void a_lease_that_comes_twice_is_run_once(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig_stop_run(rig, 1, ENDING_STOPPED_EARLY);
    rig_result(rig, 1);
    rig_lease(rig, 1, 1, "{}");
    rig_settle(rig);
    int results = 0;
    for (size_t i = 0; i < rig->inbox_count; i++)
        results += rig->inbox[i]->kind == MSG_RESULTS;
    assert_int_equal(results, 1);
}

static void a_lease_for_a_slot_that_is_none_goes_back(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_lease_slot(rig, 5, 1, "{}");
    assert_int_equal(rig_wait(rig, MSG_RETURNED)->returned.runs[0].trial, 5);
}

static void heartbeats_list_every_run(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    rig_lease(rig, 2, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig_lease(rig, 3, 1, "{}");
    rig->inbox_read = rig->inbox_count;
    const struct msg_heartbeat *beat = &rig_wait(rig, MSG_HEARTBEAT)->heartbeat;
    while (beat->held_count < 3) /* until the lease has come; it goes back only after a while */
        beat = &rig_wait(rig, MSG_HEARTBEAT)->heartbeat;
    assert_true(beat->wall > 1e9);
}

static void messages_that_make_no_sense_are_passed_over(void **state)
{
    struct rig *rig = *state;
    static const char *const garbage[] = {"", "G", "G\001\377\000", "hello"};
    rig_start(rig);
    for (int i = 0; i < 4; i++)
        link_send(rig->door, rig->peer, garbage[i], strlen(garbage[i]));
    struct msg wrong = {.kind = MSG_HELLO};
    rig_send(rig, &wrong);
    struct msg stop = {.kind = MSG_STOP_RUN, .stop_run = {.trial = 1, .attempt = 1, .ending = 4711}};
    rig_send(rig, &stop);
    rig_ack(rig, 77, 7, 7, true);
    rig_lease(rig, 1, 1, "no json");
    rig_result(rig, 1);
    rig_lease(rig, 2, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig_ack(rig, 2, 1, 4000000000u, true); /* more than it has, and an end that has not come */
    rig_lease(rig, 3, 1, "{}");
    rig_stop_run(rig, 2, ENDING_CANCELLED);
    assert_int_equal(rig_result(rig, 2)->ending, ENDING_CANCELLED);
    assert_int_equal(rig_result(rig, 3)->ending, ENDING_COMPLETED);
}

static void other_resources_after_a_restart_make_other_slots(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig->task.cpus = 1;
    who(rig);
    const struct msg_offer *offer = &rig_wait(rig, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 4);
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_LOST);
    rig_lease_slot(rig, 2, 3, "{}");
    assert_int_equal(rig_result(rig, 2)->slot, 3);
}

static void other_limits_after_a_restart_hold_for_what_runs(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"hang\"}");
    rig_settle(rig);
    rig->task.trial_time = 0.1;
    rig->task.grace = 0.1;
    who(rig);
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_TIMED_OUT);
}

/* --- leaving --- */

static void a_drained_worker_finishes_what_runs_and_goes(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_lease(rig, 2, 1, "{}");
    rig_wait(rig, MSG_SAMPLES);
    rig_drain(rig, false);
    rig_settle(rig);
    assert_false(rig->ended);
    rig_lease(rig, 3, 1, "{}");
    rig_stop_run(rig, 1, ENDING_STOPPED_EARLY);
    rig_wait(rig, MSG_GOODBYE);
    assert_int_equal(rig_wait_end(rig), 0);
    uint32_t returned = 0;
    for (size_t i = 0; i < rig->inbox_count; i++)
        if (rig->inbox[i]->kind == MSG_RETURNED)
            returned += rig->inbox[i]->returned.runs_count;
    assert_int_equal(returned, 2);
}

static void a_worker_that_is_drained_now_cancels_what_runs(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{\"do\":\"wait\"}");
    rig_wait(rig, MSG_SAMPLES);
    rig_drain(rig, true);
    rig_drain(rig, true);
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_CANCELLED);
    assert_int_equal(rig_wait_end(rig), 0);
}

static void a_drained_worker_waits_for_its_acknowledgements(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    rig_drain(rig, false);
    rig_settle(rig);
    assert_false(rig->ended);
    rig_ack(rig, 1, 1, 2, true);
    assert_int_equal(rig_wait_end(rig), 0);
}

static void a_signal_ends_what_runs_as_lost_and_says_goodbye(void **state)
{
    struct rig *rig = *state;
    rig->task.cpus = 2;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    pid_t trainer = (pid_t)rig_value(rig_result(rig, 1), "pid");
    rig_lease(rig, 2, 1, "{\"do\":\"hang\"}");
    rig_lease(rig, 3, 1, "{}");
    rig_settle(rig);
    worker_leave(rig->worker, SIGTERM);
    const struct msg_result *result = rig_result(rig, 2);
    assert_int_equal(result->ending, ENDING_LOST);
    assert_has(result->detail, "SIGTERM");
    rig_wait(rig, MSG_GOODBYE);
    assert_int_equal(rig_wait_end(rig), 128 + SIGTERM);
    assert_false(rig_lives(trainer));
}

static void a_worker_without_work_leaves_after_its_idle_time(void **state)
{
    struct rig *rig = *state;
    rig->setup.idle_exit = 0.3;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    const struct msg *goodbye = rig_wait(rig, MSG_GOODBYE);
    assert_has(goodbye->goodbye.why, "it had no work for 300ms");
    assert_int_equal(rig_wait_end(rig), 0);
}

static void a_signal_without_a_coordinator_ends_the_worker_all_the_same(void **state)
{
    struct rig *rig = *state;
    rig->keep_acks = true;
    rig_start(rig);
    rig_lease(rig, 1, 1, "{}");
    rig_result(rig, 1);
    rig_close_door(rig);
    worker_leave(rig->worker, SIGINT);
    worker_leave(rig->worker, SIGINT);
    assert_int_equal(rig_wait_end(rig), 128 + SIGINT);
}

/* --- over the network --- */

static void over_tcp_the_keys_of_the_run_directory_are_used(void **state)
{
    struct rig *rig = *state;
    struct key_pair coordinator, worker;
    struct err err = {""};
    char *keys = mem_format("%s/keys", rig->scratch), *file = mem_format("%s/worker.key", keys);
    free(scratch_file(rig->scratch, "keys/none", ""));
    assert_int_equal(keys_make(&coordinator, &err) || keys_make(&worker, &err), 0);
    if (keys_write(file, &worker, &err))
        fail_msg("%s", err.text);
    const char *allowed[] = {worker.public};
    rig->door = link_bind(rig->links, "tcp://127.0.0.1:*", &coordinator, allowed, 1, &err);
    if (!rig->door)
        fail_msg("%s", err.text);
    rig_announce(rig, link_endpoint(rig->door), coordinator.public);
    rig_start_worker(rig);
    rig_wait(rig, MSG_OFFER);
    rig_lease(rig, 1, 1, "{}");
    assert_int_equal(rig_result(rig, 1)->ending, ENDING_COMPLETED);
    free(keys);
    free(file);
}

static void nobody_to_talk_to_is_said_in_a_sentence(void **state)
{
    struct rig *rig = *state;
    struct err err = {""};
    rig->setup.rundir = NULL;
    assert_null(worker_create(rig->loop, rig->links, &rig->setup, NULL, NULL, &err));
    assert_has(err.text, "give --rundir or --connect");
    rig->setup.connect = "tcp://127.0.0.1:9";
    assert_null(worker_create(rig->loop, rig->links, &rig->setup, NULL, NULL, &err));
    assert_has(err.text, "needs keys");
}

#define rigged(test) cmocka_unit_test_setup_teardown(test, enter_rig, leave_rig)

static int tests(void)
{
    const struct CMUnitTest all[] = {
        rigged(a_worker_says_who_it_is_and_offers_its_slots),
        rigged(a_worker_that_starts_first_finds_its_coordinator_later),
        rigged(a_hello_without_answer_is_said_again),
        rigged(a_machine_that_is_too_small_says_goodbye_with_the_reason),
        rigged(a_task_that_makes_no_sense_ends_the_worker),
        rigged(a_refused_worker_ends),
        rigged(without_a_coordinator_a_worker_gives_up),
        rigged(a_worker_that_is_not_known_any_more_comes_back_with_its_runs),
        rigged(many_whos_make_one_hello),
        rigged(a_restarted_coordinator_is_found_at_its_new_address),
        rigged(a_restarted_coordinator_at_the_same_address_is_found),
        rigged(runs_go_on_while_the_coordinator_is_silent_until_it_is_given_up),
        rigged(a_result_is_repeated_until_it_is_acknowledged),
        rigged(a_lease_that_comes_twice_is_run_once),
        rigged(a_lease_for_a_slot_that_is_none_goes_back),
        rigged(heartbeats_list_every_run),
        rigged(messages_that_make_no_sense_are_passed_over),
        rigged(other_resources_after_a_restart_make_other_slots),
        rigged(other_limits_after_a_restart_hold_for_what_runs),
        rigged(a_drained_worker_finishes_what_runs_and_goes),
        rigged(a_worker_that_is_drained_now_cancels_what_runs),
        rigged(a_drained_worker_waits_for_its_acknowledgements),
        rigged(a_signal_ends_what_runs_as_lost_and_says_goodbye),
        rigged(a_worker_without_work_leaves_after_its_idle_time),
        rigged(a_signal_without_a_coordinator_ends_the_worker_all_the_same),
        rigged(over_tcp_the_keys_of_the_run_directory_are_used),
        rigged(nobody_to_talk_to_is_said_in_a_sentence),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return rig_main(count, words, tests);
}
