/* What the library that is loaded into programs makes of kernels' names and of CUPTI's records, whole and damaged ones.
 */
#include "tests/claims.h"
#include "worker/cupti/records.h"
#include "worker/cupti/short_name.h"
#include "worker/cupti/tell.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- names --- */

static void a_kernel_has_the_name_that_its_author_gave_it(void **state)
{
    static const char *const cases[][2] = {
        {"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
        {"_Z10vector_addPKfS0_Pfi", "vector_add"},
        {"_ZL9my_kernelPf", "my_kernel"},
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_",
         "vectorized_elementwise_kernel"},
        {"_ZN12_GLOBAL__N_16kernelEv", "kernel"},
        {"_ZN7cutlass7Kernel2I4gemmEEvNT_6ParamsE", "Kernel2"},
        {"_ZNK3abc3defEv", "def"},
        {"_Z", "_Z"},
        {"_ZN", "_ZN"},
        {"_ZN9abE", "_ZN9abE"},
        {"_ZN0E", "_ZN0E"},
        {"_Z18446744073709551617kernel", "_Z18446744073709551617kernel"},
        {"a name of its own", "a?name?of?its?own"},
        {"\x1b[31m\"\\\x7f\xff", "?[31m????"},
        {"", "unnamed kernel"},
        {NULL, "unnamed kernel"},
    };
    (void)state;
    char out[SHORT_NAME_LONGEST + 1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        short_name(cases[i][0], out);
        assert_string_equal(out, cases[i][1]);
    }
}

static void a_long_name_keeps_both_of_its_ends(void **state)
{
    (void)state;
    char name[100000], out[SHORT_NAME_LONGEST + 1];
    memset(name, 'm', sizeof name);
    memcpy(name, "begin", 5);
    strcpy(name + 200, "end");
    short_name(name, out);
    assert_int_equal(strlen(out), SHORT_NAME_LONGEST);
    assert_memory_equal(out, "begin", 5);
    assert_string_equal(out + SHORT_NAME_LONGEST - 3, "end");
    memset(name, 'm', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    short_name(name, out);
    assert_int_equal(strlen(out), SHORT_NAME_LONGEST);
}

/* --- records --- */

enum { RECORD = sizeof(struct cupti_kernel) };

static int next_of_ours(uint8_t *buffer, size_t used, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + RECORD : buffer;
    *record = next;
    return next < buffer + used ? 0 : 12;
}

static int next_is_the_same(uint8_t *buffer, size_t used, void **record)
{
    (void)used;
    *record = buffer;
    return 0;
}

static int next_is_before(uint8_t *buffer, size_t used, void **record)
{
    (void)used;
    *record = buffer - 64;
    return 0;
}

/* What is added of the first `used` bytes of some memory that ends there. */
static void add(int (*next)(uint8_t *buffer, size_t used, void **record), const void *bytes, size_t used,
                struct cupti_sums *sums)
{
    struct cupti cupti = {.next_record = next};
    uint8_t *copy = malloc(used + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, used);
    copy = realloc(copy, used ? used : 1);
    records_add(&cupti, copy, used, sums);
    free(copy);
}

static void a_record_counts_when_all_of_it_is_there(void **state)
{
    (void)state;
    struct cupti_kernel kernels[2] = {
        {.kind = CUPTI_CONCURRENT_KERNEL, .start = 10, .end = 30, .name = "a"},
        {.kind = CUPTI_CONCURRENT_KERNEL, .start = 40, .end = 45, .name = "a"},
    };
    for (size_t used = 0; used <= sizeof kernels; used++) {
        struct cupti_sums *sums = calloc(1, sizeof *sums);
        assert_non_null(sums);
        add(next_of_ours, kernels, used, sums);
        assert_int_equal(sums->names[0].calls, used / RECORD);
        assert_int_equal(sums->lost, used % RECORD != 0);
        free(sums);
    }
}

static void copies_are_told_by_their_direction(void **state)
{
    static const struct {
        uint32_t kind;
        uint8_t copy;
        const char *name;
    } cases[] = {
        {CUPTI_COPY, CUPTI_HOST_TO_DEVICE, "copy to GPU"},
        {CUPTI_COPY, CUPTI_DEVICE_TO_HOST, "copy from GPU"},
        {CUPTI_COPY, CUPTI_DEVICE_TO_DEVICE, "copy within GPU"},
        {CUPTI_COPY, CUPTI_PEER_TO_PEER, "copy between GPUs"},
        {CUPTI_PEER_COPY, CUPTI_DEVICE_TO_DEVICE, "copy between GPUs"},
        {CUPTI_COPY, CUPTI_HOST_TO_HOST, "copy"},
        {CUPTI_COPY, 250, "copy"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cupti_sums *sums = calloc(1, sizeof *sums);
        assert_non_null(sums);
        struct cupti_copy copy = {.kind = cases[i].kind, .copy = cases[i].copy, .bytes = 7, .start = 1, .end = 4};
        add(next_of_ours, &copy, sizeof copy, sums);
        assert_string_equal(sums->names[0].name, cases[i].name);
        assert_int_equal(sums->names[0].bytes, 7);
        assert_int_equal(sums->names[0].nanoseconds, 3);
        free(sums);
    }
}

static void records_that_lead_nowhere_end_the_reading(void **state)
{
    (void)state;
    struct cupti_sums *sums = calloc(1, sizeof *sums);
    assert_non_null(sums);
    struct cupti_kernel kernel = {.kind = CUPTI_CONCURRENT_KERNEL, .start = 10, .end = 30, .name = "a"};
    add(next_is_the_same, &kernel, sizeof kernel, sums);
    assert_int_equal(sums->names[0].calls, 1);
    assert_int_equal(sums->lost, 1);
    add(next_is_before, &kernel, sizeof kernel, sums);
    assert_int_equal(sums->names[0].calls, 1);
    assert_int_equal(sums->lost, 2);
    free(sums);
}

/* --- sums --- */

static void what_is_beyond_the_table_is_one_sum(void **state)
{
    (void)state;
    struct cupti_sums *sums = calloc(1, sizeof *sums);
    assert_non_null(sums);
    char name[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "kernel_%d", i);
            sums_add(sums, name, (uint64_t)i + 1, 1);
        }
    assert_int_equal(sums->count, SUMS_NAMES);
    assert_int_equal(sums->names[0].calls, 2);
    assert_int_equal(sums->names[SUMS_NAMES].calls, 2 * (1000 - SUMS_NAMES));
    assert_int_equal(sums->names[SUMS_NAMES].min, SUMS_NAMES + 1);
    assert_int_equal(sums->names[SUMS_NAMES].max, 1000);
    assert_string_equal(sums->names[SUMS_NAMES].name, SUMS_OTHERS);
    sums_add(sums, "kernel_0", UINT64_MAX, UINT64_MAX);
    sums_add(sums, "kernel_0", UINT64_MAX, UINT64_MAX);
    assert_true(sums->names[0].nanoseconds <= (UINT64_C(1) << 60));
    free(sums);
}

static void the_largest_table_fits_its_memory_and_is_json(void **state)
{
    (void)state;
    struct cupti_sums *sums = calloc(1, sizeof *sums);
    char *text = malloc(TELL_BYTES), name[SHORT_NAME_LONGEST + 1];
    char path[] = "/tmp/gannet-t_cupti.XXXXXX", why[1000];
    assert_non_null(sums);
    assert_non_null(text);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "%0*d", SHORT_NAME_LONGEST, i);
        sums_add(sums, name, UINT64_C(1) << 60, UINT64_C(1) << 60);
    }
    memset(why, '"', sizeof why - 1);
    why[sizeof why - 1] = '\0';
    close(mkstemp(path));
    tell(path, sums, why, text);
    json_t *told = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    unlink(path);
    assert_int_equal(json_array_size(json_object_get(told, "operations")), SUMS_NAMES + 1);
    assert_int_equal(json_string_length(json_object_get(told, "unknown")), TELL_WHY - 1);
    json_decref(told);
    free(text);
    free(sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_the_name_that_its_author_gave_it),
        cmocka_unit_test(a_long_name_keeps_both_of_its_ends),
        cmocka_unit_test(a_record_counts_when_all_of_it_is_there),
        cmocka_unit_test(copies_are_told_by_their_direction),
        cmocka_unit_test(records_that_lead_nowhere_end_the_reading),
        cmocka_unit_test(what_is_beyond_the_table_is_one_sum),
        cmocka_unit_test(the_largest_table_fits_its_memory_and_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
