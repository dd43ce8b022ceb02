/* Topologies: from hwloc's files and lists of GPUs, divided among workers, in words. */
#include "common/mem.h"
#include "tests/scratch.h"
#include "worker/hardware/topology.h"
#include "worker/hardware/topology_gpus.h"

#include <sched.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOPOLOGIES "tests/worker/topologies/"

static struct topology read_topology(const char *machine, const char *gpus)
{
    struct topology topology;
    struct err err = {""};
    struct topology_source source = {.machine = machine, .gpus = gpus};
    if (topology_read(&source, &topology, &err))
        fail_msg("%s", err.text);
    return topology;
}

static struct topology two_sockets(void)
{
    return read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "two-sockets.gpus");
}

static void assert_words(const struct topology *topology, const char *words)
{
    struct buf out = {0};
    topology_words(topology, &out);
    assert_string_equal(buf_str(&out), words);
    buf_fini(&out);
}

static void a_node_is_put_in_words(void **state)
{
    (void)state;
    struct topology topology = two_sockets();
    assert_words(&topology, "2 sockets, 16 cores, 2 NUMA nodes, 4 x NVIDIA H200, 512 GiB");
    topology_fini(&topology);
    topology = read_topology(TOPOLOGIES "one-socket.xml", NULL);
    assert_words(&topology, "1 socket, 6 cores, 16 GiB");
    topology_fini(&topology);
    topology = read_topology(TOPOLOGIES "plain.xml", NULL);
    assert_words(&topology, "1 socket, 4 cores, 1.0 GiB");
    topology_fini(&topology);
    topology = read_topology(TOPOLOGIES "128-cores.xml", NULL);
    assert_words(&topology, "2 sockets, 128 cores, 8 NUMA nodes, 512 GiB");
    topology_fini(&topology);
}

static void a_core_is_its_first_hyperthread(void **state)
{
    (void)state;
    struct topology topology = two_sockets();
    for (uint32_t i = 0; i < topology.core_count; i++) {
        assert_int_equal(topology.cores[i].pu, i);
        assert_int_equal(topology.cores[i].threads, 2);
        assert_int_equal(topology.cores[i].package, i / 8);
        assert_int_equal(topology.cores[i].node, i / 8);
    }
    topology_fini(&topology);
}

static void this_machine_has_cores_that_this_process_may_use(void **state)
{
    (void)state;
    cpu_set_t ours;
    assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
    struct topology topology = read_topology(NULL, NULL);
    assert_true(topology.core_count >= 1);
    assert_true(topology.memory > 0);
    for (uint32_t i = 0; i < topology.core_count; i++)
        assert_true(CPU_ISSET(topology.cores[i].pu, &ours));
    topology_fini(&topology);
}

static void cores_outside_our_affinity_are_not_seen(void **state)
{
    (void)state;
    cpu_set_t ours, one;
    sched_getaffinity(0, sizeof ours, &ours);
    struct topology topology = read_topology(NULL, NULL);
    uint32_t last = topology.cores[topology.core_count - 1].pu;
    topology_fini(&topology);
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    topology = read_topology(NULL, NULL);
    sched_setaffinity(0, sizeof ours, &ours);
    assert_int_equal(topology.core_count, 1);
    assert_int_equal(topology.cores[0].pu, last);
    topology_fini(&topology);
}

static void a_file_that_is_no_topology_is_refused(void **state)
{
    (void)state;
    struct topology topology;
    struct err err = {""};
    struct topology_source source = {.machine = "tests/worker/topologies/none.xml"};
    assert_int_equal(topology_read(&source, &topology, &err), -1);
    assert_non_null(strstr(err.text, "none.xml: No such file"));
    source.machine = TOPOLOGIES "two-sockets.gpus";
    assert_int_equal(topology_read(&source, &topology, &err), -1);
    assert_non_null(strstr(err.text, "two-sockets.gpus"));
}

/* --- GPUs --- */

static void gpus_of_a_list_are_near_what_it_says(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "mixed.gpus");
    assert_int_equal(topology.gpu_count, 3);
    assert_string_equal(topology.gpus[0].name, "NVIDIA A100");
    assert_true(topology_near(&topology.gpus[0], 3));
    assert_false(topology_near(&topology.gpus[0], 4));
    assert_true(topology_near(&topology.gpus[2], 15));
    assert_words(&topology, "2 sockets, 16 cores, 2 NUMA nodes, 2 x NVIDIA A100, 1 x NVIDIA T4, 512 GiB");
    topology_fini(&topology);
}

static void a_bad_list_of_gpus_names_its_line(void **state)
{
    (void)state;
    char *scratch = scratch_make();
    static const char *const wrong[] = {"0 numa:7 X\n", "0 numa:0x X\n",   "zero - X\n",         "0\n",
                                        "0 cpus:a X\n", "0 somewhere X\n", "0 - memory:much X\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topology topology;
        struct err err = {""};
        char *text = mem_format("# one line\n%s", wrong[i]), *file = scratch_file(scratch, "gpus", text);
        struct topology_source source = {.machine = TOPOLOGIES "two-sockets.xml", .gpus = file};
        assert_int_equal(topology_read(&source, &topology, &err), -1);
        assert_non_null(strstr(err.text, "/gpus:2: "));
        free(text);
        free(file);
    }
    scratch_remove(scratch);
}

static void keep_visible(const char *cuda, const char *slurm, const char *expected)
{
    struct topology topology = two_sockets();
    for (uint32_t i = 0; i < topology.gpu_count; i++) {
        free(topology.gpus[i].uuid);
        topology.gpus[i].uuid = mem_format("GPU-%c0", 'a' + (char)i);
    }
    gpus_keep_visible(&topology, cuda, slurm);
    struct buf kept = {0};
    for (uint32_t i = 0; i < topology.gpu_count; i++)
        buf_format(&kept, "%u", topology.gpus[i].index);
    assert_string_equal(buf_str(&kept), expected);
    buf_fini(&kept);
    topology_fini(&topology);
}

static void only_gpus_that_are_visible_count(void **state)
{
    (void)state;
    keep_visible(NULL, NULL, "0123");
    keep_visible("1,3", NULL, "13");
    keep_visible("1,3", "0", "13");
    keep_visible("", NULL, "");
    keep_visible("-1", NULL, "");
    keep_visible("2,9,0", NULL, "2"); /* as in CUDA, the first one that is none ends the list */
    keep_visible("GPU-b", NULL, "1");
    keep_visible("GPU-b0, GPU-d0", NULL, "13");
    keep_visible("NoDevFiles", NULL, "");
    keep_visible("MIG-1234", NULL, "4");
    keep_visible(NULL, "2,3", "23");
    keep_visible(NULL, "", "");
    keep_visible(NULL, "4,5,6,7", "0123"); /* Slurm has hidden the others already */
}

static void gpus_by_their_numbers_alone(const char *list, const char *expected)
{
    struct topology topology = {0};
    struct buf found = {0};
    gpus_from_numbers(&topology, list);
    for (uint32_t i = 0; i < topology.gpu_count; i++)
        buf_format(&found, "%u%s ", topology.gpus[i].index, topology.gpus[i].uuid);
    assert_string_equal(buf_str(&found), expected);
    buf_fini(&found);
    topology_fini(&topology);
}

static void without_a_driver_slurms_word_is_taken_for_gpus(void **state)
{
    (void)state;
    gpus_by_their_numbers_alone("2,3", "2 3 ");
    gpus_by_their_numbers_alone("0,0,1", "0 1 ");
    gpus_by_their_numbers_alone("GPU-ab,MIG-cd", "0GPU-ab 1MIG-cd ");
    gpus_by_their_numbers_alone("NoDevFiles", "");
    gpus_by_their_numbers_alone("", "");
    gpus_by_their_numbers_alone("-1", "");
    gpus_by_their_numbers_alone("1,99999999999999", "1 ");
}

/* --- the driver's GPUs --- */

/* A driver with three devices, of which the second can't be opened. */
static int fake_count(unsigned *count)
{
    *count = 3;
    return 0;
}

static const char devices[3];

static int fake_handle(unsigned index, void **device)
{
    *device = (void *)(uintptr_t)&devices[index];
    return index == 1;
}

static int fake_uuid(void *device, char *out, unsigned size)
{
    snprintf(out, size, "GPU-%d", 1 + (int)((const char *)device - devices));
    return 0;
}

static int fake_name(void *device, char *out, unsigned size)
{
    (void)device;
    strncpy(out, "NVIDIA H200", size);
    return 0;
}

static int fake_pci(void *device, void *pci)
{
    (void)device;
    strcpy(((struct nvml_pci *)pci)->bus_id, "00000000:3B:00.0");
    return 0;
}

static void the_drivers_gpus_are_near_what_the_kernel_says(void **state)
{
    (void)state;
    char *scratch = scratch_make();
    free(scratch_file(scratch, "0000:3b:00.0/local_cpulist", "8-15,24-31\n"));
    struct nvml nvml = {.device_count = fake_count,
                        .device_handle = fake_handle,
                        .device_uuid = fake_uuid,
                        .device_name = fake_name,
                        .device_pci = fake_pci};
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", NULL);
    gpus_from_driver(&topology, &nvml, scratch);
    assert_int_equal(topology.gpu_count, 2);
    assert_int_equal(topology.gpus[1].index, 2);
    assert_string_equal(topology.gpus[0].uuid, "GPU-1");
    assert_true(topology_near(&topology.gpus[0], 8));
    assert_false(topology_near(&topology.gpus[0], 7));
    topology_fini(&topology);
    scratch_remove(scratch);
}

/* A driver with two devices; the first is partitioned in two, with a gap between them. */
static char mig_devices[2], mig_parts[3];

static int mig_count(unsigned *count)
{
    *count = 2;
    return 0;
}

static int mig_device(unsigned index, void **device)
{
    *device = &mig_devices[index];
    return 0;
}

static int mig_uuid(void *device, char *out, unsigned size)
{
    if ((char *)device >= mig_parts && (char *)device < mig_parts + 3)
        snprintf(out, size, "MIG-%d", (int)((char *)device - mig_parts));
    else
        snprintf(out, size, "GPU-%d", (int)((char *)device - mig_devices));
    return 0;
}

static int mig_memory(void *device, void *memory)
{
    ((struct nvml_memory *)memory)->total = (char *)device == &mig_devices[1] ? (uint64_t)80 << 30 : (uint64_t)10 << 30;
    return 0;
}

static int mig_mode(void *device, unsigned *current, unsigned *pending)
{
    *current = *pending = (char *)device == &mig_devices[0];
    return 0;
}

static int mig_most(void *device, unsigned *count)
{
    (void)device;
    *count = 3;
    return 0;
}

static int mig_handle(void *device, unsigned index, void **part)
{
    (void)device;
    *part = &mig_parts[index];
    return index == 1; /* there is none at this place */
}

static void partitions_of_a_gpu_are_gpus_of_their_own(void **state)
{
    (void)state;
    struct nvml nvml = {.device_count = mig_count,
                        .device_handle = mig_device,
                        .device_uuid = mig_uuid,
                        .device_name = fake_name,
                        .device_pci = fake_pci,
                        .device_memory = mig_memory,
                        .mig_mode = mig_mode,
                        .mig_most = mig_most,
                        .mig_handle = mig_handle};
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", NULL);
    gpus_from_driver(&topology, &nvml, "/nowhere");
    assert_int_equal(topology.gpu_count, 3);
    assert_string_equal(topology.gpus[0].uuid, "MIG-0");
    assert_string_equal(topology.gpus[1].uuid, "MIG-2");
    assert_int_equal(topology.gpus[1].index, 3);
    assert_int_equal(topology.gpus[1].memory >> 30, 10);
    assert_string_equal(topology.gpus[2].uuid, "GPU-1");
    gpus_keep_visible(&topology, "0", NULL); /* of a partitioned GPU, CUDA takes the first partition */
    assert_int_equal(topology.gpu_count, 1);
    assert_string_equal(topology.gpus[0].uuid, "MIG-0");
    topology_fini(&topology);
}

/* --- parts --- */

static void two_workers_on_two_sockets_get_one_each_with_its_gpus(void **state)
{
    (void)state;
    for (uint32_t part = 1; part <= 2; part++) {
        struct topology topology = two_sockets();
        topology_part(&topology, part, 2);
        assert_int_equal(topology.core_count, 8);
        assert_int_equal(topology.cores[0].pu, (part - 1) * 8);
        assert_int_equal(topology.gpu_count, 2);
        assert_int_equal(topology.gpus[0].index, (part - 1) * 2);
        assert_int_equal(topology.memory, UINT64_C(256) << 30);
        assert_false(topology.packages[0].split || topology.packages[1].split);
        topology_fini(&topology);
    }
}

static void parts_have_every_core_and_gpu_exactly_once(void **state)
{
    (void)state;
    for (uint32_t parts = 1; parts <= 16; parts++) {
        struct numbers cores = {0}, gpus = {0};
        size_t core_count = 0, gpu_count = 0;
        for (uint32_t part = 1; part <= parts; part++) {
            struct topology topology = two_sockets();
            topology_part(&topology, part, parts);
            assert_true(topology.core_count > 0);
            assert_false(topology.cores_shared);
            for (uint32_t i = 0; i < topology.core_count; i++)
                numbers_add(&cores, topology.cores[i].pu);
            for (uint32_t i = 0; i < topology.gpu_count; i++)
                numbers_add(&gpus, topology.gpus[i].index);
            core_count += topology.core_count;
            gpu_count += topology.gpu_count;
            topology_fini(&topology);
        }
        assert_int_equal(cores.count, 16);
        assert_int_equal(core_count, 16);
        assert_int_equal(gpus.count, 4);
        assert_int_equal(gpu_count, 4);
        numbers_fini(&cores);
        numbers_fini(&gpus);
    }
}

static void more_workers_than_cores_share_them(void **state)
{
    (void)state;
    for (uint32_t part = 1; part <= 6; part++) {
        struct topology topology = read_topology(TOPOLOGIES "plain.xml", NULL);
        topology_part(&topology, part, 6);
        assert_true(topology.cores_shared);
        assert_int_equal(topology.core_count, 1);
        assert_int_equal(topology.cores[0].pu, (part - 1) % 4);
        topology_fini(&topology);
    }
}

static void a_socket_that_parts_divide_is_marked(void **state)
{
    (void)state;
    struct topology topology = two_sockets();
    topology_part(&topology, 2, 3); /* cores 5-9 */
    assert_true(topology.packages[0].split);
    assert_true(topology.packages[1].split);
    topology_fini(&topology);
}

static void a_topology_as_json_has_its_cores_and_gpus(void **state)
{
    (void)state;
    struct topology topology = two_sockets();
    json_t *json = topology_json(&topology);
    assert_int_equal(json_array_size(json_object_get(json, "cores")), 16);
    const json_t *gpu = json_array_get(json_object_get(json, "gpus"), 3);
    assert_string_equal(json_string_value(json_object_get(gpu, "near")), "8-15");
    json_decref(json);
    topology_fini(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_put_in_words),
        cmocka_unit_test(a_core_is_its_first_hyperthread),
        cmocka_unit_test(this_machine_has_cores_that_this_process_may_use),
        cmocka_unit_test(cores_outside_our_affinity_are_not_seen),
        cmocka_unit_test(a_file_that_is_no_topology_is_refused),
        cmocka_unit_test(gpus_of_a_list_are_near_what_it_says),
        cmocka_unit_test(a_bad_list_of_gpus_names_its_line),
        cmocka_unit_test(only_gpus_that_are_visible_count),
        cmocka_unit_test(without_a_driver_slurms_word_is_taken_for_gpus),
        cmocka_unit_test(the_drivers_gpus_are_near_what_the_kernel_says),
        cmocka_unit_test(partitions_of_a_gpu_are_gpus_of_their_own),
        cmocka_unit_test(two_workers_on_two_sockets_get_one_each_with_its_gpus),
        cmocka_unit_test(parts_have_every_core_and_gpu_exactly_once),
        cmocka_unit_test(more_workers_than_cores_share_them),
        cmocka_unit_test(a_socket_that_parts_divide_is_marked),
        cmocka_unit_test(a_topology_as_json_has_its_cores_and_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
