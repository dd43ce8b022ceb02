/* The lock and the discovery: who is refused, and how it is known whether a coordinator lives. */
#include "scheduler/rundir/rundir.h"
#include "tests/claims.h"

#include "common/node.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    void *scratch;
    struct rundir dir;
};

static int make_place(void **state)
{
    static struct place place;
    if (enter_scratch(&place.scratch))
        return -1;
    rundir_name(place.scratch, &place.dir);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    rundir_fini(&place->dir);
    return leave_scratch(&place->scratch);
}

static void the_lock_is_taken_once(void **state)
{
    struct place *place = *state;
    struct err err = {0};
    int fd, other;
    assert_false(rundir_is_locked(&place->dir));
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    assert_true(rundir_is_locked(&place->dir));
    assert_int_equal(rundir_lock(&place->dir, &other, &err), -1);
    assert_has(err.text, "already runs");
    close(fd);
    assert_false(rundir_is_locked(&place->dir));
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    close(fd);
}

static void whoever_is_refused_is_told_the_process_and_the_node(void **state)
{
    struct place *place = *state;
    struct err err = {0};
    char owner[64], node[NODE_SIZE];
    int fd, other;
    node_name(node);
    snprintf(owner, sizeof owner, "process %ld", (long)getpid());
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    assert_int_equal(rundir_lock(&place->dir, &other, &err), -1);
    assert_has(err.text, owner);
    assert_has(err.text, node);
    close(fd);
}

static void the_lock_goes_with_a_killed_process(void **state)
{
    struct place *place = *state;
    int ready[2], fd;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        bool locked = rundir_lock(&place->dir, &fd, NULL) == 0 && write(ready[1], "x", 1) == 1;
        pause();
        _exit(!locked);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(rundir_is_locked(&place->dir));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(rundir_is_locked(&place->dir));
    close(ready[0]);
    close(ready[1]);
}

static void a_link_in_the_place_of_the_lock_is_not_followed(void **state)
{
    struct place *place = *state;
    struct err err = {0};
    int fd;
    assert_int_equal(symlink("elsewhere", place->dir.lock), 0);
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), -1);
    assert_has(err.text, place->dir.lock);
}

static struct discovery ours(void)
{
    struct discovery discovery = {.pid = (int)getpid(),
                                  .session = 3,
                                  .workers = "tcp://192.0.2.1:5000",
                                  .control = "ipc:///tmp/x/control",
                                  .public_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
                                  .exclusive = true};
    node_name(discovery.node);
    node_host(discovery.host);
    return discovery;
}

static void the_discovery_reads_back_as_it_was_written(void **state)
{
    struct place *place = *state;
    struct discovery written = ours(), read;
    struct err err = {0};
    struct stat status;
    int fd;
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    assert_int_equal(discovery_write(&place->dir, &written, &err), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), 0);
    assert_memory_equal(&written, &read, sizeof read);
    assert_true(discovery_is_here(&read));
    assert_int_equal(stat(place->dir.discovery, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    close(fd);
}

static void the_discovery_of_a_dead_coordinator_is_none(void **state)
{
    struct place *place = *state;
    struct discovery written = ours(), read;
    struct err err = {0};
    assert_int_equal(discovery_write(&place->dir, &written, &err), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1); /* nobody has the lock */
    assert_has(err.text, "no coordinator runs");
    discovery_remove(&place->dir);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "no coordinator runs");
}

static void a_coordinator_of_another_node_is_believed_when_the_lock_file_names_it(void **state)
{
    struct place *place = *state;
    struct discovery written = ours(), read;
    struct err err = {0};
    snprintf(written.node, sizeof written.node, "another.example");
    snprintf(written.host, sizeof written.host, "another.example");
    written.pid = 47;
    assert_int_equal(discovery_write(&place->dir, &written, &err), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1); /* there is no lock file */
    assert_has(err.text, "nobody has its lock");
    write_file(place->dir.lock, "process 47 on node another.example\n", 0600);
    assert_int_equal(discovery_read(&place->dir, &read, &err), 0);
    assert_false(discovery_is_here(&read));
    write_file(place->dir.lock, "process 48 on node another.example\n", 0600);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "names process 47 on node another.example, the lock is that of process 48");
}

static void a_discovery_that_names_another_process_than_the_lock_leads_nowhere(void **state)
{
    struct place *place = *state;
    struct discovery written = ours(), read;
    struct err err = {0};
    int fd;
    written.pid = (int)getppid(); /* it lives, and is not who has the lock */
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    assert_int_equal(discovery_write(&place->dir, &written, &err), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "no coordinator can be found");
    close(fd);
}

static void what_others_can_have_written_is_not_read(void **state)
{
    struct place *place = *state;
    struct discovery written = ours(), read;
    struct err err = {0};
    int fd;
    assert_int_equal(rundir_lock(&place->dir, &fd, &err), 0);
    assert_int_equal(discovery_write(&place->dir, &written, &err), 0);
    assert_int_equal(chmod(place->dir.discovery, 0620), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "others may write to");
    assert_int_equal(chmod(place->dir.discovery, 0600), 0);
    assert_int_equal(chmod(place->dir.path, 0770), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "chmod go-w");
    assert_int_equal(chmod(place->dir.path, 0700), 0);
    assert_int_equal(rename(place->dir.discovery, path_in(&place->scratch, "elsewhere")), 0);
    assert_int_equal(symlink("elsewhere", place->dir.discovery), 0);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "symbolic link");
    close(fd);
}

static void a_damaged_discovery_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "{", "[]", "null", "{\"node\": 1}", "{\"node\": \"a\", \"pid\": 0}", "{\"node\": \"a\", \"pid\": 1e99}"};
    struct place *place = *state;
    struct discovery read;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {0};
        write_file(place->dir.discovery, texts[i], 0600);
        assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
        assert_has(err.text, "damaged");
    }
}

static void members_that_are_too_long_are_refused(void **state)
{
    struct place *place = *state;
    struct discovery read;
    struct err err = {0};
    struct buf text = {0};
    buf_text(
        &text,
        "{\"pid\": 1, \"session\": 1, \"workers\": \"w\", \"control\": \"c\", \"public_key\": \"k\", \"node\": \"");
    for (int i = 0; i < 300; i++)
        buf_text(&text, "n");
    buf_text(&text, "\"}");
    write_file(place->dir.discovery, buf_str(&text), 0600);
    assert_int_equal(discovery_read(&place->dir, &read, &err), -1);
    assert_has(err.text, "damaged");
    buf_fini(&text);
}

int main(void)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        IN_PLACE(the_lock_is_taken_once),
        IN_PLACE(whoever_is_refused_is_told_the_process_and_the_node),
        IN_PLACE(the_lock_goes_with_a_killed_process),
        IN_PLACE(a_link_in_the_place_of_the_lock_is_not_followed),
        IN_PLACE(the_discovery_reads_back_as_it_was_written),
        IN_PLACE(the_discovery_of_a_dead_coordinator_is_none),
        IN_PLACE(a_coordinator_of_another_node_is_believed_when_the_lock_file_names_it),
        IN_PLACE(a_discovery_that_names_another_process_than_the_lock_leads_nowhere),
        IN_PLACE(what_others_can_have_written_is_not_read),
        IN_PLACE(a_damaged_discovery_is_refused),
        IN_PLACE(members_that_are_too_long_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
