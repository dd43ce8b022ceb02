/* Checkpoints that are needed no more: what goes with them and what stays. */
#include "scheduler/coordinator/checkpoint.h"
#include "tests/claims.h"
#include "tests/until.h"

#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run directory whose trial 7 has a directory. */
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
    return path_make_directory(path_in(&place.scratch, "trials/000007"), 0700, NULL);
}

static int remove_place(void **state)
{
    struct place *place = *state;
    rundir_fini(&place->dir);
    return leave_scratch(&place->scratch);
}

/* trials/000007/NAME */
static const char *file(struct place *place, const char *name)
{
    char *below = mem_format("trials/000007/%s", name);
    const char *path = path_in(&place->scratch, below);
    free(below);
    return path;
}

static void a_file_is_removed(void **state)
{
    struct place *place = *state;
    write_file(file(place, "checkpoint"), "12\n", 0600);
    checkpoint_drop(&place->dir, 7);
    assert_false(path_exists(file(place, "checkpoint")));
    assert_true(path_exists(file(place, ".")));
}

static void a_directory_is_removed_with_all_in_it(void **state)
{
    struct place *place = *state;
    assert_int_equal(path_make_directory(file(place, "checkpoint/shards"), 0700, NULL), 0);
    write_file(file(place, "checkpoint/shards/0"), "weights", 0600);
    checkpoint_drop(&place->dir, 7);
    assert_false(path_exists(file(place, "checkpoint")));
}

static void what_was_not_finished_goes_too(void **state)
{
    struct place *place = *state;
    write_file(file(place, "checkpoint.new"), "1", 0600);
    assert_int_equal(path_make_directory(file(place, "checkpoint.tmp.4711"), 0700, NULL), 0);
    checkpoint_drop(&place->dir, 7);
    assert_false(path_exists(file(place, "checkpoint.new")));
    assert_false(path_exists(file(place, "checkpoint.tmp.4711")));
}

static void a_programs_other_files_stay(void **state)
{
    struct place *place = *state;
    static const char *const others[] = {"stdout", "checkpoints", "best-checkpoint", "model.pt"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        write_file(file(place, others[i]), "mine", 0600);
    checkpoint_drop(&place->dir, 7);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(path_exists(file(place, others[i])));
}

static void where_a_link_leads_nothing_is_removed(void **state)
{
    struct place *place = *state;
    write_file(path_in(&place->scratch, "pretrained"), "weights", 0600);
    assert_int_equal(symlink(path_in(&place->scratch, "pretrained"), file(place, "checkpoint")), 0);
    checkpoint_drop(&place->dir, 7);
    struct stat at;
    assert_int_not_equal(lstat(file(place, "checkpoint"), &at), 0);
    assert_true(path_exists(path_in(&place->scratch, "pretrained")));
}

static void a_trial_without_one_is_fine(void **state)
{
    struct place *place = *state;
    checkpoint_drop(&place->dir, 7);
    checkpoint_drop(&place->dir, 8); /* it has no directory either */
    assert_false(path_exists(path_in(&place->scratch, "trials/000008")));
}

static void the_remover_ends_when_all_are_gone(void **state)
{
    struct place *place = *state;
    struct loop *loop = loop_create();
    struct checkpoint_remover *remover = checkpoint_remover_start(loop, &place->dir, NULL);
    assert_non_null(remover);
    write_file(file(place, "checkpoint"), "12\n", 0600);
    checkpoint_remover_drop(remover, 7);
    checkpoint_remover_drop(remover, 8);
    checkpoint_remover_stop(remover);
    assert_false(path_exists(file(place, "checkpoint")));
    loop_destroy(loop);
}

/* A trial's checkpoint goes while the search runs, also of one that ends while the thread works. */
static bool both_gone(void *context)
{
    struct place *place = context;
    return !path_exists(file(place, "checkpoint")) && !path_exists(file(place, "checkpoint.old"));
}

static void the_remover_needs_no_end_to_remove(void **state)
{
    struct place *place = *state;
    struct loop *loop = loop_create();
    struct checkpoint_remover *remover = checkpoint_remover_start(loop, &place->dir, NULL);
    for (int i = 0; i < 3; i++) {
        write_file(file(place, "checkpoint"), "12\n", 0600);
        checkpoint_remover_drop(remover, 7);
        until(loop, both_gone, place);
    }
    checkpoint_remover_stop(remover);
    loop_destroy(loop);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(a_file_is_removed),
        CLAIM(a_directory_is_removed_with_all_in_it),
        CLAIM(what_was_not_finished_goes_too),
        CLAIM(a_programs_other_files_stay),
        CLAIM(where_a_link_leads_nothing_is_removed),
        CLAIM(a_trial_without_one_is_fine),
        CLAIM(the_remover_ends_when_all_are_gone),
        CLAIM(the_remover_needs_no_end_to_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
