/* One copy of a dataset for all processes of a node: made once, used by all, gone with the last. The node's disk is a
 * directory of the test's own; /dev/shm is the machine's. */
#include "common/path.h"
#include "common/stage.h"
#include "tests/claims.h"
#include "worker/data/dataset.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err said;

static int enter(void **state)
{
    if (enter_scratch(state))
        return -1;
    return setenv("TMPDIR", *state, 1);
}

static int leave(void **state)
{
    unsetenv("TMPDIR");
    return leave_scratch(state);
}

/* 200 rows of a table. */
static void write_table(const char *path)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs("a,b,c\n", out);
    for (int i = 0; i < 200; i++)
        fprintf(out, "%d,%g,%s\n", i, i * 0.37, i % 3 ? "yes" : "no");
    fclose(out);
}

static struct dataset_source table_of(void **state, enum dataset_stage stage)
{
    return (struct dataset_source){.base = *state,
                                   .file = "a.csv",
                                   .labels = "",
                                   .array = "",
                                   .label = "",
                                   .validation_data = "",
                                   .validation_labels = "",
                                   .validation = 0.25,
                                   .stratified = true,
                                   .scaling = DATASET_STANDARD,
                                   .stage = stage};
}

static struct dataset open_table(void **state, enum dataset_stage stage)
{
    struct dataset data;
    struct dataset_source source = table_of(state, stage);
    said.text[0] = '\0';
    if (dataset_open(&data, &source, &said))
        fail_msg("%s", said.text);
    return data;
}

static const char *directory_in(void **state)
{
    char name[40];
    snprintf(name, sizeof name, "gannet-data-%lu", (unsigned long)geteuid());
    return path_in(state, name);
}

/* Files in the directory of staged data; the name of the last one in `name`, if that is not NULL. */
static int count_files(void **state, char *name)
{
    struct dirent *entry;
    int count = 0;
    DIR *list = opendir(directory_in(state));
    while (list && (entry = readdir(list)))
        if (*entry->d_name != '.') {
            count++;
            if (name)
                snprintf(name, 64, "%.63s", entry->d_name);
        }
    if (list)
        closedir(list);
    return count;
}

static void assert_same_data(const struct dataset *a, const struct dataset *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->training, b->training);
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->classes, b->classes);
    assert_memory_equal(&a->shape, &b->shape, sizeof a->shape);
    assert_memory_equal(a->x, b->x, a->count * a->inputs * sizeof *a->x);
    assert_memory_equal(a->labels, b->labels, a->count * sizeof *a->labels);
}

static void staged_examples_are_those_that_were_read(void **state)
{
    write_table(path_in(state, "a.csv"));
    struct dataset own = open_table(state, DATASET_STAGE_NONE), shm = open_table(state, DATASET_STAGE_SHM),
                   local = open_table(state, DATASET_STAGE_LOCAL);
    assert_null(own.map);
    assert_non_null(shm.map);
    assert_non_null(local.map);
    assert_same_data(&own, &shm);
    assert_same_data(&own, &local);
    dataset_close(&own);
    dataset_close(&shm);
    dataset_close(&local);
}

static void all_have_one_copy_which_goes_with_the_last(void **state)
{
    write_table(path_in(state, "a.csv"));
    struct dataset first = open_table(state, DATASET_STAGE_LOCAL), second = open_table(state, DATASET_STAGE_LOCAL);
    assert_int_equal(count_files(state, NULL), 1);
    assert_true(first.map != second.map);
    dataset_close(&first);
    assert_int_equal(count_files(state, NULL), 1);
    assert_int_equal(second.labels[0], second.labels[0] & 1);
    dataset_close(&second);
    assert_false(path_exists(directory_in(state)));
}

static void small_data_is_staged_only_when_that_is_asked_for(void **state)
{
    write_table(path_in(state, "a.csv"));
    struct dataset data = open_table(state, DATASET_STAGE_AUTO);
    assert_null(data.map);
    dataset_close(&data);
}

static void data_that_has_changed_makes_a_new_copy(void **state)
{
    write_table(path_in(state, "a.csv"));
    struct dataset before = open_table(state, DATASET_STAGE_LOCAL);
    FILE *more = fopen(path_in(state, "a.csv"), "ae");
    assert_non_null(more);
    fputs("500,1,yes\n", more);
    fclose(more);
    struct dataset after = open_table(state, DATASET_STAGE_LOCAL);
    assert_int_equal(before.count, 200);
    assert_int_equal(after.count, 201);
    assert_int_equal(count_files(state, NULL), 2);
    dataset_close(&before);
    dataset_close(&after);
}

static void other_options_make_another_copy(void **state)
{
    write_table(path_in(state, "a.csv"));
    struct dataset standard = open_table(state, DATASET_STAGE_LOCAL), unit;
    struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
    source.scaling = DATASET_UNIT;
    assert_int_equal(dataset_open(&unit, &source, &said), 0);
    assert_int_equal(count_files(state, NULL), 2);
    assert_true(standard.x[1] != unit.x[1]);
    dataset_close(&standard);
    dataset_close(&unit);
}

static void a_damaged_copy_is_made_anew(void **state)
{
    char name[64], path[600];
    write_table(path_in(state, "a.csv"));
    struct dataset first = open_table(state, DATASET_STAGE_LOCAL), own = open_table(state, DATASET_STAGE_NONE);
    assert_int_equal(count_files(state, name), 1);
    snprintf(path, sizeof path, "%s/%s", directory_in(state), name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "x", 1, 5000), 1);
    close(fd);
    struct dataset second = open_table(state, DATASET_STAGE_LOCAL);
    assert_non_null(second.map);
    assert_same_data(&own, &second);
    dataset_close(&first);
    dataset_close(&second);
    dataset_close(&own);
    assert_int_equal(count_files(state, NULL), 0);
}

/* A child with the data, which waits to be killed. */
static pid_t open_in_child(void **state)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (!child) {
        struct dataset data;
        struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
        if (dataset_open(&data, &source, &said) == 0 && write(ready[1], "r", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void kill_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void what_a_killed_process_used_is_swept_and_what_another_uses_is_not(void **state)
{
    write_table(path_in(state, "a.csv"));
    pid_t child = open_in_child(state);
    stage_sweep();
    assert_int_equal(count_files(state, NULL), 1);
    kill_child(child);
    assert_int_equal(count_files(state, NULL), 1);
    stage_sweep();
    assert_false(path_exists(directory_in(state)));
}

static void a_copy_of_a_killed_process_is_used_by_the_next(void **state)
{
    struct stat before, after;
    char name[64], path[600];
    write_table(path_in(state, "a.csv"));
    kill_child(open_in_child(state));
    assert_int_equal(count_files(state, name), 1);
    snprintf(path, sizeof path, "%s/%s", directory_in(state), name);
    assert_int_equal(stat(path, &before), 0);
    struct dataset data = open_table(state, DATASET_STAGE_LOCAL);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    dataset_close(&data);
}

static void what_a_killed_maker_left_half_made_is_made_anew(void **state)
{
    char name[64], path[600], part[620];
    write_table(path_in(state, "a.csv"));
    kill_child(open_in_child(state));
    assert_int_equal(count_files(state, name), 1);
    snprintf(path, sizeof path, "%s/%s", directory_in(state), name);
    snprintf(part, sizeof part, "%s" STAGE_PART, path);
    assert_int_equal(rename(path, part), 0);
    assert_int_equal(truncate(part, 5555), 0);
    struct dataset data = open_table(state, DATASET_STAGE_LOCAL), own = open_table(state, DATASET_STAGE_NONE);
    assert_same_data(&own, &data);
    assert_false(path_exists(part));
    dataset_close(&data);
    dataset_close(&own);
}

static void while_one_makes_it_the_other_waits(void **state)
{
    char name[64], part[620];
    write_table(path_in(state, "a.csv"));
    kill_child(open_in_child(state));
    assert_int_equal(count_files(state, name), 1);
    stage_sweep();
    assert_int_equal(mkdir(directory_in(state), 0700), 0);
    snprintf(part, sizeof part, "%s/%s" STAGE_PART, directory_in(state), name);
    int maker = open(part, O_RDWR | O_CREAT | O_CLOEXEC, 0600), status;
    assert_int_equal(flock(maker, LOCK_EX), 0);
    pid_t child = fork();
    if (!child) {
        close(maker);
        struct dataset data = open_table(state, DATASET_STAGE_LOCAL);
        _exit(data.map == NULL);
    }
    /* It says so in /proc/locks: "1: -> FLOCK ADVISORY WRITE PID ..." */
    char wanted[64], lines[1 << 16];
    snprintf(wanted, sizeof wanted, "-> FLOCK  ADVISORY  READ %d ", (int)child);
    for (bool waits = false; !waits;) {
        FILE *locks = fopen("/proc/locks", "re");
        size_t length = fread(lines, 1, sizeof lines - 1, locks);
        lines[length] = '\0';
        fclose(locks);
        waits = strstr(lines, wanted) != NULL;
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    }
    close(maker); /* as one that dies */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void makers_wait_for_one_another(void **state)
{
    enum { MANY = 8 };
    pid_t children[MANY];
    write_table(path_in(state, "a.csv"));
    for (int i = 0; i < MANY; i++)
        if (!(children[i] = fork())) {
            struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
            for (int round = 0; round < 50; round++) {
                struct dataset data;
                if (dataset_open(&data, &source, &said) || !data.map || data.count != 200)
                    _exit(1);
                dataset_close(&data);
            }
            _exit(0);
        }
    for (int i = 0, status; i < MANY; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_false(path_exists(directory_in(state)));
}

/* Each opens the data, and keeps it until all have it. */
static void those_who_waited_use_it_side_by_side(void **state)
{
    enum { MANY = 6 };
    pid_t children[MANY];
    int have[2], go[2], status;
    char byte;
    write_table(path_in(state, "a.csv"));
    for (int round = 0; round < 10; round++) {
        assert_int_equal(pipe(have) | pipe(go), 0);
        for (int i = 0; i < MANY; i++)
            if (!(children[i] = fork())) {
                close(go[1]);
                struct dataset data = open_table(state, DATASET_STAGE_LOCAL);
                bool fine = write(have[1], "h", 1) == 1 && read(go[0], &byte, 1) == 0 && data.map;
                dataset_close(&data);
                _exit(!fine);
            }
        for (int i = 0; i < MANY; i++)
            assert_int_equal(read(have[0], &byte, 1), 1);
        assert_int_equal(count_files(state, NULL), 1);
        close(go[1]);
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_int_equal(status, 0);
        }
        assert_false(path_exists(directory_in(state)));
        close(go[0]);
        close(have[0]);
        close(have[1]);
    }
}

static void a_directory_that_is_not_this_users_alone_is_refused(void **state)
{
    struct dataset data;
    struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
    write_table(path_in(state, "a.csv"));
    assert_int_equal(mkdir(directory_in(state), 0700), 0);
    assert_int_equal(chmod(directory_in(state), 0770), 0);
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "is open to others (mode 0770)");
    assert_int_equal(rmdir(directory_in(state)), 0);
    assert_int_equal(symlink("/", directory_in(state)), 0);
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "is a symbolic link");
    assert_int_equal(unlink(directory_in(state)), 0);
    assert_int_equal(chmod(*state, 0777), 0);
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "anybody may rename what is in it");
    assert_int_equal(chmod(*state, 0700), 0);
}

static void a_directory_of_another_user_is_refused(void **state)
{
    struct dataset data;
    struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
    if (geteuid() != 0)
        skip_because("only root can make a directory of another user");
    write_table(path_in(state, "a.csv"));
    assert_int_equal(chmod(*state, 01777), 0);
    assert_int_equal(mkdir(directory_in(state), 0700), 0);
    assert_int_equal(chown(directory_in(state), 61002, 61002), 0);
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "belongs to user 61002");
    stage_sweep();
    assert_true(path_exists(directory_in(state)));
}

static void data_that_can_not_be_read_leaves_nothing(void **state)
{
    struct dataset data;
    struct dataset_source source = table_of(state, DATASET_STAGE_LOCAL);
    write_file(path_in(state, "a.csv"), "a,b,c\n1,2,yes\n1,x,no\n", 0600);
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "a.csv:3: column 'b' holds 'x'");
    assert_false(path_exists(directory_in(state)));
    source.file = "none.csv";
    assert_int_equal(dataset_open(&data, &source, &said), -1);
    assert_has(said.text, "none.csv");
    assert_false(path_exists(directory_in(state)));
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        CLAIM(staged_examples_are_those_that_were_read),
        CLAIM(all_have_one_copy_which_goes_with_the_last),
        CLAIM(small_data_is_staged_only_when_that_is_asked_for),
        CLAIM(data_that_has_changed_makes_a_new_copy),
        CLAIM(other_options_make_another_copy),
        CLAIM(a_damaged_copy_is_made_anew),
        CLAIM(what_a_killed_process_used_is_swept_and_what_another_uses_is_not),
        CLAIM(a_copy_of_a_killed_process_is_used_by_the_next),
        CLAIM(what_a_killed_maker_left_half_made_is_made_anew),
        CLAIM(while_one_makes_it_the_other_waits),
        CLAIM(makers_wait_for_one_another),
        CLAIM(those_who_waited_use_it_side_by_side),
        CLAIM(a_directory_that_is_not_this_users_alone_is_refused),
        CLAIM(a_directory_of_another_user_is_refused),
        CLAIM(data_that_can_not_be_read_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
