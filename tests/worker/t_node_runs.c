/* Runs on several nodes, as one of their workers sees them: the port where they meet, and who reports. */
#include "common/mem.h"
#include "tests/worker_harness.h"
#include "worker/program/gang_env.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Starts a worker of one slot for a program on two nodes; the port that the slot names. */
static uint32_t start(struct harness *harness, const char *command)
{
    harness->task.command = command;
    harness->task.nodes = 2;
    harness_open_listener(harness);
    harness_start_worker(harness);
    return harness_wait(harness, MSG_OFFER)->offer.slots[0].port;
}

static void lease(struct harness *harness, uint32_t node, uint32_t port)
{
    struct msg_lease lease = {.trial = 1,
                              .attempt = 1,
                              .seed = 7,
                              .params = "{}",
                              .node = node,
                              .nodes = 2,
                              .port = port,
                              .hosts = "alpha,beta"};
    harness_send(harness, &(struct msg){.kind = MSG_LEASES, .leases = {.leases = &lease, .leases_count = 1}});
}

/* Somebody else takes the port; close it. */
static int take_port(uint32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void a_slot_names_a_port_where_several_nodes_may_meet(void **state)
{
    struct harness *harness = *state;
    uint32_t port = start(harness, "[\"true\"]");
    assert_in_range(port, 1024, 65535);
    close(take_port(port));
}

static void a_run_is_told_where_it_meets_the_others(void **state)
{
    struct harness *harness = *state;
    struct buf text = {0};
    uint32_t port =
        start(harness, "[\"/bin/sh\",\"-c\",\"echo $RANK/$WORLD_SIZE $MASTER_ADDR $GANNET_HOSTS value=1\"]");
    lease(harness, 0, port);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
    assert_string_equal(harness_file(harness, "trials/000001/stdout", &text), "0/2 alpha alpha,beta value=1\n");
    buf_fini(&text);
}

static void a_port_that_is_taken_is_named_anew_before_the_run_goes_back(void **state)
{
    struct harness *harness = *state;
    uint32_t port = start(harness, "[\"true\"]");
    int fd = take_port(port);
    lease(harness, 0, port);
    const struct msg *another = harness_wait(harness, MSG_PORT);
    assert_int_equal(another->port.slot, 0);
    assert_int_not_equal(another->port.port, port);
    const struct msg *returned = harness_wait(harness, MSG_RETURNED);
    assert_int_equal(returned->returned.runs[0].trial, 1);
    close(fd);
}

/* With a range that one port is of there is no other. */
static void ports_are_those_of_the_range_and_without_a_free_one_the_slot_waits(void **state)
{
    struct harness *harness = *state;
    uint32_t only = gang_env_port();
    harness->task.ports = (struct task_ports){only, only};
    assert_int_equal(start(harness, "[\"echo\",\"value=1\"]"), only);
    int fd = take_port(only);
    lease(harness, 0, only);
    char *sentence = mem_format("network.ports is %u-%u, and none of these is free on this node", only, only);
    assert_has(harness_wait(harness, MSG_WAITS)->waits.why, sentence);
    assert_int_equal(harness_wait(harness, MSG_RETURNED)->returned.runs[0].trial, 1);
    free(sentence);
    close(fd);
    assert_string_equal(harness_wait(harness, MSG_WAITS)->waits.why, "");
    lease(harness, 0, only);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
}

/* As after a restart with another range. */
static void a_port_outside_the_range_is_none(void **state)
{
    struct harness *harness = *state;
    uint32_t only = gang_env_port();
    harness->task.ports = (struct task_ports){only, only};
    start(harness, "[\"true\"]");
    lease(harness, 0, only + 1);
    assert_int_equal(harness_wait(harness, MSG_PORT)->port.port, only);
    assert_int_equal(harness_wait(harness, MSG_RETURNED)->returned.runs[0].trial, 1);
}

/* It is not its own. */
static void another_node_does_not_look_at_the_port(void **state)
{
    struct harness *harness = *state;
    int fd = take_port(start(harness, "[\"true\"]"));
    lease(harness, 1, 1);
    assert_int_equal(harness_result(harness, 1)->ending, ENDING_COMPLETED);
    close(fd);
}

static void another_node_reports_no_values_and_needs_none(void **state)
{
    struct harness *harness = *state;
    start(harness, "[\"/bin/sh\",\"-c\",\"echo value=1\"]");
    lease(harness, 1, 4000);
    const struct msg_result *result = harness_result(harness, 1);
    assert_int_equal(result->ending, ENDING_COMPLETED);
    assert_int_equal(result->measures_count, 0);
    assert_int_equal(result->samples_count, 0);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        HARNESS_CLAIM(a_slot_names_a_port_where_several_nodes_may_meet),
        HARNESS_CLAIM(a_run_is_told_where_it_meets_the_others),
        HARNESS_CLAIM(a_port_that_is_taken_is_named_anew_before_the_run_goes_back),
        HARNESS_CLAIM(ports_are_those_of_the_range_and_without_a_free_one_the_slot_waits),
        HARNESS_CLAIM(a_port_outside_the_range_is_none),
        HARNESS_CLAIM(another_node_does_not_look_at_the_port),
        HARNESS_CLAIM(another_node_reports_no_values_and_needs_none),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

int main(int count, char **words)
{
    return harness_main(count, words, tests);
}
