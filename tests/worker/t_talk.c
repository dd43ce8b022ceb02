/* The conversation: joining, coming back, what is repeated. */
#include "common/clock.h"
#include "common/endings.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/worker_harness.h"
#include "worker/agent/connector.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- joining --- */

static void a_worker_says_who_it_is_and_offers_its_slots(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 2;
    harness_open_listener(harness);
    harness_start_worker(harness);
    const struct msg_hello *hello = &harness_wait(harness, MSG_HELLO)->hello;
    assert_true(hello->worker != 0);
    assert_int_equal(hello->pid, getpid());
    assert_int_equal(hello->cores, 4);
    assert_string_equal(hello->machine, "1 socket, 4 cores, 1.0 GiB");
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 2);
    assert_int_equal(offer->slots[1].index, 1);
    assert_string_equal(offer->slots[1].cpus, "0-3"); /* not bound */
    assert_int_equal(offer->held_count, 0);
}

static void a_worker_that_starts_first_finds_its_coordinator_later(void **state)
{
    struct harness *harness = *state;
    harness_start_worker(harness);
    harness_open_listener(harness);
    harness_wait(harness, MSG_OFFER);
}

static void a_hello_without_answer_is_said_again(void **state)
{
    struct harness *harness = *state;
    harness->mute = true;
    harness_open_listener(harness);
    harness_start_worker(harness);
    uint64_t id = harness_wait(harness, MSG_HELLO)->hello.worker;
    assert_true(harness_wait(harness, MSG_HELLO)->hello.worker == id);
    harness->mute = false;
    harness_wait(harness, MSG_OFFER);
}

static void a_machine_that_is_too_small_says_goodbye_with_the_reason(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 8;
    harness_open_listener(harness);
    harness_start_worker(harness);
    assert_int_equal(harness_wait_end(harness), AGENT_FAILED);
}

static void a_task_that_makes_no_sense_ends_the_worker(void **state)
{
    struct harness *harness = *state;
    harness->task.options = "[]";
    harness_open_listener(harness);
    harness_start_worker(harness);
    assert_int_equal(harness_wait_end(harness), AGENT_FAILED);
}

static void a_refused_worker_ends(void **state)
{
    struct harness *harness = *state;
    harness->mute = true;
    harness_open_listener(harness);
    harness_start_worker(harness);
    harness_wait(harness, MSG_HELLO);
    struct msg msg = {.kind = MSG_REFUSED, .refused = {.why = "too late"}};
    harness_send(harness, &msg);
    assert_int_equal(harness_wait_end(harness), EXIT_REFUSED);
}

static void without_a_coordinator_a_worker_gives_up(void **state)
{
    struct harness *harness = *state;
    harness->setup.give_up = 0.3;
    harness_start_worker(harness);
    assert_int_equal(harness_wait_end(harness), AGENT_ALONE);
}

/* --- losing each other --- */

static void who(struct harness *harness)
{
    struct msg msg = {.kind = MSG_WHO, .who = {.session = 1}};
    harness_send(harness, &msg);
}

static bool holds(const struct msg_offer *offer, uint64_t trial, bool ended)
{
    for (uint32_t i = 0; i < offer->held_count; i++)
        if (offer->held[i].trial == trial && offer->held[i].ended == ended)
            return true;
    return false;
}

static int results_of(const struct harness *harness, uint64_t trial)
{
    int count = 0;
    for (size_t i = 0; i < harness->inbox_count; i++)
        for (uint32_t j = 0; harness->inbox[i]->kind == MSG_RESULTS && j < harness->inbox[i]->results.results_count;
             j++)
            count += harness->inbox[i]->results.results[j].trial == trial;
    return count;
}

static void a_worker_that_is_not_known_any_more_comes_back_with_its_runs(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    who(harness);
    who(harness);
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_int_equal(offer->held_count, 2);
    assert_true(holds(offer, 1, true));
    assert_true(holds(offer, 2, false));
    const struct msg_result *result = harness_result(harness, 1); /* told again */
    assert_int_equal(result->first, 0);
    assert_int_equal(result->samples_count, 2);
    const struct msg *samples = harness_wait(harness, MSG_SAMPLES); /* those, too */
    assert_int_equal(samples->samples.batches[0].trial, 2);
    assert_int_equal(samples->samples.batches[0].first, 0);
}

static void many_whos_make_one_hello(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness->inbox_read = harness->inbox_count;
    for (int i = 0; i < 20; i++)
        who(harness);
    harness_wait(harness, MSG_OFFER);
    harness_settle(harness);
    int hellos = 0;
    for (size_t i = 0; i < harness->inbox_count; i++)
        hellos += harness->inbox[i]->kind == MSG_HELLO;
    assert_in_range(hellos, 2, 10); /* on a slow machine it is said again when no answer came for a second */
}

static void a_restarted_coordinator_is_found_at_its_new_address(void **state)
{
    struct harness *harness = *state;
    harness->silence = 1e6; /* what calls it is the connection that is lost */
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_close_listener(harness);
    harness->listener_name = "elsewhere";
    harness_open_listener(harness);
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_true(holds(offer, 1, false));
    harness_stop_run(harness, 1, ENDING_CANCELLED);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_CANCELLED);
}

static void a_restarted_coordinator_at_the_same_address_is_found(void **state)
{
    struct harness *harness = *state;
    harness->silence = 0.2;
    harness_start(harness);
    harness_close_listener(harness);
    harness_open_listener(harness);
    harness_wait(harness, MSG_OFFER);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
}

static void runs_go_on_while_the_coordinator_is_silent_until_it_is_given_up(void **state)
{
    struct harness *harness = *state;
    harness->silence = 0.5;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    pid_t trainer = (pid_t)harness_value(harness_result(harness, 1), "pid");
    harness_lease(harness, 2, 1, "{\"do\":\"hang\"}");
    harness_settle(harness);
    harness->mute = true;
    harness_wait(harness, MSG_HELLO);
    assert_true(harness_lives(trainer));
    harness->setup.give_up = 1;
    assert_int_equal(harness_wait_end(harness), AGENT_ALONE);
    assert_false(harness_lives(trainer));
}

static void a_result_is_repeated_until_it_is_acknowledged(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_result(harness, 1); /* after five seconds */
    harness_ack(harness, 1, 1, 2, true);
    harness_settle(harness);
    harness_settle(harness);
    const struct msg_heartbeat *last = NULL;
    for (size_t i = 0; i < harness->inbox_count; i++)
        if (harness->inbox[i]->kind == MSG_HEARTBEAT)
            last = &harness->inbox[i]->heartbeat;
    assert_int_equal(last->held_count, 0);
}

static void a_lease_that_comes_twice_is_run_once(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_result(harness, 1);
    harness_lease(harness, 1, 1, "{}");
    harness_settle(harness);
    int results = 0;
    for (size_t i = 0; i < harness->inbox_count; i++)
        results += harness->inbox[i]->kind == MSG_RESULTS;
    assert_int_equal(results, 1);
}

static void a_lease_for_a_slot_that_is_none_goes_back(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease_slot(harness, 5, 1, "{}");
    assert_int_equal(harness_wait(harness, MSG_RETURNED)->returned.runs[0].trial, 5);
}

static void heartbeats_list_every_run(void **state)
{
    struct harness *harness = *state;
    harness->keep_acks = true;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{}");
    harness_result(harness, 1);
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    const struct msg_heartbeat *beat;
    do { /* until the third lease has come; behind a run that goes on it goes back after a while, and may come again */
        harness_lease(harness, 3, 1, "{}");
        beat = &harness_wait(harness, MSG_HEARTBEAT)->heartbeat;
    } while (beat->held_count < 3);
    assert_true(beat->wall > 1e9);
}

static void messages_that_make_no_sense_are_passed_over(void **state)
{
    struct harness *harness = *state;
    static const char *const garbage[] = {"", "G", "G\001\377\000", "hello"};
    harness_start(harness);
    for (int i = 0; i < 4; i++)
        link_send(harness->listener, harness->peer, garbage[i], strlen(garbage[i]));
    struct msg wrong = {.kind = MSG_HELLO};
    harness_send(harness, &wrong);
    struct msg stop = {.kind = MSG_STOP_RUN, .stop_run = {.trial = 1, .attempt = 1, .ending = 4711}};
    harness_send(harness, &stop);
    harness_ack(harness, 77, 7, 7, true);
    harness_lease(harness, 1, 1, "no json");
    harness_result(harness, 1);
    harness_lease(harness, 2, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness_ack(harness, 2, 1, 4000000000u, true); /* more than it has, and an end that has not come */
    harness_lease(harness, 3, 1, "{}");
    harness_stop_run(harness, 2, ENDING_CANCELLED);
    assert_int_equal(harness_result(harness, 2)->ending, ENDING_CANCELLED);
    assert_int_equal(harness_result(harness, 3)->ending, ENDING_COMPLETED);
}

static void other_resources_after_a_restart_make_other_slots(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
    harness_wait(harness, MSG_SAMPLES);
    harness->task.cpus = 1;
    who(harness);
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 4);
    assert_true(holds(offer, 1, false));
    harness_lease_slot(harness, 2, 3, "{}"); /* has to wait for a core of the run from before */
    harness_settle(harness);
    assert_int_equal(results_of(harness, 2), 0);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 2)->slot, 3);
}

static void fewer_slots_after_a_restart_keep_what_runs(void **state)
{
    struct harness *harness = *state;
    harness->task.cpus = 1;
    harness->keep_acks = true;
    harness_start(harness);
    for (uint32_t slot = 0; slot < 4; slot++) {
        harness_lease_slot(harness, slot + 1, slot, slot == 2 ? "{}" : "{\"do\":\"wait\"}");
        harness_wait(harness, slot == 2 ? MSG_RESULTS : MSG_SAMPLES);
    }
    harness->task.cpus = 2;
    who(harness);
    const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
    assert_int_equal(offer->slots_count, 2);
    assert_int_equal(offer->held_count, 4);
    for (uint32_t i = 0; i < offer->held_count; i++)
        assert_int_equal(offer->held[i].slot, offer->held[i].trial == 3 ? 0 : (offer->held[i].trial - 1) / 2);
    harness_lease_slot(harness, 5, 1, "{}");
    harness_lease_slot(harness, 6, 0, "{}");
    harness_stop_run(harness, 4, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 4)->ending, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 5)->ending, ENDING_COMPLETED);
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    harness_settle(harness);
    assert_int_equal(results_of(harness, 6), 0);
    harness_stop_run(harness, 2, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 6)->ending, ENDING_COMPLETED);
    agent_leave(harness->worker, SIGTERM);
    harness_wait_end(harness);
}

/* Two changes in a row, and an end with runs of three kinds of slots. */
static void slots_may_change_more_than_once(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    for (int cpus = 4; cpus; cpus /= 2) {
        harness->task.cpus = cpus;
        who(harness);
        const struct msg_offer *offer = &harness_wait(harness, MSG_OFFER)->offer;
        assert_int_equal(offer->slots_count, 4 / cpus);
        if (cpus == 4) {
            harness_lease(harness, 1, 1, "{\"do\":\"wait\"}");
            harness_wait(harness, MSG_SAMPLES);
        }
        assert_int_equal(offer->held_count, cpus < 4);
    }
    harness_stop_run(harness, 1, ENDING_STOPPED_EARLY);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_STOPPED_EARLY);
    harness_lease_slot(harness, 2, 0, "{\"do\":\"hang\"}");
    harness_settle(harness);
    harness->task.cpus = 4;
    who(harness);
    harness_wait(harness, MSG_OFFER);
    agent_leave(harness->worker, SIGTERM);
    harness_wait_end(harness);
}

static void other_limits_after_a_restart_hold_for_what_runs(void **state)
{
    struct harness *harness = *state;
    harness_start(harness);
    harness_lease(harness, 1, 1, "{\"do\":\"hang\"}");
    harness_settle(harness);
    harness->task.trial_time = 0.1;
    harness->task.grace = 0.1;
    who(harness);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_TIMED_OUT);
}

/* --- over the network --- */

static void over_tcp_the_keys_of_the_run_directory_are_used(void **state)
{
    struct harness *harness = *state;
    harness->listener_name = "tcp://127.0.0.1:*";
    harness_open_listener(harness);
    harness_start_worker(harness);
    harness_wait(harness, MSG_OFFER);
    harness_lease(harness, 1, 1, "{}");
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
}

static void a_coordinator_json_that_nobody_holds_the_lock_for_leads_nowhere(void **state)
{
    struct harness *harness = *state;
    struct err err = {""};
    struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    struct connector *connector = connector_create(harness->links, harness->scratch, NULL, &err);
    harness_open_listener(harness);
    assert_int_equal(fcntl(harness->lock, F_OFD_SETLK, &whole), 0);
    assert_false(connector_look(connector, false));
    assert_null(connector_link(connector));
    assert_has(connector_why(connector), "no coordinator runs in");
    whole.l_type = F_WRLCK;
    assert_int_equal(fcntl(harness->lock, F_OFD_SETLK, &whole), 0);
    assert_true(connector_look(connector, false));
    assert_non_null(connector_link(connector));
    connector_destroy(connector);
}

/* As the worker's ticks do, until there is a reason why it is not connected, or none is left. */
static void knock(struct connector *connector, bool refused)
{
    double end = clock_monotonic() + 60;
    connector_look(connector, true);
    for (bool said = !refused; said != refused && clock_monotonic() < end; usleep(1000)) {
        if (connector_is_refused(connector))
            connector_look(connector, true);
        connector_is_lost(connector);
        said = *connector_why(connector);
    }
}

static void a_refused_key_is_said_with_its_file(void **state)
{
    struct harness *harness = *state;
    struct err err = {""};
    struct key_pair other;
    char *file = path_join(harness->scratch, "keys/worker.key");
    struct connector *connector = connector_create(harness->links, harness->scratch, NULL, &err);
    harness_open_listener(harness);
    assert_int_equal(keys_make(&other, &err), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(keys_write(file, &other, &err), 0);
    knock(connector, true);
    assert_has(connector_why(connector), "refused the key in");
    assert_has(connector_why(connector), file);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(keys_write(file, &harness->worker_keys, &err), 0);
    knock(connector, false);
    assert_false(connector_is_lost(connector));
    assert_string_equal(connector_why(connector), "");
    connector_destroy(connector);
    free(file);
}

static void nobody_to_talk_to_is_said_in_a_sentence(void **state)
{
    struct harness *harness = *state;
    struct err err = {""};
    harness->setup.rundir = NULL;
    assert_null(agent_create(harness->loop, harness->links, &harness->setup, NULL, NULL, &err));
    assert_has(err.text, "give --rundir");
    harness->setup.connect = "tcp://127.0.0.1:9";
    assert_null(agent_create(harness->loop, harness->links, &harness->setup, NULL, NULL, &err));
    assert_has(err.text, "needs keys");
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(a_worker_says_who_it_is_and_offers_its_slots),
        HARNESS_CLAIM(a_worker_that_starts_first_finds_its_coordinator_later),
        HARNESS_CLAIM(a_hello_without_answer_is_said_again),
        HARNESS_CLAIM(a_machine_that_is_too_small_says_goodbye_with_the_reason),
        HARNESS_CLAIM(a_task_that_makes_no_sense_ends_the_worker),
        HARNESS_CLAIM(a_refused_worker_ends),
        HARNESS_CLAIM(without_a_coordinator_a_worker_gives_up),
        HARNESS_CLAIM(a_worker_that_is_not_known_any_more_comes_back_with_its_runs),
        HARNESS_CLAIM(many_whos_make_one_hello),
        HARNESS_CLAIM(a_restarted_coordinator_is_found_at_its_new_address),
        HARNESS_CLAIM(a_restarted_coordinator_at_the_same_address_is_found),
        HARNESS_CLAIM(runs_go_on_while_the_coordinator_is_silent_until_it_is_given_up),
        HARNESS_CLAIM(a_result_is_repeated_until_it_is_acknowledged),
        HARNESS_CLAIM(a_lease_that_comes_twice_is_run_once),
        HARNESS_CLAIM(a_lease_for_a_slot_that_is_none_goes_back),
        HARNESS_CLAIM(heartbeats_list_every_run),
        HARNESS_CLAIM(messages_that_make_no_sense_are_passed_over),
        HARNESS_CLAIM(other_resources_after_a_restart_make_other_slots),
        HARNESS_CLAIM(fewer_slots_after_a_restart_keep_what_runs),
        HARNESS_CLAIM(slots_may_change_more_than_once),
        HARNESS_CLAIM(other_limits_after_a_restart_hold_for_what_runs),
        HARNESS_CLAIM(over_tcp_the_keys_of_the_run_directory_are_used),
        HARNESS_CLAIM(a_coordinator_json_that_nobody_holds_the_lock_for_leads_nowhere),
        HARNESS_CLAIM(a_refused_key_is_said_with_its_file),
        HARNESS_CLAIM(nobody_to_talk_to_is_said_in_a_sentence),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
