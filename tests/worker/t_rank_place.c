/* The parts of a slot that several processes have: on nodes that are described in files, and properties that hold on
 * any node. */
#include "common/mem.h"
#include "common/rng.h"
#include "worker/hardware/rank_place.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A node with so many cores in each NUMA node, each of which is a socket. */
static struct topology make_topology(uint32_t nodes, uint32_t each)
{
    struct topology topology = {.core_count = nodes * each, .package_count = nodes, .node_count = nodes};
    topology.cores = MEM_ARRAY(struct topology_core, nodes * each);
    topology.packages = MEM_ARRAY(struct topology_package, nodes);
    topology.nodes = MEM_ARRAY(struct topology_node, nodes);
    for (uint32_t i = 0; i < nodes * each; i++)
        topology.cores[i] =
            (struct topology_core){.pu = i, .first = i, .threads = 1, .package = i / each, .node = i / each};
    for (uint32_t i = 0; i < nodes; i++)
        topology.nodes[i].os = topology.packages[i].os = i;
    return topology;
}

/* The parts of the whole node as a slot, in words, a line each. */
static void assert_parts(const struct topology *topology, enum task_bind bind, uint32_t ranks, const char *expected)
{
    struct slots slots;
    struct err err = {""};
    struct buf words = {0};
    struct slot_request request = {.sockets = topology->package_count, .bind = bind, .memory = 4ULL << 20};
    assert_int_equal(slots_make(topology, &request, &slots, &err), 0);
    for (uint32_t i = 0; i < ranks; i++) {
        struct slot_place place;
        rank_place_make(topology, &slots.places[0], bind, i, ranks, &place);
        slot_words(topology, &place, &words);
        buf_text(&words, "\n");
        slot_place_fini(&place);
    }
    assert_string_equal(buf_str(&words), expected);
    buf_fini(&words);
    slots_fini(&slots);
}

static void processes_have_neighbouring_cores_of_one_node(void **state)
{
    (void)state;
    struct topology topology = make_topology(2, 4);
    assert_parts(&topology, TASK_BIND_CORE, 4,
                 "2 cores, cpus 0-1, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 2-3, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 4-5, NUMA node 1, 4.0 MiB\n"
                 "2 cores, cpus 6-7, NUMA node 1, 4.0 MiB\n");
    topology_fini(&topology);
}

static void what_does_not_divide_stays_idle_rather_than_cross_a_socket(void **state)
{
    (void)state;
    struct topology topology = make_topology(2, 5);
    assert_parts(&topology, TASK_BIND_CORE, 4,
                 "2 cores, cpus 0-1, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 2-3, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 5-6, NUMA node 1, 4.0 MiB\n"
                 "2 cores, cpus 7-8, NUMA node 1, 4.0 MiB\n");
    topology_fini(&topology);
}

static void three_processes_on_two_sockets_have_equal_parts_all_the_same(void **state)
{
    (void)state;
    struct topology topology = make_topology(2, 4);
    assert_parts(&topology, TASK_BIND_CORE, 3,
                 "2 cores, cpus 0-1, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 2-3, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 4-5, NUMA node 1, 4.0 MiB\n");
    topology_fini(&topology);
}

static void a_part_may_use_the_whole_numa_node_of_its_cores_when_it_is_bound_to_that(void **state)
{
    (void)state;
    struct topology topology = make_topology(2, 4);
    assert_parts(&topology, TASK_BIND_NUMA, 4,
                 "2 cores, cpus 0-3, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 0-3, NUMA node 0, 4.0 MiB\n"
                 "2 cores, cpus 4-7, NUMA node 1, 4.0 MiB\n"
                 "2 cores, cpus 4-7, NUMA node 1, 4.0 MiB\n");
    assert_parts(&topology, TASK_BIND_NONE, 2, "4 cores, not bound, 4.0 MiB\n4 cores, not bound, 4.0 MiB\n");
    topology_fini(&topology);
}

static void more_processes_than_cores_share_them(void **state)
{
    (void)state;
    struct topology topology = make_topology(1, 2);
    assert_parts(&topology, TASK_BIND_CORE, 4,
                 "1 core, cpu 0, 4.0 MiB\n1 core, cpu 0, 4.0 MiB\n1 core, cpu 1, 4.0 MiB\n1 core, cpu 1, 4.0 MiB\n");
    topology_fini(&topology);
}

/* On any node: parts are of equal size, within the slot, and no core is in two while there are enough. */
static void parts_are_equal_and_apart_on_any_node(void **state)
{
    (void)state;
    struct rng rng = rng_make(319, "rank_place", 0);
    for (int round = 0; round < 2000; round++) {
        uint32_t nodes = 1 + (uint32_t)rng_below(&rng, 4), each = 1 + (uint32_t)rng_below(&rng, 9);
        struct topology topology = make_topology(nodes, each);
        struct slot_place slot = {0};
        struct numbers seen = {0};
        for (uint32_t i = 0; i < nodes * each; i++)
            if (rng_below(&rng, 4) || !slot.cores.count)
                numbers_add(&slot.cores, i);
        uint32_t ranks = 1 + (uint32_t)rng_below(&rng, 12), share = (uint32_t)slot.cores.count / ranks;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            struct slot_place part;
            rank_place_make(&topology, &slot, TASK_BIND_CORE, rank, ranks, &part);
            assert_int_equal(part.cores.count, share ? share : 1);
            for (size_t i = 0; i < part.cores.count; i++) {
                assert_true(numbers_has(&slot.cores, part.cores.items[i]));
                assert_false(share && numbers_has(&seen, part.cores.items[i]));
            }
            numbers_merge(&seen, &part.cores);
            slot_place_fini(&part);
        }
        numbers_fini(&seen);
        slot_place_fini(&slot);
        topology_fini(&topology);
    }
}

static void of_a_gpu_that_slots_share_each_process_has_an_equal_part(void **state)
{
    (void)state;
    struct topology topology = make_topology(1, 4);
    struct slot_place slot = {.gpu_slots = 2, .mps = "/tmp/mps"}, part;
    for (uint32_t i = 0; i < 4; i++)
        numbers_add(&slot.cores, i);
    rank_place_make(&topology, &slot, TASK_BIND_CORE, 1, 4, &part);
    assert_int_equal(part.gpu_slots, 8);
    assert_string_equal(part.mps, slot.mps);
    slot_place_fini(&part);
    slot.gpu_slots = 1; /* the trial's own GPUs are seen by all of its processes */
    rank_place_make(&topology, &slot, TASK_BIND_CORE, 1, 4, &part);
    assert_int_equal(part.gpu_slots, 1);
    slot_place_fini(&part);
    slot_place_fini(&slot);
    topology_fini(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_have_neighbouring_cores_of_one_node),
        cmocka_unit_test(what_does_not_divide_stays_idle_rather_than_cross_a_socket),
        cmocka_unit_test(three_processes_on_two_sockets_have_equal_parts_all_the_same),
        cmocka_unit_test(a_part_may_use_the_whole_numa_node_of_its_cores_when_it_is_bound_to_that),
        cmocka_unit_test(more_processes_than_cores_share_them),
        cmocka_unit_test(of_a_gpu_that_slots_share_each_process_has_an_equal_part),
        cmocka_unit_test(parts_are_equal_and_apart_on_any_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
