/* Nodes that were set aside are named where workers are asked for; see scheduler/core/demand.h. */
#include "scheduler/core/demand.h"
#include "tests/core_fixture.h"

#include <math.h>

/* What this worker was given last ends so. */
static void end_last(struct fixture *b, uint64_t worker, enum ending ending)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->sent[i].kind == MSG_LEASES && b->peers[i] == worker) {
            struct msg_lease lease = b->sent[i].leases.leases[b->sent[i].leases.leases_count - 1];
            struct msg_result result =
                fixture_done(lease.trial, lease.attempt, ending, ending == ENDING_COMPLETED ? 1 : NAN);
            result.detail = "the data file is not there";
            fixture_report(b, worker, result);
            return;
        }
    fail_msg("worker %llu was sent no lease", (unsigned long long)worker);
}

static void is_refused(const struct fixture *b, const char *nodes)
{
    struct demand demand;
    core_demand(b->core, &demand);
    assert_string_equal(buf_str(&demand.refused), nodes);
    demand_fini(&demand);
}

/* Worker 1 is there, on a node that is of no job. */
static void start_without_retries(struct fixture *b)
{
    b->config.max_trials = 100;
    b->config.retries = 0;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
}

/* Worker 2 comes from job 5, on node n1. */
static void join_from_job(struct fixture *b)
{
    struct msg_slot slot = {.cpus = "", .numa = "", .gpus = ""};
    struct msg_hello hello = {
        .worker = 2, .node = "n1", .pid = 4, .job = 5, .element = NODE_NO_ELEMENT, .version = "1", .machine = ""};
    fixture_say(b, 2, &(struct msg){.kind = MSG_HELLO, .hello = hello});
    fixture_say(b, 2, &(struct msg){.kind = MSG_OFFER, .offer = {.slots = &slot, .slots_count = 1}});
}

/* What fails on worker 2 ends well on worker 1, and so does what that had. */
static void fail_on_two(struct fixture *b)
{
    end_last(b, 2, ENDING_EXITED);
    end_last(b, 1, ENDING_COMPLETED);
    end_last(b, 1, ENDING_COMPLETED);
}

/* What would be submitted now is not to come from there. */
static void nodes_that_are_set_aside_are_named_as_long_as_they_are(void **state)
{
    struct fixture *b = *state;
    start_without_retries(b);
    join_from_job(b);
    for (int i = 0; i < 3; i++) {
        is_refused(b, "");
        fail_on_two(b);
    }
    is_refused(b, "n1");
    for (int i = 0; i < 15; i++) {
        fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED}); /* it is there */
        fixture_wait(b, 60);
    }
    is_refused(b, "");
}

/* Slurm may have another name for it, or none. */
static void but_none_that_is_of_no_job(void **state)
{
    struct fixture *b = *state;
    start_without_retries(b);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    for (int i = 0; i < 3; i++)
        fail_on_two(b);
    assert_int_equal(fixture_count_sent(b, MSG_REFUSED), 1);
    is_refused(b, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(nodes_that_are_set_aside_are_named_as_long_as_they_are),
        FIXTURE_CLAIM(but_none_that_is_of_no_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
