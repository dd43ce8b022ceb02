/* Two searches on one machine never have a core or GPU in common, and what one gives back another gets. */
#include "tests/claims.h"
#include "worker/hardware/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two workers, which the kernel tells apart by the descriptors that they lock. */
struct pair {
    struct claims *one, *other;
    struct buf why;
};

static struct pair open_pair(void **state)
{
    return (struct pair){.one = claims_create(path_in(state, "cores")),
                         .other = claims_create(path_in(state, "cores"))};
}

static void close_pair(struct pair *pair)
{
    claims_destroy(pair->one);
    claims_destroy(pair->other);
    buf_fini(&pair->why);
}

static bool take_names(struct claims *claims, struct buf *why, const char *const *names)
{
    struct texts list = {0};
    buf_clear(why);
    texts_add_all(&list, names);
    bool taken = claims_take(claims, &list, why);
    texts_fini(&list);
    return taken;
}

static void return_names(struct claims *claims, const char *const *names)
{
    struct texts list = {0};
    texts_add_all(&list, names);
    claims_return(claims, &list);
    texts_fini(&list);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void what_one_has_another_does_not_get(void **state)
{
    struct pair pair = open_pair(state);
    char process[64];
    snprintf(process, sizeof process, "(process %d)", (int)getpid());
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0", "gpu-GPU-7")));
    assert_false(take_names(pair.other, &pair.why, NAMES("gpu-GPU-7")));
    assert_has(buf_str(&pair.why), "gpu GPU-7 is in use by your search");
    assert_has(buf_str(&pair.why), process);
    assert_true(take_names(pair.other, &pair.why, NAMES("core-1")));
    close_pair(&pair);
}

static void all_or_none_are_taken(void **state)
{
    struct pair pair = open_pair(state);
    assert_true(take_names(pair.one, &pair.why, NAMES("core-2")));
    assert_false(take_names(pair.other, &pair.why, NAMES("core-0", "core-1", "core-2", "core-3")));
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0", "core-1", "core-3")));
    close_pair(&pair);
}

static void what_is_given_back_is_free(void **state)
{
    struct pair pair = open_pair(state);
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0", "core-1")));
    return_names(pair.one, NAMES("core-1"));
    assert_false(take_names(pair.other, &pair.why, NAMES("core-0")));
    assert_true(take_names(pair.other, &pair.why, NAMES("core-1")));
    claims_destroy(pair.one);
    pair.one = NULL;
    assert_true(take_names(pair.other, &pair.why, NAMES("core-0")));
    close_pair(&pair);
}

/* Slots of older and of newer resources may overlap; they are one worker's. */
static void a_worker_may_take_a_core_twice(void **state)
{
    struct pair pair = open_pair(state);
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0")));
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0", "core-1")));
    return_names(pair.one, NAMES("core-0"));
    assert_false(take_names(pair.other, &pair.why, NAMES("core-0")));
    return_names(pair.one, NAMES("core-0"));
    assert_true(take_names(pair.other, &pair.why, NAMES("core-0")));
    close_pair(&pair);
}

static void everybody_may_lock_whatever_the_umask(void **state)
{
    struct stat directory, file;
    mode_t before = umask(077);
    struct pair pair = open_pair(state);
    bool taken = take_names(pair.one, &pair.why, NAMES("core-0"));
    umask(before);
    assert_true(taken);
    assert_int_equal(stat(path_in(state, "cores"), &directory), 0);
    assert_int_equal(stat(path_in(state, "cores/core-0"), &file), 0);
    assert_int_equal(directory.st_mode & 07777, 01777);
    assert_int_equal(file.st_mode & 07777, 0644);
    close_pair(&pair);
}

/* Links and pipes where the files should be are neither followed nor waited for. */
static void what_is_no_file_keeps_nobody_from_working(void **state)
{
    struct pair pair = open_pair(state);
    assert_int_equal(symlink("/etc/passwd", path_in(state, "cores/core-0")), 0);
    assert_int_equal(mkfifo(path_in(state, "cores/core-1"), 0600), 0);
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0", "core-1")));
    assert_true(take_names(pair.other, &pair.why, NAMES("core-0", "core-1")));
    close_pair(&pair);
}

static void without_a_directory_everything_is_free(void **state)
{
    write_file(path_in(state, "cores"), "no directory", 0600);
    struct pair pair = open_pair(state);
    assert_true(take_names(pair.one, &pair.why, NAMES("core-0")));
    assert_true(take_names(pair.other, &pair.why, NAMES("core-0")));
    close_pair(&pair);
}

static void what_others_use_is_listed(void **state)
{
    struct pair pair = open_pair(state);
    struct topology_core cores[] = {{.pu = 0, .first = 0}, {.pu = 9, .first = 1}};
    struct topology_gpu gpu = {.index = 3, .uuid = (char[]){"GPU-../x"}};
    struct topology topology = {.cores = cores, .core_count = 2, .gpus = &gpu, .gpu_count = 1};
    assert_true(take_names(pair.one, &pair.why, NAMES("core-1", "gpu-GPU-___x")));
    json_t *list = claims_json(pair.other, &topology), *own = claims_json(pair.one, &topology);
    assert_int_equal(json_array_size(own), 0);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "what")), "core 1");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "what")), "gpu GPU-___x");
    json_decref(list);
    json_decref(own);
    close_pair(&pair);
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH(what_one_has_another_does_not_get),
        SCRATCH(all_or_none_are_taken),
        SCRATCH(what_is_given_back_is_free),
        SCRATCH(a_worker_may_take_a_core_twice),
        SCRATCH(everybody_may_lock_whatever_the_umask),
        SCRATCH(what_is_no_file_keeps_nobody_from_working),
        SCRATCH(without_a_directory_everything_is_free),
        SCRATCH(what_others_use_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
