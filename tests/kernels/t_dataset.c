/* The data of classifiers: reading, splitting, scaling. */
#include "worker/data/read.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "worker/kernels/data_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dataset data;
static struct err said;

static int forget(void **state)
{
    dataset_close(&data);
    return leave_scratch(state);
}

/* Reads with one of the readers. */
static int read_with(int (*read)(struct dataset *, const struct dataset_part *, struct err *), const char *file,
                     const char *labels_file, const char *label)
{
    struct dataset_source source = {.label = label, .array = ""};
    struct table_columns columns = {0};
    struct dataset_part part = {
        .source = &source, .file = file, .labels = labels_file, .labels_option = "labels", .columns = &columns};
    dataset_close(&data);
    int result = read(&data, &part, &said);
    table_columns_fini(&columns);
    return result;
}

static int read_table(void **state, const char *text, const char *label)
{
    write_file(path_in(state, "a.csv"), text, 0600);
    return read_with(read_csv, path_in(state, "a.csv"), NULL, label);
}

static void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* Opens data with these options, as a kernel does. */
static int open_data(const char *options)
{
    json_t *given = json_of_quoted(options);
    struct kernel_settings settings = {.kernel = kernel_find("logreg"), .options = given};
    dataset_close(&data);
    int result = kernel_settings_check_options(&settings, &said);
    if (!result) {
        struct dataset_source source = data_options_read(&settings, ".");
        source.scaling = (enum dataset_scaling)kernel_settings_word(&settings, "scaling");
        result = dataset_open(&data, &source, &said);
    }
    json_decref(given);
    return result;
}

/* --- CSV --- */

static void the_last_column_is_the_label_by_default(void **state)
{
    assert_int_equal(read_table(state, "a,b,y\n1,2,cat\n3,4.5,dog\n-1e1,0,cat\n", ""), 0);
    assert_int_equal(data.count, 3);
    assert_int_equal(data.inputs, 2);
    assert_int_equal(data.classes, 2);
    assert_true(data.x[3] == 4.5f && data.x[4] == -10);
    assert_true(data.labels[0] == data.labels[2] && data.labels[0] != data.labels[1]);
}

static void names_that_are_numbers_are_names(void **state)
{
    assert_int_equal(read_table(state, "0,1,2\n5,6,2\n7,8,1\n", ""), 0);
    assert_int_equal(read_table(state, "400.5,401,class\n5,6,2\n7,8,1\n", ""), 0);
    assert_int_equal(data.count, 2);
}

static void the_label_may_be_any_column(void **state)
{
    assert_int_equal(read_table(state, "y,a,b\n7,1,2\n8,3,4\n", "y"), 0);
    assert_int_equal(data.inputs, 2);
    assert_true(data.x[0] == 1 && data.x[1] == 2 && data.x[2] == 3 && data.x[3] == 4);
}

static void bad_cells_are_named_with_line_and_column(void **state)
{
    static const struct {
        const char *text, *label, *sentence;
    } bad[] = {
        {"a,b,y\n1,2,0\n1,x,0\n", "",
         "a.csv:3: column 'b' holds 'x', which is no number; write texts as numbers, or leave the column out"},
        {"a,b,y\n1,,0\n", "", "a.csv:2: column 'b' is empty; the kernel gbt takes missing inputs"},
        {"a,b,y\n1,nan,0\n", "", "a.csv:2: column 'b' holds 'nan', which is no number"},
        {"a,b,y\n1e39,2,0\n", "", "a.csv:2: column 'a' holds '1e39'"},
        {"a,b,y\n1,2,\n", "", "a.csv:2: the label, column 'y', is empty"},
        {"a,b,y\n1,2,0\n", "z", "has no column 'z' for the option 'label'"},
        {"y\n1\n", "", "has one column"},
        {"a;b;y\n1;2;0\n", "", "separated by ';', and commas are read"},
        {"a\tb\ty\n1\t2\t0\n", "y", "separated by tabs, and commas are read"},
        {",a,y\n0,1,2\n1,1,2\n", "", "its first column has no name, as the index has that pandas writes"},
        {"y,a,y\n0,1,0\n1,2,1\n", "", "the columns 1 and 3 are both called 'y', as the label is"},
        {"a,y,y\n1,0,0\n2,1,1\n", "y", "the columns 2 and 3 are both called 'y'"},
        {"a,y\n", "", "a.csv: has no example, only a header"},
        {"5.1,3.5,setosa\n4.9,3,setosa\n", "", "its first line is an example, 5.1, ... setosa"},
        {"0,0,7\n0,255,2\n1,0,7\n", "", "its first line is an example, 0, ... 7"},
        {"0,0,0\n0,255,2\n1,0,0\n", "", "its first line is an example, 0, ... 0"},
        {"a,y\n1,2\n1\n", "", "a.csv:3: has 1 cells"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_table(state, bad[i].text, bad[i].label), -1);
        assert_has(said.text, bad[i].sentence);
    }
}

static void a_column_of_numbers_is_no_label(void **state)
{
    struct buf text = {0};
    buf_text(&text, "a,y\n");
    for (int i = 0; i <= DATASET_MOST_CLASSES; i++)
        buf_format(&text, "1,%d.5\n", i);
    assert_int_equal(read_table(state, buf_str(&text), ""), -1);
    assert_has(said.text, "a.csv:1002: column 'y' has more than 1000 different values");
    assert_has(said.text, "with the kernel gbt and its option learn: numbers");
    buf_fini(&text);
}

/* --- IDX --- */

static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 10, 20, 30, 40, 50, 255};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 2, 0, 1};

static int read_images(void **state, const unsigned char *x, size_t x_length, const unsigned char *y, size_t y_length)
{
    write_bytes(path_in(state, "x"), x, x_length);
    write_bytes(path_in(state, "y"), y, y_length);
    return read_with(read_arrays, path_in(state, "x"), path_in(state, "y"), "");
}

static void images_and_labels_are_read(void **state)
{
    assert_int_equal(read_images(state, images, sizeof images, labels, sizeof labels), 0);
    assert_int_equal(data.count, 3);
    assert_int_equal(data.inputs, 2);
    assert_int_equal(data.classes, 3);
    assert_true(data.x[5] == 255 && data.x[2] == 30);
    assert_true(data.labels[0] == 2 && data.labels[1] == 0 && data.labels[2] == 1);
}

/* Every truncation, and every change of a byte of the header, is refused or read without harm. */
static void damaged_idx_files_do_no_harm(void **state)
{
    for (size_t length = 0; length < sizeof images; length++)
        assert_int_equal(read_images(state, images, length, labels, sizeof labels), -1);
    for (size_t at = 0; at < 16; at++) {
        unsigned char damaged[sizeof images];
        memcpy(damaged, images, sizeof images);
        damaged[at] ^= 0xff;
        assert_int_equal(read_images(state, damaged, sizeof images, labels, sizeof labels), -1);
    }
}

static void idx_files_that_do_not_fit_are_refused_in_words(void **state)
{
    static const unsigned char complex[] = {0, 0, 10, 1, 0, 0, 0, 1, 0, 0, 0, 0};
    static const unsigned char two[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 0};
    assert_int_equal(read_images(state, complex, sizeof complex, labels, sizeof labels), -1);
    assert_has(said.text, "byte 2 names the type 0x0a; IDX files have 0x08");
    assert_int_equal(read_images(state, images, sizeof images, two, sizeof two), -1);
    assert_has(said.text, "holds 2 values of 1 byte, for 3 examples of");
    char *options = mem_format("{'data': '%s'}", path_in(state, "x"));
    read_images(state, images, sizeof images, labels, sizeof labels);
    assert_int_equal(open_data(options), -1);
    assert_has(said.text, "name the one of labels in the option 'labels'");
    free(options);
}

/* --- split --- */

/* Data of which each example's one input is its number, with uneven classes. */
static void make(size_t count, size_t classes)
{
    dataset_close(&data);
    data = (struct dataset){.count = count, .training = count, .inputs = 1, .classes = classes};
    data.x = MEM_ARRAY(float, count);
    data.labels = MEM_ARRAY(int32_t, count);
    for (size_t n = 0; n < count; n++) {
        data.x[n] = (float)n;
        data.labels[n] = (int32_t)(n % 7 < 4 ? 0 : n % classes);
    }
}

static size_t of_class(int32_t label, size_t from, size_t to)
{
    size_t sum = 0;
    for (size_t n = from; n < to; n++)
        sum += data.labels[n] == label;
    return sum;
}

static void a_split_keeps_every_example_once(void **state)
{
    (void)state;
    bool seen[100] = {false};
    make(100, 3);
    dataset_split(&data, 0.25, true, 1);
    for (size_t n = 0; n < 100; n++) {
        size_t example = (size_t)data.x[n];
        assert_false(seen[example]);
        seen[example] = true;
        assert_int_equal(data.labels[n], example % 7 < 4 ? 0 : example % 3);
    }
}

static void a_stratified_split_shares_every_class(void **state)
{
    (void)state;
    make(1000, 5);
    dataset_split(&data, 0.2, true, 9);
    for (int32_t c = 0; c < 5; c++) {
        double all = (double)of_class(c, 0, 1000), kept = (double)of_class(c, data.training, 1000);
        assert_true(fabs(kept - 0.2 * all) <= 0.5);
    }
}

static void a_plain_split_has_the_wanted_size(void **state)
{
    (void)state;
    make(1000, 5);
    dataset_split(&data, 0.3, false, 9);
    assert_int_equal(data.training, 700);
}

static void the_seed_alone_decides_the_split(void **state)
{
    (void)state;
    float first[50];
    make(50, 2);
    dataset_split(&data, 0.2, true, 4);
    memcpy(first, data.x, sizeof first);
    make(50, 2);
    dataset_split(&data, 0.2, true, 4);
    assert_memory_equal(first, data.x, sizeof first);
    make(50, 2);
    dataset_split(&data, 0.2, true, 5);
    assert_memory_not_equal(first, data.x, sizeof first);
}

/* --- scaling --- */

/* x[4, 2], the last example for validation. */
static void make_columns(void)
{
    static const float x[] = {1, 5, 2, 5, 6, 5, 11, 6};
    make(4, 2);
    free(data.x);
    data.x = MEM_ARRAY(float, 8);
    memcpy(data.x, x, sizeof x);
    data.inputs = 2;
    data.training = 3;
}

static void unit_scaling_maps_the_training_part_to_0_and_1(void **state)
{
    (void)state;
    static const float wanted[] = {0, 0, 0.2f, 0, 1, 0, 2, 1};
    make_columns();
    dataset_scale(&data, DATASET_UNIT);
    for (int i = 0; i < 8; i++)
        assert_true(fabsf(data.x[i] - wanted[i]) < 1e-6f);
}

static void standard_scaling_gives_mean_0_and_deviation_1(void **state)
{
    (void)state;
    make_columns();
    dataset_scale(&data, DATASET_STANDARD);
    double mean = 3, deviation = sqrt((4 + 1 + 9) / 3.0);
    assert_true(fabs((double)data.x[0] - (1 - mean) / deviation) < 1e-6);
    assert_true(fabs((double)data.x[6] - (11 - mean) / deviation) < 1e-6);
    assert_true(data.x[1] == 0 && data.x[7] == 1); /* a column without spread is only moved */
}

/* --- all together --- */

static void the_digits_are_opened(void **state)
{
    (void)state;
    assert_int_equal(open_data("{'data': 'examples/data/digits.csv'}"), 0);
    assert_int_equal(data.count, 1797);
    assert_int_equal(data.inputs, 64);
    assert_int_equal(data.classes, 10);
    assert_in_range(data.count - data.training, 355, 364);
}

static void data_that_can_t_be_learned_from_are_refused(void **state)
{
    char *options = mem_format("{'data': '%s'}", path_in(state, "a.csv"));
    write_file(path_in(state, "a.csv"), "a,y\n1,0\n2,0\n", 0600);
    assert_int_equal(open_data(options), -1);
    assert_has(said.text, "has 2 examples of one class; two classes are needed");
    write_file(path_in(state, "a.csv"), "a,y\n", 0600);
    assert_int_equal(open_data(options), -1);
    assert_has(said.text, "has no example, only a header; each line behind that is one");
    write_file(path_in(state, "a.csv"), "a,y\n1,0\n2,1\n", 0600);
    assert_int_equal(open_data(options), -1);
    assert_has(said.text, "has too few examples (2) for a training and a validation part, 0.2 of them");
    write_file(path_in(state, "a.csv"), "a,y\n1,0.5\n2,1.5\n3,2.5\n", 0600);
    assert_int_equal(open_data(options), -1);
    assert_has(said.text, "the label has 3 different values in 3 examples");
    assert_has(said.text, "learn: numbers");
    assert_int_equal(open_data("{'data': 'nowhere.csv'}"), -1);
    assert_has(said.text, "can't open ./nowhere.csv: No such file");
    free(options);
}

static void an_order_visits_all_and_gathers_what_it_says(void **state)
{
    (void)state;
    size_t order[20], sum = 0;
    float x[20];
    int32_t classes[20];
    struct rng rng = rng_make(1, "shuffle", 0);
    make(20, 3);
    for (size_t n = 0; n < 20; n++)
        order[n] = n;
    dataset_shuffle(order, 20, &rng);
    dataset_gather(&data, order, 20, x, classes);
    for (size_t n = 0; n < 20; n++) {
        sum += order[n];
        assert_true((size_t)x[n] == order[n] && classes[n] == data.labels[order[n]]);
    }
    assert_int_equal(sum, 190);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(the_last_column_is_the_label_by_default),
        CLAIM(names_that_are_numbers_are_names),
        CLAIM(the_label_may_be_any_column),
        CLAIM(bad_cells_are_named_with_line_and_column),
        CLAIM(a_column_of_numbers_is_no_label),
        CLAIM(images_and_labels_are_read),
        CLAIM(damaged_idx_files_do_no_harm),
        CLAIM(idx_files_that_do_not_fit_are_refused_in_words),
        CLAIM(a_split_keeps_every_example_once),
        CLAIM(a_stratified_split_shares_every_class),
        CLAIM(a_plain_split_has_the_wanted_size),
        CLAIM(the_seed_alone_decides_the_split),
        CLAIM(unit_scaling_maps_the_training_part_to_0_and_1),
        CLAIM(standard_scaling_gives_mean_0_and_deviation_1),
        CLAIM(the_digits_are_opened),
        CLAIM(data_that_can_t_be_learned_from_are_refused),
        CLAIM(an_order_visits_all_and_gathers_what_it_says),
    };
    return cmocka_run_group_tests_name("dataset", tests, NULL, NULL);
}
