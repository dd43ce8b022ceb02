/* A driver that fails, hangs or talks nonsense keeps nobody from his work. */
#include "common/mem.h"
#include "tests/claims.h"
#include "worker/hardware/gpu_fault.h"
#include "worker/hardware/topology_gpus.h"

#include <semaphore.h>
#include <stdio.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_does_not_answer_is_given_up),
        cmocka_unit_test(a_library_that_does_not_start_says_why),
        cmocka_unit_test(a_machine_without_a_driver_has_nothing_to_say),
        cmocka_unit_test(nonsense_is_made_something_that_can_be_shown),
        cmocka_unit_test(a_driver_that_counts_nothing_says_so),
        cmocka_unit_test(a_fault_has_one_to_blame_and_a_sentence),
    };
    return cmocka_run_group_tests_name("topology_driver", tests, NULL, NULL);
}
