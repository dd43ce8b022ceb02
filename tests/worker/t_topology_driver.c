/* A driver that fails, hangs or talks nonsense keeps nobody from his work. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "worker/hardware/gpu_fault.h"
#include "worker/hardware/topology_gpus.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a driver that is made up --- */

static sem_t may_go, is_over;
static char device;

static bool open_late(struct nvml *nvml)
{
    *nvml = (struct nvml){.library = NULL};
    sem_wait(&may_go);
    sem_post(&is_over);
    return false;
}

static bool open_refused(struct nvml *nvml)
{
    *nvml = (struct nvml){.refused = 9};
    return false;
}

static bool open_none(struct nvml *nvml)
{
    *nvml = (struct nvml){.library = NULL};
    return false;
}

static int many(unsigned *count)
{
    *count = UINT32_MAX;
    return 0;
}

static int same(unsigned index, void **out)
{
    *out = &device;
    return index == 3 ? 15 : 0;
}

/* Neither ends nor can be shown. */
static int nonsense(void *unused, char *out, unsigned size)
{
    (void)unused;
    memset(out, '\n', size);
    return 0;
}

static int everywhere(void *unused, void *pci)
{
    (void)unused;
    memset(pci, 'x', sizeof(struct nvml_pci));
    return 0;
}

static int endless(void *unused, void *memory)
{
    (void)unused;
    ((struct nvml_memory *)memory)->total = UINT64_MAX;
    return 0;
}

static int fails(unsigned *count)
{
    (void)count;
    return 999;
}

static const struct nvml absurd = {.device_count = many,
                                   .device_handle = same,
                                   .device_uuid = nonsense,
                                   .device_name = nonsense,
                                   .device_pci = everywhere,
                                   .device_memory = endless,
                                   .driver_version = NULL};

/* --- claims --- */

static void a_driver_that_does_not_answer_is_given_up(void **state)
{
    (void)state;
    struct topology topology = {0};
    sem_init(&may_go, 0, 0);
    sem_init(&is_over, 0, 0);
    assert_false(gpus_ask_driver(&topology, open_late, "/nowhere", 0.01));
    assert_int_equal(topology.gpu_count, 0);
    assert_int_equal(topology.gpu_notes.count, 1);
    assert_has(topology.gpu_notes.items[0], "has not answered");
    topology_fini(&topology);
    sem_post(&may_go);
    sem_wait(&is_over);
}

static void a_library_that_does_not_start_says_why(void **state)
{
    (void)state;
    struct topology topology = {0};
    assert_false(gpus_ask_driver(&topology, open_refused, "/nowhere", 600));
    assert_string_equal(topology.gpu_notes.items[0],
                        "the driver's library (libnvidia-ml.so.1) does not start: the driver is not loaded (NVML 9)");
    topology_fini(&topology);
}

static void a_machine_without_a_driver_has_nothing_to_say(void **state)
{
    (void)state;
    struct topology topology = {0};
    assert_false(gpus_ask_driver(&topology, open_none, "/nowhere", 600));
    assert_int_equal(topology.gpu_notes.count, 0);
}

static void nonsense_is_made_something_that_can_be_shown(void **state)
{
    (void)state;
    struct topology topology = {0};
    gpus_from_driver(&topology, &absurd, "/nowhere");
    assert_int_equal(topology.gpu_count, 1); /* each after it has the same name */
    assert_int_equal(strspn(topology.gpus[0].uuid, "?"), strlen(topology.gpus[0].uuid));
    assert_int_equal(topology.gpus[0].memory, 0);
    assert_has(topology.gpu_notes.items[0], "GPU 3 is not offered: it has fallen off the bus (NVML 15)");
    assert_has(topology.gpu_notes.items[1], "more than 256 are not looked at");
    json_t *json = topology_json(&topology);
    assert_int_equal(json_array_size(json_object_get(json, "gpu_notes")), 2);
    json_decref(json);
    topology_fini(&topology);
}

static void a_driver_that_counts_nothing_says_so(void **state)
{
    (void)state;
    struct topology topology = {0};
    gpus_from_driver(&topology, &(struct nvml){.device_count = fails}, "/nowhere");
    assert_int_equal(topology.gpu_count, 0);
    assert_has(topology.gpu_notes.items[0], "does not count GPUs: it does not say why (NVML 999)");
    topology_fini(&topology);
}

static void a_fault_has_one_to_blame_and_a_sentence(void **state)
{
    (void)state;
    char words[200];
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_NONE, 0}), GPU_BLAME_NOBODY);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_XID, 31}), GPU_BLAME_PROGRAM);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_XID, 94}), GPU_BLAME_RUN);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_XID, 79}), GPU_BLAME_GPU);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_XID, 4711}), GPU_BLAME_NOBODY);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_CODE, 16}), GPU_BLAME_GPU);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_CODE, 999}), GPU_BLAME_NOBODY);
    assert_int_equal(gpu_fault_blame((struct gpu_fault){GPU_SIGN_ECC, 12}), GPU_BLAME_GPU);
    assert_string_equal(gpu_fault_words((struct gpu_fault){GPU_SIGN_XID, 79}, words, sizeof words),
                        "has fallen off the bus (Xid 79)");
    assert_string_equal(gpu_fault_words((struct gpu_fault){GPU_SIGN_ECC, 3}, words, sizeof words),
                        "had errors of its memory that can't be corrected (ECC, 3 more)");
    assert_string_equal(gpu_fault_words((struct gpu_fault){GPU_SIGN_XID, 4711}, words, sizeof words), "says Xid 4711");
    assert_string_equal(gpu_code_words(4711, words, sizeof words), "NVML 4711");
}

/* The number is among those of a row of docs/worker.md that begins so. */
static void assert_listed(const char *page, const char *row, unsigned number)
{
    char *wanted = mem_format(" %u", number);
    const char *begin = strstr(page, row), *end = begin ? strpbrk(begin + 2, "|\n") : NULL, *at = begin;
    assert_non_null(end);
    do
        at = strstr(at + 1, wanted);
    while (at && at < end && at[strlen(wanted)] >= '0' && at[strlen(wanted)] <= '9');
    if (!at || at > end)
        fail_msg("docs/worker.md lacks Xid %u in the row '%s'", number, row);
    free(wanted);
}

static void the_page_has_every_event_in_its_row(void **state)
{
    (void)state;
    static const char *const of_blame[] = {
        [GPU_BLAME_PROGRAM] = "\n| Xid 13", [GPU_BLAME_RUN] = "\n| Xid 63", [GPU_BLAME_GPU] = "\n| Xid 48"};
    struct buf page = {0};
    struct err err;
    assert_int_equal(path_read("docs/worker.md", &page, 1 << 20, &err), 0);
#define FAULT(sign, number, blame, words)                                                                              \
    if (GPU_SIGN_##sign == GPU_SIGN_XID)                                                                               \
        assert_listed(buf_str(&page), of_blame[GPU_BLAME_##blame], number);
#include "worker/hardware/gpu_fault_list.h"
#undef FAULT
    buf_fini(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_does_not_answer_is_given_up),
        cmocka_unit_test(a_library_that_does_not_start_says_why),
        cmocka_unit_test(a_machine_without_a_driver_has_nothing_to_say),
        cmocka_unit_test(nonsense_is_made_something_that_can_be_shown),
        cmocka_unit_test(a_driver_that_counts_nothing_says_so),
        cmocka_unit_test(a_fault_has_one_to_blame_and_a_sentence),
        cmocka_unit_test(the_page_has_every_event_in_its_row),
    };
    return cmocka_run_group_tests_name("topology_driver", tests, NULL, NULL);
}
