/* The door: where workers and the command line are told to come. */
#include "scheduler/door.h"
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

static struct door *open_door(struct stage *stage, const char *listen, struct rendezvous *rendezvous)
{
    struct err err = {0};
    struct door *door = door_open(stage->links, &stage->dir, listen, &err);
    if (!door || door_announce(door, 3, false, &err) || rendezvous_read(&stage->dir, rendezvous, &err))
        fail_msg("%s", err.text);
    return door;
}

static void without_an_address_workers_come_through_a_local_socket(void **state)
{
    struct stage *stage = *state;
    struct rendezvous rendezvous;
    struct door *door = open_door(stage, NULL, &rendezvous);
    assert_has(rendezvous.workers, "ipc://");
    assert_string_equal(rendezvous.workers, link_endpoint(door_workers(door)));
    assert_string_equal(rendezvous.control, door_control(door));
    assert_string_equal(rendezvous.public_key, "");
    assert_int_equal(rendezvous.session, 3);
    assert_int_equal(rendezvous.pid, getpid());
    door_close(door);
}

static void over_tcp_the_rendezvous_has_the_port_and_the_coordinators_key(void **state)
{
    struct stage *stage = *state;
    struct rendezvous rendezvous;
    struct key_pair pair;
    char *key = rundir_key(&stage->dir, "coordinator");
    struct door *door = open_door(stage, "tcp://127.0.0.1:*", &rendezvous);
    assert_int_equal(keys_read(key, &pair, NULL), 0);
    assert_string_equal(rendezvous.public_key, pair.public);
    assert_has(rendezvous.workers, "tcp://127.0.0.1:");
    assert_true(atoi(strrchr(rendezvous.workers, ':') + 1) > 0);
    assert_has(rendezvous.control, "ipc://");
    keys_wipe(&pair);
    free(key);
    door_close(door);
}

/* Closes the door as the end of a process does: the port is free afterwards. */
static void leave(struct stage *stage, struct door *door)
{
    struct err err;
    door_close(door);
    link_context_destroy(stage->links);
    stage->links = link_context_create(&err);
}

static void the_next_coordinator_takes_the_port_of_the_one_before(void **state)
{
    struct stage *stage = *state;
    struct rendezvous first, second;
    leave(stage, open_door(stage, "tcp://127.0.0.1:*", &first));
    assert_int_equal(rendezvous_write(&stage->dir, &first, NULL), 0); /* as a killed one leaves it */
    leave(stage, open_door(stage, "tcp://127.0.0.1:*", &second));
    assert_string_equal(second.workers, first.workers);
}

static void a_port_that_another_program_took_meanwhile_is_not_needed(void **state)
{
    struct stage *stage = *state;
    struct rendezvous first, second;
    struct key_pair keys;
    leave(stage, open_door(stage, "tcp://127.0.0.1:*", &first));
    assert_int_equal(rendezvous_write(&stage->dir, &first, NULL), 0);
    assert_int_equal(keys_make(&keys, NULL), 0);
    const char *allowed[] = {keys.public};
    struct link *other = link_bind(stage->links, first.workers, &keys, allowed, 1, NULL);
    assert_non_null(other);
    struct door *door = open_door(stage, "tcp://127.0.0.1:*", &second);
    assert_string_not_equal(second.workers, first.workers);
    link_close(other);
    door_close(door);
}

static void an_address_that_means_all_of_them_is_announced_by_name(void **state)
{
    struct stage *stage = *state;
    struct rendezvous rendezvous;
    struct door *door = open_door(stage, "tcp://0.0.0.0:*", &rendezvous);
    assert_null(strstr(rendezvous.workers, "0.0.0.0"));
    assert_true(atoi(strrchr(rendezvous.workers, ':') + 1) > 0);
    door_close(door);
}

static void closing_it_leaves_neither_rendezvous_nor_sockets(void **state)
{
    struct stage *stage = *state;
    struct rendezvous rendezvous;
    struct door *door = open_door(stage, NULL, &rendezvous);
    char *socket = path_directory(rendezvous.workers + strlen("ipc://"));
    assert_true(path_exists(socket));
    door_close(door);
    assert_false(path_exists(socket));
    assert_false(path_exists(stage->dir.rendezvous));
    free(socket);
}

static void a_key_that_others_can_read_is_refused(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    char *key = rundir_key(&stage->dir, "worker");
    assert_int_equal(chmod(key, 0644), 0);
    assert_null(door_open(stage->links, &stage->dir, "tcp://127.0.0.1:*", &err));
    assert_has(err.text, key);
    free(key);
}

static void an_address_that_is_none_is_refused(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    assert_null(door_open(stage->links, &stage->dir, "tcp://nowhere", &err));
    assert_has(err.text, "tcp://nowhere");
    assert_null(door_open(stage->links, &stage->dir, "elsewhere", &err));
    assert_has(err.text, "elsewhere");
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(without_an_address_workers_come_through_a_local_socket),
        STAGED(over_tcp_the_rendezvous_has_the_port_and_the_coordinators_key),
        STAGED(the_next_coordinator_takes_the_port_of_the_one_before),
        STAGED(a_port_that_another_program_took_meanwhile_is_not_needed),
        STAGED(an_address_that_means_all_of_them_is_announced_by_name),
        STAGED(closing_it_leaves_neither_rendezvous_nor_sockets),
        STAGED(a_key_that_others_can_read_is_refused),
        STAGED(an_address_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
