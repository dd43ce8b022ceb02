/* Data that is made: the same on every machine, of the shape that was asked for, and refused in words. */
#include "worker/data/generate.h"
#include "common/hash.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <math.h>
#include <string.h>

static struct dataset data;
static struct err said;

static int forget(void **state)
{
    (void)state;
    dataset_close(&data);
    return 0;
}

/* Makes a dataset: JSON with ' in place of ". */
static int generate(const char *wanted)
{
    json_t *json = json_of_quoted(wanted);
    dataset_close(&data);
    said.text[0] = '\0';
    int result = generate_dataset(&data, json, &said);
    json_decref(json);
    return result;
}

static uint64_t hash_data(void)
{
    uint64_t hash = hash_bytes(HASH_START, data.x, data.count * data.inputs * sizeof *data.x);
    return hash_bytes(hash, data.labels, data.count * sizeof *data.labels);
}

/* The hashes are of what another machine made: whoever repeats a search elsewhere has these data. */
static void every_machine_makes_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *wanted;
        uint64_t hash;
    } known[] = {
        {"{'generate': 'spirals', 'examples': 500, 'classes': 3}", 0xef56f13f5e15a5fu},
        {"{'generate': 'checkerboard', 'examples': 500, 'noise': 0.1}", 0xfaccb8d5e2dab0a4u},
        {"{'generate': 'sequences', 'examples': 50, 'seed': 7}", 0x62e84e460e221856u},
        {"{'generate': 'shapes', 'examples': 50, 'channels': 3}", 0x807a508d4dda2b99u},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(generate(known[i].wanted), 0);
        if (hash_data() != known[i].hash)
            fail_msg("%s: 0x%llx", known[i].wanted, (unsigned long long)hash_data());
    }
}

static void an_example_is_the_same_however_many_are_made(void **state)
{
    (void)state;
    float first[100 * 64];
    assert_int_equal(generate("{'generate': 'shapes', 'size': 8, 'examples': 100}"), 0);
    memcpy(first, data.x, sizeof first);
    assert_int_equal(generate("{'generate': 'shapes', 'size': 8, 'examples': 300}"), 0);
    assert_memory_equal(first, data.x, sizeof first);
    assert_int_equal(generate("{'generate': 'shapes', 'size': 8, 'examples': 100, 'seed': 1}"), 0);
    assert_memory_not_equal(first, data.x, sizeof first);
}

static void examples_have_the_shape_that_was_asked_for(void **state)
{
    (void)state;
    assert_int_equal(generate("{'generate': 'shapes', 'size': 12, 'channels': 3, 'examples': 40, 'classes': 4}"), 0);
    assert_int_equal(data.count, 40);
    assert_int_equal(data.inputs, 12 * 12 * 3);
    assert_int_equal(data.classes, 4);
    assert_int_equal(data.shape.rank, 3);
    assert_true(data.shape.size[0] == 12 && data.shape.size[1] == 12 && data.shape.size[2] == 3);
    assert_int_equal(generate("{'generate': 'sequences', 'steps': 20, 'features': 5}"), 0);
    assert_int_equal(data.shape.rank, 2);
    assert_true(data.shape.size[0] == 20 && data.shape.size[1] == 5 && data.inputs == 100);
    assert_int_equal(generate("'spirals'"), 0);
    assert_true(data.shape.rank == 1 && data.inputs == 2 && data.count == 2000);
}

static void pixels_are_bytes_and_classes_are_even(void **state)
{
    (void)state;
    size_t of_class[10] = {0};
    assert_int_equal(generate("'shapes'"), 0);
    for (size_t i = 0; i < data.count * data.inputs; i++)
        assert_true(data.x[i] >= 0 && data.x[i] <= 255 && data.x[i] == floorf(data.x[i]));
    for (size_t n = 0; n < data.count; n++)
        of_class[data.labels[n]]++;
    for (int c = 0; c < 10; c++)
        assert_int_equal(of_class[c], data.count / 10);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"'spiral'", "there is no generator of data 'spiral'; did you mean 'spirals'?"},
        {"'faces'", "there are: spirals, checkerboard, sequences, shapes"},
        {"{'file': 'x'}", "must name a generator"},
        {"{'generate': 3}", "must name a generator"},
        {"{'generate': 'shapes', 'chanels': 3}", "data: generate: shapes: there is no option of this generator "
                                                 "'chanels'; did you mean 'channels'?"},
        {"{'generate': 'shapes', 'size': 3.5}", "'size' is 3.5; it takes a whole number from 4 to 1024"},
        {"{'generate': 'shapes', 'size': 'big'}", "'size' is \"big\"; it takes"},
        {"{'generate': 'spirals', 'noise': -1}", "'noise' is -1; it takes a number from 0 to 100"},
        {"{'generate': 'shapes', 'size': 1000, 'examples': 100000000}", "this machine has"},
        {"{'generate': 'shapes', 'size': 1024, 'channels': 3}", "at most 1000000 are possible"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(generate(bad[i][0]), -1);
        assert_has(said.text, bad[i][1]);
    }
}

/* --- kernels --- */

static void assert_trains(const char *kernel, const char *options, const char *params, double least)
{
    struct tried tried = try_trial(&(struct trial_text){kernel, "val_accuracy", options, params, 1, 1});
    double accuracy = tried_last(&tried, "val_accuracy");
    if (!(accuracy >= least))
        fail_msg("%s %s %s: %g, %s %s", kernel, options, params, accuracy, tried.trouble.text, tried.run.detail.text);
    tried_fini(&tried);
}

static void kernels_learn_what_is_made(void **state)
{
    (void)state;
    assert_trains("gbt", "{'data': 'generate:spirals'}", "{'rounds': 30}", 0.9);
    assert_trains("gbt", "{'data': 'generate:checkerboard'}", "{'rounds': 30}", 0.9);
    assert_trains("mlp", "{'data': {'generate': 'sequences', 'examples': 1000}}",
                  "{'optimizer': 'adam', 'lr': 0.01, 'epochs': 5}", 0.8);
}

static void images_need_no_shape_in_the_options(void **state)
{
    (void)state;
    assert_trains("cnn", "{'data': {'generate': 'shapes', 'size': 8, 'channels': 3, 'classes': 3, 'examples': 600}}",
                  "{'layers': 'conv', 'filters1': 8, 'optimizer': 'adam', 'lr': 0.005, 'epochs': 8}", 0.6);
    struct tried tried = try_trial(&(struct trial_text){
        "cnn", "val_accuracy", "{'data': {'generate': 'shapes', 'examples': 100}, 'channels': 3}", "{}", 1, 1});
    assert_has(tried.run.detail.text, "the option 'channels' is 3, and the images of the data have 1; leave it out");
    tried_fini(&tried);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(every_machine_makes_the_same_bits),
        CLAIM(an_example_is_the_same_however_many_are_made),
        CLAIM(examples_have_the_shape_that_was_asked_for),
        CLAIM(pixels_are_bytes_and_classes_are_even),
        CLAIM(what_is_wrong_is_said),
        CLAIM(kernels_learn_what_is_made),
        CLAIM(images_need_no_shape_in_the_options),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
