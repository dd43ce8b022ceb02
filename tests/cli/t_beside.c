/* Files and directories that are written beside their place: what a killed process left is removed, and nothing else.
 */
#include "cli/data/beside.h"
#include "cli/data/whole_file.h"
#include "cli/export/whole_directory.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many entries a directory has whose names begin so. */
static size_t count(const char *directory, const char *begin)
{
    size_t found = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        found += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    closedir(entries);
    return found;
}

static void write_part_of_a_file(const char *place)
{
    struct whole_file file;
    struct err err;
    if (whole_file_open(&file, place, &err))
        _exit(1);
    fputs("a part", file.stream);
    fflush(file.stream);
}

static void write_part_of_a_directory(const char *place)
{
    struct whole_directory whole = {.place = place};
    struct buf text = {0};
    struct err err;
    buf_text(&text, "a part");
    if (whole_directory_write(&whole, "below/it", &text, &err))
        _exit(1);
}

static void make_within(const char *place)
{
    char *name = beside_name_within(place);
    if (!mkdtemp(name))
        _exit(1);
    free(name);
}

/* Does it in a process that is killed when it has. */
static void be_killed(void (*work)(const char *), const char *place)
{
    int status, done[2];
    char byte = 0;
    assert_int_equal(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        work(place);
        if (write(done[1], &byte, 1) != 1)
            _exit(1);
        while (true)
            pause();
    }
    close(done[1]);
    assert_int_equal(read(done[0], &byte, 1), 1);
    close(done[0]);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void what_a_killed_process_left_is_removed_by_the_next_one(void **state)
{
    char *place = mem_text(path_in(state, "table.csv")), *directory = path_directory(place);
    struct whole_file file;
    struct err err;
    for (int i = 0; i < 3; i++)
        be_killed(i < 2 ? write_part_of_a_file : write_part_of_a_directory, place);
    assert_int_equal(count(directory, "table.csv.gannet-"), 2); /* the second has removed the first's */
    assert_int_equal(whole_file_open(&file, place, &err), 0);
    assert_int_equal(count(directory, "table.csv.gannet-"), 1); /* its own */
    assert_int_equal(whole_file_finish(&file, &err), 0);
    whole_file_close(&file);
    assert_int_equal(count(directory, "table.csv"), 1);
    free(directory);
    free(place);
}

static void what_lives_or_is_a_persons_stays(void **state)
{
    static const char *const theirs[] = {"table.csv", "table.csv.backup", "table.csv.aB3xY9", "table.csv.gannet-notes",
                                         "table.csv.gannet-0-0-0-AbCdEf"};
    char *place = mem_text(path_in(state, "table.csv")), *directory = path_directory(place);
    struct err err;
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        assert_int_equal(path_write(path_in(state, theirs[i]), "mine", 4, 0600, &err), 0);
    char *own = beside_name(place), *other = mem_format("%s/other.csv", directory);
    int fd = mkostemp(own, O_CLOEXEC);
    assert_true(fd >= 0);
    close(fd);
    be_killed(write_part_of_a_file, other);
    beside_sweep(place);
    assert_true(path_exists(own)); /* this process lives */
    assert_int_equal(count(directory, "other.csv.gannet-"), 1);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        assert_true(path_exists(path_in(state, theirs[i])));
    free(own);
    free(other);
    free(directory);
    free(place);
}

static void what_was_left_within_a_directory_is_removed_too(void **state)
{
    char *place = mem_text(path_in(state, "runs/"));
    struct err err;
    assert_int_equal(path_make_directory(place, 0700, &err), 0);
    be_killed(make_within, place);
    assert_int_equal(count(place, ".part.gannet-"), 1);
    beside_sweep(place);
    assert_int_equal(count(place, ".part.gannet-"), 0);
    free(place);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_a_killed_process_left_is_removed_by_the_next_one),
        IN_SCRATCH(what_lives_or_is_a_persons_stays),
        IN_SCRATCH(what_was_left_within_a_directory_is_removed_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
