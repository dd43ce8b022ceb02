/* Making a run directory, reading it, and going on in it. */
#include "scheduler/rundir/rundir.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static unsigned mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 0777;
}

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static void everything_in_it_is_closed_to_others(void **state)
{
    struct rundir dir;
    experiment_make(state, experiment_text, &dir);
    assert_int_equal(mode_of(dir.path), 0700);
    assert_int_equal(mode_of(dir.keys), 0700);
    assert_int_equal(mode_of(dir.logs), 0700);
    assert_int_equal(mode_of(dir.trials), 0700);
    assert_int_equal(mode_of(dir.experiment), 0600);
    assert_int_equal(mode_of(dir.original), 0600);
    assert_int_equal(mode_of(dir.store), 0600);
    char *key = rundir_key(&dir, "worker");
    assert_int_equal(mode_of(key), 0600);
    free(key);
    rundir_fini(&dir);
}

static void workers_coordinator_and_operator_have_keys_of_their_own(void **state)
{
    struct rundir dir;
    struct key_pair pairs[3];
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    char *files[] = {rundir_key(&dir, "worker"), rundir_key(&dir, "coordinator"), rundir_key(&dir, "operator")};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(keys_read(files[i], &pairs[i], &err), 0);
        free(files[i]);
    }
    assert_string_not_equal(pairs[0].secret, pairs[1].secret);
    assert_string_not_equal(pairs[0].secret, pairs[2].secret);
    assert_string_not_equal(pairs[1].secret, pairs[2].secret);
    rundir_fini(&dir);
}

static void the_original_is_kept_to_the_letter(void **state)
{
    struct rundir dir;
    struct buf text = {0};
    experiment_make(state, experiment_text, &dir);
    assert_int_equal(path_read(dir.original, &text, 1 << 20, NULL), 0);
    assert_string_equal(buf_str(&text), experiment_text);
    buf_fini(&text);
    rundir_fini(&dir);
}

static void the_frozen_experiment_is_the_one_that_was_given(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    struct spec *given = experiment_spec(state, experiment_text), *frozen = rundir_spec(&dir, &err);
    struct buf a = {0}, b = {0};
    assert_non_null(frozen);
    spec_write(given, &a);
    spec_write(frozen, &b);
    assert_string_equal(buf_str(&a), buf_str(&b));
    assert_string_equal(frozen->base, given->base);
    buf_fini(&a);
    buf_fini(&b);
    spec_destroy(given);
    spec_destroy(frozen);
    rundir_fini(&dir);
}

static void a_seed_is_chosen_once_when_none_is_given(void **state)
{
    struct rundir dir;
    char text[1024];
    snprintf(text, sizeof text, "%s", experiment_text);
    char *seed = strstr(text, "seed: 7\n");
    memmove(seed, seed + 8, strlen(seed + 8) + 1);
    experiment_make(state, text, &dir);
    struct spec *first = rundir_spec(&dir, NULL), *again = rundir_spec(&dir, NULL);
    assert_true(first->has_seed);
    assert_int_equal(first->seed, again->seed);
    spec_destroy(first);
    spec_destroy(again);
    rundir_fini(&dir);
}

static int make_again(void **state, const struct rundir *dir, struct err *err)
{
    struct spec *spec = experiment_spec(state, experiment_text);
    int result = rundir_make(dir, spec, err);
    spec_destroy(spec);
    return result;
}

static void an_experiment_that_is_there_is_not_touched_and_resume_is_offered(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    assert_int_equal(make_again(state, &dir, &err), -1);
    assert_has(err.text, "holds an experiment already, with 0 ended trials");
    assert_has(err.text, "--resume");
    struct spec *spec = rundir_spec(&dir, NULL);
    assert_non_null(spec);
    spec_destroy(spec);
    rundir_fini(&dir);
}

static void so_is_one_whose_store_is_of_an_older_schema_with_its_count(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    free(stores_sql(dir.store, "UPDATE progress SET completed = 3, failed = 1; ALTER TABLE progress DROP COLUMN cut;"
                               "PRAGMA user_version = 3"));
    assert_int_equal(make_again(state, &dir, &err), -1);
    assert_has(err.text, "holds an experiment already, with 4 ended trials");
    rundir_fini(&dir);
}

static void a_directory_with_other_things_is_refused(void **state)
{
    struct rundir dir;
    struct err err = {0};
    rundir_name(path_in(state, "run"), &dir);
    assert_int_equal(path_make_directory(dir.path, 0755, NULL), 0);
    write_file(path_in(state, "run/thesis.tex"), "precious", 0600);
    assert_int_equal(make_again(state, &dir, &err), -1);
    assert_has(err.text, "holds no experiment");
    assert_int_equal(count_entries(dir.path), 1);
    rundir_fini(&dir);
}

static void an_empty_directory_is_as_good_as_none(void **state)
{
    struct rundir dir;
    struct err err = {0};
    rundir_name(path_in(state, "run/"), &dir);
    assert_int_equal(path_make_directory(dir.path, 0755, NULL), 0);
    assert_int_equal(make_again(state, &dir, &err), 0);
    assert_int_equal(mode_of(dir.path), 0700);
    rundir_fini(&dir);
}

static void a_failure_leaves_nothing_behind(void **state)
{
    struct rundir dir;
    struct err err = {0};
    struct rlimit before, small;
    struct spec *spec = experiment_spec(state, experiment_text);
    size_t entries = count_entries(*state);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 2048; /* enough for the experiment's files, too little for its store */
    signal(SIGXFSZ, SIG_IGN);
    rundir_name(path_in(state, "run"), &dir);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int result = rundir_make(&dir, spec, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, -1);
    assert_true(*err.text);
    assert_int_equal(count_entries(*state), entries);
    spec_destroy(spec);
    rundir_fini(&dir);
}

/* Of a signal that waits already rundir_make hears as of one that comes while it is at work. */
static int make_with_waiting(void **state, int signal_number, void (*action)(int), const struct rundir *dir)
{
    struct err err = {0};
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, signal_number);
    void (*action_before)(int) = signal(signal_number, action);
    assert_int_equal(sigprocmask(SIG_BLOCK, &held, &before), 0);
    raise(signal_number);
    int result = make_again(state, dir, &err);
    sigtimedwait(&held, NULL, &(struct timespec){0}); /* it does not wait any more */
    signal(signal_number, action_before);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
    return result;
}

static void who_interrupts_it_leaves_nothing(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct rundir dir;
    spec_destroy(experiment_spec(state, experiment_text)); /* its file is there from now on */
    size_t entries = count_entries(*state);
    rundir_name(path_in(state, "run"), &dir);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        assert_int_equal(make_with_waiting(state, signals[i], SIG_DFL, &dir), -1);
        assert_int_equal(count_entries(*state), entries);
    }
    assert_int_equal(make_with_waiting(state, SIGHUP, SIG_IGN, &dir), 0); /* as nohup has it */
    rundir_fini(&dir);
}

/* Processes in two containers may have one number, and one directory. */
static void what_lies_beside_it_under_a_similar_name_is_left_alone(void **state)
{
    struct rundir dir;
    struct err err = {0};
    char *beside = mem_format("%s.new-%ld", path_in(state, "run"), (long)getpid());
    char *file = path_join(beside, "experiment.yaml");
    assert_int_equal(path_make_directory(beside, 0700, NULL), 0);
    write_file(file, "another's", 0600);
    rundir_name(path_in(state, "run"), &dir);
    assert_int_equal(make_again(state, &dir, &err), 0);
    struct buf text = {0};
    assert_int_equal(path_read(file, &text, 100, &err), 0);
    assert_string_equal(buf_str(&text), "another's");
    buf_fini(&text);
    rundir_fini(&dir);
    free(beside);
    free(file);
}

static void parts_that_were_removed_are_made_again_and_keys_that_are_there_stay(void **state)
{
    struct rundir dir;
    struct err err = {0};
    struct key_pair before = {0}, after = {0};
    experiment_make(state, experiment_text, &dir);
    char *key = rundir_key(&dir, "worker");
    assert_int_equal(rundir_read_key(&dir, "coordinator", &before, &err), 0);
    path_remove_tree(dir.logs, NULL);
    path_remove_tree(dir.trials, NULL);
    assert_int_equal(unlink(key), 0);
    assert_int_equal(rundir_complete(&dir, &err), 0);
    assert_int_equal(mode_of(dir.logs), 0700);
    assert_int_equal(mode_of(dir.trials), 0700);
    assert_int_equal(mode_of(key), 0600);
    assert_int_equal(rundir_read_key(&dir, "coordinator", &after, &err), 0);
    assert_string_equal(before.public, after.public);
    path_remove_tree(dir.keys, NULL);
    assert_int_equal(rundir_complete(&dir, &err), 0);
    assert_int_equal(mode_of(dir.keys), 0700);
    assert_int_equal(mode_of(key), 0600);
    free(key);
    rundir_fini(&dir);
}

static void what_is_no_run_directory_is_called_so(void **state)
{
    struct rundir dir;
    struct err err = {0};
    rundir_name(*state, &dir);
    assert_null(rundir_spec(&dir, &err));
    assert_has(err.text, "is no run directory");
    write_file(dir.experiment, "version: 1\nnonsense: 3\n", 0600);
    assert_null(rundir_spec(&dir, &err));
    assert_has(err.text, "is broken");
    rundir_fini(&dir);
}

/* --- going on --- */

/* Resumes with one override (or NULL) and a fresh text (or NULL); the spec, or NULL and err. */
static struct spec *resume(void **state, const struct rundir *dir, const char *text, const char *override,
                           struct err *err)
{
    struct problems problems = {0};
    struct spec *fresh = text ? experiment_spec(state, text) : NULL;
    struct spec *spec = rundir_resume(dir, fresh, &override, override ? 1 : 0, NULL, &problems, NULL, err);
    if (spec)
        assert_int_equal(rundir_freeze(dir, spec, err), 0);
    if (problems.errors)
        err_write(err, "%s", problems.items[0].message);
    problems_fini(&problems);
    spec_destroy(fresh);
    return spec;
}

static uint64_t frozen_max_trials(const struct rundir *dir)
{
    struct spec *spec = rundir_spec(dir, NULL);
    assert_non_null(spec);
    uint64_t max_trials = spec->limits.max_trials;
    spec_destroy(spec);
    return max_trials;
}

/* The experiment with its limit changed. */
static const char *with_40_trials(void)
{
    static char text[1024];
    snprintf(text, sizeof text, "%s", experiment_text);
    char *limit = strstr(text, "max_trials: 20");
    memcpy(limit, "max_trials: 40", strlen("max_trials: 40"));
    return text;
}

static void a_directory_that_others_may_write_to_is_refused(void **state)
{
    struct rundir dir;
    struct err err = {0};
    int lock;
    experiment_make(state, experiment_text, &dir);
    assert_int_equal(chmod(dir.path, 0770), 0);
    assert_null(resume(state, &dir, NULL, "limits.max_trials=50", &err));
    assert_has(err.text, "chmod go-w");
    assert_int_equal(rundir_lock(&dir, &lock, &err), -1);
    assert_has(err.text, "others may write to the directory");
    assert_int_equal(chmod(dir.path, 0750), 0); /* reading it is the owner's decision */
    assert_int_equal(rundir_lock(&dir, &lock, &err), 0);
    close(lock);
    rundir_fini(&dir);
}

static void limits_may_be_raised_and_are_frozen_anew(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    struct spec *spec = resume(state, &dir, NULL, "limits.max_trials=50", &err);
    if (!spec)
        fail_msg("%s", err.text);
    assert_int_equal(spec->limits.max_trials, 50);
    assert_int_equal(frozen_max_trials(&dir), 50);
    spec_destroy(spec);
    rundir_fini(&dir);
}

static void the_limits_of_a_changed_file_are_taken_over(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    spec_destroy(resume(state, &dir, with_40_trials(), NULL, &err));
    assert_int_equal(frozen_max_trials(&dir), 40);
    spec_destroy(resume(state, &dir, with_40_trials(), "limits.max_trials=60", &err));
    assert_int_equal(frozen_max_trials(&dir), 60); /* what was typed counts more */
    rundir_fini(&dir);
}

static void nothing_else_may_change(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    assert_null(resume(state, &dir, NULL, "parameters.x1.max=11.0", &err));
    assert_has(err.text, "parameters.x1");
    assert_has(err.text, "another search");
    assert_null(resume(state, &dir, NULL, "seed=8", &err));
    assert_has(err.text, "seed (7 became 8)");
    char text[1024];
    snprintf(text, sizeof text, "%s", experiment_text);
    memcpy(strstr(text, "minimize"), "maximize", 8);
    assert_null(resume(state, &dir, text, NULL, &err));
    assert_has(err.text, "metric.goal (minimize became maximize)");
    assert_int_equal(frozen_max_trials(&dir), 20);
    rundir_fini(&dir);
}

static void an_override_that_is_wrong_is_a_problem_of_the_override(void **state)
{
    struct rundir dir;
    struct err err = {0};
    experiment_make(state, experiment_text, &dir);
    assert_null(resume(state, &dir, NULL, "limits.max_trails=50", &err));
    assert_has(err.text, "max_trails");
    rundir_fini(&dir);
}

static void a_running_experiment_is_not_resumed(void **state)
{
    struct rundir dir;
    struct err err = {0};
    int fd;
    experiment_make(state, experiment_text, &dir);
    assert_int_equal(rundir_lock(&dir, &fd, &err), 0);
    assert_null(resume(state, &dir, NULL, "limits.max_trials=50", &err));
    assert_has(err.text, "already runs");
    assert_int_equal(frozen_max_trials(&dir), 20);
    close(fd);
    rundir_fini(&dir);
}

int main(void)
{
#define PLACED(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        PLACED(everything_in_it_is_closed_to_others),
        PLACED(workers_coordinator_and_operator_have_keys_of_their_own),
        PLACED(the_original_is_kept_to_the_letter),
        PLACED(the_frozen_experiment_is_the_one_that_was_given),
        PLACED(a_seed_is_chosen_once_when_none_is_given),
        PLACED(an_experiment_that_is_there_is_not_touched_and_resume_is_offered),
        PLACED(so_is_one_whose_store_is_of_an_older_schema_with_its_count),
        PLACED(a_directory_with_other_things_is_refused),
        PLACED(an_empty_directory_is_as_good_as_none),
        PLACED(a_failure_leaves_nothing_behind),
        PLACED(who_interrupts_it_leaves_nothing),
        PLACED(what_lies_beside_it_under_a_similar_name_is_left_alone),
        PLACED(parts_that_were_removed_are_made_again_and_keys_that_are_there_stay),
        PLACED(what_is_no_run_directory_is_called_so),
        PLACED(a_directory_that_others_may_write_to_is_refused),
        PLACED(limits_may_be_raised_and_are_frozen_anew),
        PLACED(the_limits_of_a_changed_file_are_taken_over),
        PLACED(nothing_else_may_change),
        PLACED(an_override_that_is_wrong_is_a_problem_of_the_override),
        PLACED(a_running_experiment_is_not_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
