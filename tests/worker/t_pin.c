/* Binding: what a process of a slot finds when it starts. */
#include "worker/hardware/pin.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct topology small_topology(uint32_t nodes)
{
    struct topology topology = {.part = 1, .parts = 1, .node_count = nodes, .gpu_count = 2};
    topology.gpus = MEM_ARRAY(struct topology_gpu, 2);
    topology.gpus[0] = (struct topology_gpu){.index = 3, .uuid = mem_text("GPU-a"), .name = mem_text("A")};
    topology.gpus[1] = (struct topology_gpu){.index = 5, .uuid = mem_text(""), .name = mem_text("B")};
    return topology;
}

static const char *env_of(const struct pin *pin, const char *name)
{
    for (const char *const *entry = pin_env(pin); *entry; entry++)
        if (strncmp(*entry, name, strlen(name)) == 0)
            return *entry + strlen(name);
    return NULL;
}

static void a_part_of_a_gpu_is_told_to_its_programs(void **state)
{
    (void)state;
    static const char *const marks[] = {NULL};
    struct topology topology = small_topology(1);
    struct slot_place place = {.gpu_slots = 4};
    numbers_add(&place.cores, 4);
    numbers_add(&place.gpus, 0);
    struct pin *pin = pin_create(&topology, &place, marks);
    assert_string_equal(env_of(pin, "GANNET_GPU_SHARE="), "0.25");
    assert_null(env_of(pin, "GANNET_GPU_MEMORY=")); /* the driver does not say how much it is */
    assert_string_equal(env_of(pin, "XLA_PYTHON_CLIENT_MEM_FRACTION="), "0.2250");
    pin_destroy(pin);
    topology.gpus[0].memory = (uint64_t)80 << 30;
    pin = pin_create(&topology, &place, marks);
    assert_string_equal(env_of(pin, "GANNET_GPU_MEMORY="), "21474836480");
    assert_string_equal(env_of(pin, "XLA_PYTHON_CLIENT_MEM_FRACTION="), "0.2437"); /* (20 GiB - 512 MiB) / 80 GiB */
    pin_destroy(pin);
    place.gpu_slots = 1;
    pin = pin_create(&topology, &place, marks);
    assert_null(env_of(pin, "GANNET_GPU_SHARE="));
    assert_null(env_of(pin, "XLA_PYTHON_CLIENT_MEM_FRACTION="));
    pin_destroy(pin);
    numbers_fini(&place.gpus);
    numbers_fini(&place.cores);
    topology_fini(&topology);
}

static void gpus_are_named_by_uuid_or_number_and_hidden_when_none_was_asked_for(void **state)
{
    (void)state;
    static const char *const marks[] = {"GANNET_OWNER=me", NULL};
    struct topology topology = small_topology(1);
    struct slot_place place = {0}, none = {0};
    numbers_add(&place.gpus, 0);
    numbers_add(&place.gpus, 1);
    numbers_add(&place.cores, 4);
    numbers_add(&place.cores, 6);
    struct pin *pin = pin_create(&topology, &place, marks);
    assert_string_equal(env_of(pin, "CUDA_VISIBLE_DEVICES="), "GPU-a,5");
    assert_string_equal(env_of(pin, "OMP_NUM_THREADS="), "2");
    assert_string_equal(env_of(pin, "GANNET_OWNER="), "me");
    assert_int_equal(pin_threads(pin), 2);
    pin_destroy(pin);
    pin = pin_create(&topology, &none, marks);
    assert_string_equal(env_of(pin, "CUDA_VISIBLE_DEVICES="), "");
    pin_destroy(pin);
    pin_destroy(NULL);
    numbers_fini(&place.gpus);
    numbers_fini(&place.cores);
    topology_fini(&topology);
}

static void ended(void *context, const struct proc_exit *how)
{
    (void)how;
    loop_stop(context);
}

/* Runs a script bound to the place; it writes the file "out" in the scratch directory, whose text is returned. */
static void run_bound(void **state, const struct slot_place *place, uint32_t nodes, const char *script, struct buf *out)
{
    static const char *const marks[] = {NULL};
    struct err err = {""};
    struct topology topology = small_topology(nodes);
    struct loop *loop = loop_create();
    struct pin *pin = pin_create(&topology, place, marks);
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    struct proc_setup setup = {
        .argv = argv, .env = pin_env(pin), .directory = *state, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = -1};
    pin_apply(pin, &setup);
    struct proc *proc = proc_start(loop, &setup, ended, loop, &err);
    if (!proc)
        fail_msg("%s", err.text);
    loop_run(loop, &err);
    proc_destroy(proc);
    assert_int_equal(path_read(path_in(state, "out"), out, 10000, &err), 0);
    pin_destroy(pin);
    loop_destroy(loop);
    topology_fini(&topology);
}

static void a_process_runs_on_the_slots_cores_only(void **state)
{
    cpu_set_t ours;
    struct slot_place place = {0};
    struct buf out = {0}, expected = {0};
    uint32_t cpu = 0;
    sched_getaffinity(0, sizeof ours, &ours);
    while (!CPU_ISSET(cpu, &ours))
        cpu++;
    numbers_add(&place.cpus, cpu);
    run_bound(state, &place, 1, "grep Cpus_allowed_list /proc/self/status > out", &out);
    buf_format(&expected, "Cpus_allowed_list:\t%u\n", cpu);
    assert_string_equal(buf_str(&out), buf_str(&expected));
    numbers_fini(&place.cpus);
    buf_fini(&out);
    buf_fini(&expected);
}

static void a_process_takes_its_memory_from_the_slots_node(void **state)
{
    struct slot_place place = {0};
    struct buf out = {0};
    if (!path_exists("/proc/self/numa_maps"))
        skip_because("whether memory is bound: this kernel has no NUMA");
    numbers_add(&place.nodes, 0);
    run_bound(state, &place, 2, "cat /proc/self/numa_maps > out", &out);
    assert_has(buf_str(&out), "prefer");
    numbers_fini(&place.nodes);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_gpu_is_told_to_its_programs),
        cmocka_unit_test(gpus_are_named_by_uuid_or_number_and_hidden_when_none_was_asked_for),
        cmocka_unit_test_setup_teardown(a_process_runs_on_the_slots_cores_only, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_process_takes_its_memory_from_the_slots_node, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
