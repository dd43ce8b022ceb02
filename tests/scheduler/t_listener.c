/* The listener: where workers and the command line are told to come. */
#include "scheduler/coordinator/listener.h"
#include "tests/claims.h"
#include "tests/experiment.h"

#include "common/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct stage {
    void *scratch;
    struct rundir dir;
    struct spec_network network;
    int lock;
    struct link_context *links;
};

static int set_up(void **state)
{
    static struct stage stage;
    struct err err;
    stage = (struct stage){0};
    *state = &stage;
    if (enter_scratch(&stage.scratch))
        return -1;
    experiment_make(&stage.scratch, experiment_text, &stage.dir);
    stage.links = link_context_create(&err);
    return rundir_lock(&stage.dir, &stage.lock, &err);
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    link_context_destroy(stage->links);
    close(stage->lock);
    rundir_fini(&stage->dir);
    return leave_scratch(&stage->scratch);
}

static struct listener *open_listener(struct stage *stage, const char *listen, struct discovery *discovery)
{
    struct err err = {0};
    struct listener *listener = listener_open(stage->links, &stage->dir, listen, &stage->network, &err);
    if (!listener || listener_announce(listener, 3, false, &err) || discovery_read(&stage->dir, discovery, &err))
        fail_msg("%s", err.text);
    return listener;
}

static void without_an_address_workers_come_through_a_local_socket(void **state)
{
    struct stage *stage = *state;
    struct discovery discovery;
    struct listener *listener = open_listener(stage, NULL, &discovery);
    assert_has(discovery.workers, "ipc://");
    assert_string_equal(discovery.workers, link_endpoint(listener_workers(listener)));
    assert_string_equal(discovery.control, link_endpoint(listener_control(listener)));
    assert_int_equal(strlen(discovery.public_key), KEY_TEXT - 1);
    assert_int_equal(discovery.session, 3);
    assert_int_equal(discovery.pid, getpid());
    listener_close(listener);
}

static void over_tcp_the_discovery_has_the_port_and_the_coordinators_key(void **state)
{
    struct stage *stage = *state;
    struct discovery discovery;
    struct key_pair pair;
    char *key = rundir_key(&stage->dir, "coordinator");
    struct listener *listener = open_listener(stage, "tcp://127.0.0.1:*", &discovery);
    assert_int_equal(keys_read(key, &pair, NULL), 0);
    assert_string_equal(discovery.public_key, pair.public);
    assert_has(discovery.workers, "tcp://127.0.0.1:");
    assert_true(atoi(strrchr(discovery.workers, ':') + 1) > 0);
    assert_has(discovery.control, "tcp://127.0.0.1:");
    assert_string_not_equal(discovery.control, discovery.workers);
    keys_wipe(&pair);
    free(key);
    listener_close(listener);
}

/* Closes the listener as the end of a process does: the port is free afterwards. */
static void leave(struct stage *stage, struct listener *listener)
{
    struct err err;
    listener_close(listener);
    link_context_destroy(stage->links);
    stage->links = link_context_create(&err);
}

static void the_next_coordinator_takes_the_port_of_the_one_before(void **state)
{
    struct stage *stage = *state;
    struct discovery first, second;
    leave(stage, open_listener(stage, "tcp://127.0.0.1:*", &first));
    assert_int_equal(discovery_write(&stage->dir, &first, NULL), 0); /* as a killed one leaves it */
    leave(stage, open_listener(stage, "tcp://127.0.0.1:*", &second));
    assert_string_equal(second.workers, first.workers);
}

static void a_port_that_another_program_took_meanwhile_is_not_needed(void **state)
{
    struct stage *stage = *state;
    struct discovery first, second;
    struct key_pair keys;
    leave(stage, open_listener(stage, "tcp://127.0.0.1:*", &first));
    assert_int_equal(discovery_write(&stage->dir, &first, NULL), 0);
    assert_int_equal(keys_make(&keys, NULL), 0);
    const char *allowed[] = {keys.public};
    struct link *other = link_bind(stage->links, first.workers, &keys, allowed, 1, NULL);
    assert_non_null(other);
    struct listener *listener = open_listener(stage, "tcp://127.0.0.1:*", &second);
    assert_string_not_equal(second.workers, first.workers);
    link_close(other);
    listener_close(listener);
}

static void an_address_that_means_all_of_them_is_announced_by_name(void **state)
{
    struct stage *stage = *state;
    struct discovery discovery;
    struct listener *listener = open_listener(stage, "tcp://0.0.0.0:*", &discovery);
    assert_null(strstr(discovery.workers, "0.0.0.0"));
    assert_true(atoi(strrchr(discovery.workers, ':') + 1) > 0);
    listener_close(listener);
}

static uint32_t port_in(const char *endpoint)
{
    return (uint32_t)atoi(strrchr(endpoint, ':') + 1);
}

/* From 22000 on, where the system hands out no ports by itself. */
static void with_a_range_both_ports_are_in_it_and_stay_for_the_next_one(void **state)
{
    struct stage *stage = *state;
    struct discovery first, second;
    stage->network.ports = (struct spec_ports){22000, 22199};
    leave(stage, open_listener(stage, "tcp://127.0.0.1:*", &first));
    assert_in_range(port_in(first.workers), 22000, 22199);
    assert_in_range(port_in(first.control), 22000, 22199);
    stage->network.ports.first = port_in(first.workers) - 1;
    assert_int_equal(discovery_write(&stage->dir, &first, NULL), 0);
    leave(stage, open_listener(stage, "tcp://127.0.0.1:*", &second));
    assert_string_equal(second.workers, first.workers);
}

static void a_range_that_is_taken_is_refused_with_what_to_do(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    struct discovery discovery;
    struct listener *listener = open_listener(stage, "tcp://127.0.0.1:*", &discovery);
    uint32_t port = port_in(discovery.workers);
    stage->network.ports = (struct spec_ports){port, port};
    assert_null(listener_open(stage->links, &stage->dir, "tcp://127.0.0.1:*", &stage->network, &err));
    assert_has(err.text, "none of these is left at 127.0.0.1: all are taken");
    listener_close(listener);
}

static void a_port_that_is_taken_is_said_to_be(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    struct discovery discovery;
    struct listener *listener = open_listener(stage, "tcp://127.0.0.1:*", &discovery);
    assert_null(listener_open(stage->links, &stage->dir, discovery.workers, &stage->network, &err));
    assert_has(err.text, discovery.workers);
    assert_has(err.text, "is in use by another process");
    listener_close(listener);
}

static void all_addresses_become_those_of_the_interface(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    struct discovery discovery;
    char lo[] = "lo", none[] = "nosuch0";
    stage->network.interface = lo;
    struct listener *listener = open_listener(stage, "tcp://0.0.0.0:*", &discovery);
    assert_has(discovery.workers, "tcp://127.0.0.1:");
    assert_has(discovery.control, "tcp://127.0.0.1:");
    listener_close(listener);
    stage->network.interface = none;
    assert_null(listener_open(stage->links, &stage->dir, "tcp://0.0.0.0:*", &stage->network, &err));
    assert_has(err.text, "lo (127.0.0.1)");
}

static void closing_it_leaves_neither_discovery_nor_sockets(void **state)
{
    struct stage *stage = *state;
    struct discovery discovery;
    struct listener *listener = open_listener(stage, NULL, &discovery);
    char *socket = path_directory(discovery.workers + strlen("ipc://"));
    assert_true(path_exists(socket));
    listener_close(listener);
    assert_false(path_exists(socket));
    assert_false(path_exists(stage->dir.discovery));
    free(socket);
}

static void a_key_that_others_can_read_is_refused(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    char *key = rundir_key(&stage->dir, "worker");
    assert_int_equal(chmod(key, 0644), 0);
    assert_null(listener_open(stage->links, &stage->dir, "tcp://127.0.0.1:*", &stage->network, &err));
    assert_has(err.text, key);
    free(key);
}

static void an_address_that_is_none_is_refused(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    assert_null(listener_open(stage->links, &stage->dir, "tcp://nowhere", &stage->network, &err));
    assert_has(err.text, "tcp://nowhere");
    assert_null(listener_open(stage->links, &stage->dir, "elsewhere", &stage->network, &err));
    assert_has(err.text, "elsewhere");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(without_an_address_workers_come_through_a_local_socket),
        STAGED(over_tcp_the_discovery_has_the_port_and_the_coordinators_key),
        STAGED(the_next_coordinator_takes_the_port_of_the_one_before),
        STAGED(a_port_that_another_program_took_meanwhile_is_not_needed),
        STAGED(an_address_that_means_all_of_them_is_announced_by_name),
        STAGED(with_a_range_both_ports_are_in_it_and_stay_for_the_next_one),
        STAGED(a_range_that_is_taken_is_refused_with_what_to_do),
        STAGED(a_port_that_is_taken_is_said_to_be),
        STAGED(all_addresses_become_those_of_the_interface),
        STAGED(closing_it_leaves_neither_discovery_nor_sockets),
        STAGED(a_key_that_others_can_read_is_refused),
        STAGED(an_address_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
