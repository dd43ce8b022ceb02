/* The directory of the local sockets: nobody can guess it, and what dead coordinators left is removed. */
#include "common/sockets.h"
#include "tests/claims.h"

#include "common/mem.h"
#include "common/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int enter_base(void **state)
{
    if (enter_scratch(state))
        return -1;
    unsetenv("XDG_RUNTIME_DIR");
    return setenv("TMPDIR", *state, 1);
}

static int leave_base(void **state)
{
    return leave_scratch(state) || unsetenv("TMPDIR");
}

static void make(struct sockets *sockets)
{
    struct err err = {0};
    if (sockets_make(sockets, &err))
        fail_msg("%s", err.text);
}

/* What a killed coordinator leaves: its directory, its sockets and nobody who holds its lock. */
static char *leave_behind(struct sockets *sockets)
{
    char *path = path_join(sockets->path, "workers");
    write_file(path, "", 0600);
    free(path);
    close(sockets->fd);
    return sockets->path;
}

static void it_is_private_short_and_another_one_each_time(void **state)
{
    struct sockets first, second;
    struct stat status;
    make(&first);
    make(&second);
    assert_string_not_equal(first.path, second.path);
    assert_has(first.path, *state);
    assert_true(strlen(path_base(first.path)) < 40);
    assert_int_equal(stat(first.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    char *path = mem_text(first.path);
    sockets_remove(&first);
    assert_false(path_exists(path));
    assert_true(path_exists(second.path));
    sockets_remove(&second);
    free(path);
}

static void those_of_dead_coordinators_are_removed_and_those_of_living_ones_stay(void **state)
{
    (void)state;
    struct sockets dead, living, next;
    make(&dead);
    make(&living);
    char *left = leave_behind(&dead);
    make(&next);
    assert_false(path_exists(left));
    assert_true(path_exists(living.path));
    sockets_remove(&living);
    sockets_remove(&next);
    free(left);
}

static void what_is_not_a_directory_of_sockets_stays(void **state)
{
    struct sockets sockets;
    char name[64], prefix[32];
    snprintf(prefix, sizeof prefix, "gannet-%lu-", (unsigned long)geteuid());
    snprintf(name, sizeof name, "%sdata00", prefix);
    const char *data = path_in(state, name);
    assert_int_equal(mkdir(data, 0700), 0);
    char *precious = path_join(data, "precious");
    write_file(precious, "", 0600);
    snprintf(name, sizeof name, "%slink00", prefix);
    assert_int_equal(symlink("..", path_in(state, name)), 0);
    snprintf(name, sizeof name, "%sfile00", prefix);
    write_file(path_in(state, name), "", 0600);
    make(&sockets);
    assert_true(path_exists(precious));
    snprintf(name, sizeof name, "%slink00", prefix);
    assert_true(path_exists(path_in(state, name)));
    snprintf(name, sizeof name, "%sfile00", prefix);
    assert_true(path_exists(path_in(state, name)));
    sockets_remove(&sockets);
    free(precious);
}

static void a_place_where_others_may_rename_things_is_not_taken(void **state)
{
    struct sockets sockets;
    assert_int_equal(chmod(*state, 0777), 0);
    make(&sockets);
    assert_int_equal(strncmp(sockets.path, "/tmp/gannet-", 12), 0);
    sockets_remove(&sockets);
    assert_int_equal(chmod(*state, 01777), 0); /* as /tmp is */
    make(&sockets);
    assert_has(sockets.path, *state);
    sockets_remove(&sockets);
    assert_int_equal(chmod(*state, 0700), 0);
}

/* Makes and removes directories, and ends with 0 when each was there as long as it was its own. */
static _Noreturn void make_many(void)
{
    enum { TIMES = 200 };
    struct sockets sockets;
    int lost = 0;
    for (int i = 0; i < TIMES; i++) {
        if (sockets_make(&sockets, NULL))
            _exit(2);
        lost += !path_exists(sockets.path);
        sockets_remove(&sockets);
    }
    _exit(lost != 0);
}

static void coordinators_that_start_at_once_do_not_take_each_others(void **state)
{
    (void)state;
    enum { PROCESSES = 6 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0)
            make_many();
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
#define IN_BASE(test) cmocka_unit_test_setup_teardown(test, enter_base, leave_base)
    const struct CMUnitTest tests[] = {
        IN_BASE(it_is_private_short_and_another_one_each_time),
        IN_BASE(those_of_dead_coordinators_are_removed_and_those_of_living_ones_stay),
        IN_BASE(what_is_not_a_directory_of_sockets_stays),
        IN_BASE(coordinators_that_start_at_once_do_not_take_each_others),
        IN_BASE(a_place_where_others_may_rename_things_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
