/* Slots on nodes that are described in files; what holds on any node is in t_slots_any.c. */
#include "common/gpu_share.h"
#include "worker/hardware/slots.h"

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

/* The slots in words, a line each. */
static void assert_slots(const struct topology *topology, struct slot_request request, const char *expected)
{
    struct slots slots;
    struct err err = {""};
    struct buf words = {0};
    if (slots_make(topology, &request, &slots, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < slots.count; i++) {
        slot_words(topology, &slots.places[i], &words);
        buf_text(&words, "\n");
    }
    assert_string_equal(buf_str(&words), expected);
    buf_fini(&words);
    slots_fini(&slots);
}

static void assert_refused(const struct topology *topology, struct slot_request request, const char *sentence)
{
    struct slots slots;
    struct err err = {""};
    assert_int_equal(slots_make(topology, &request, &slots, &err), -1);
    assert_string_equal(err.text, sentence);
    assert_int_equal(slots.count, 0);
}

/* --- the node with two sockets and four GPUs --- */

static int two_sockets(void **state)
{
    static struct topology topology;
    topology = read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "two-sockets.gpus");
    *state = &topology;
    return 0;
}

static int no_sockets(void **state)
{
    topology_fini(*state);
    return 0;
}

static void a_gpu_each_comes_with_the_nearest_cores(void **state)
{
    assert_slots(*state, (struct slot_request){.gpus = 1, .bind = TASK_BIND_CORE},
                 "4 cores, cpus 0-3, NUMA node 0, GPU 0\n"
                 "4 cores, cpus 4-7, NUMA node 0, GPU 1\n"
                 "4 cores, cpus 8-11, NUMA node 1, GPU 2\n"
                 "4 cores, cpus 12-15, NUMA node 1, GPU 3\n");
}

static void two_gpus_a_trial_are_of_one_socket(void **state)
{
    assert_slots(*state, (struct slot_request){.gpus = 2, .cpus = 4, .bind = TASK_BIND_CORE},
                 "4 cores, cpus 0-3, NUMA node 0, GPUs 0-1\n"
                 "4 cores, cpus 8-11, NUMA node 1, GPUs 2-3\n");
}

static void all_four_gpus_make_one_slot(void **state)
{
    assert_slots(*state, (struct slot_request){.gpus = 4, .cpus = 8, .bind = TASK_BIND_NUMA},
                 "8 cores, cpus 0-7, NUMA node 0, GPUs 0-3\n");
    assert_slots(*state, (struct slot_request){.gpus = 3, .bind = TASK_BIND_CORE},
                 "16 cores, cpus 0-15, NUMA nodes 0-1, GPUs 0-2\n");
}

static void a_socket_each_takes_its_gpus_along(void **state)
{
    assert_slots(*state, (struct slot_request){.sockets = 1, .gpus = 1, .bind = TASK_BIND_SOCKET},
                 "8 cores, cpus 0-7, NUMA node 0, GPU 0\n"
                 "8 cores, cpus 8-15, NUMA node 1, GPU 2\n");
    assert_slots(*state, (struct slot_request){.sockets = 2, .gpus = 4, .bind = TASK_BIND_CORE},
                 "16 cores, cpus 0-15, NUMA nodes 0-1, GPUs 0-3\n");
}

static void cpus_are_packed_within_sockets(void **state)
{
    /* 3 + 3 + 2 left on each socket: the fifth slot has to straddle them. */
    assert_slots(*state, (struct slot_request){.cpus = 3, .bind = TASK_BIND_CORE},
                 "3 cores, cpus 0-2, NUMA node 0\n"
                 "3 cores, cpus 3-5, NUMA node 0\n"
                 "3 cores, cpus 8-10, NUMA node 1\n"
                 "3 cores, cpus 11-13, NUMA node 1\n"
                 "3 cores, cpus 6-7,14, NUMA nodes 0-1\n");
}

static void binding_says_how_far_a_trial_may_stray(void **state)
{
    assert_slots(*state, (struct slot_request){.cpus = 8, .bind = TASK_BIND_NONE},
                 "8 cores, not bound\n8 cores, not bound\n");
    assert_slots(*state, (struct slot_request){.cpus = 6, .bind = TASK_BIND_SOCKET},
                 "6 cores, cpus 0-7, NUMA node 0\n6 cores, cpus 8-15, NUMA node 1\n");
}

static void memory_limits_the_number_of_slots(void **state)
{
    assert_slots(*state, (struct slot_request){.cpus = 1, .memory = UINT64_C(200) << 30, .bind = TASK_BIND_CORE},
                 "1 core, cpu 0, NUMA node 0, 200 GiB\n1 core, cpu 1, NUMA node 0, 200 GiB\n");
}

static void what_does_not_fit_is_said_in_a_sentence(void **state)
{
    assert_refused(*state, (struct slot_request){.gpus = 8}, "a trial wants 8 GPUs, this node has 4");
    assert_refused(*state, (struct slot_request){.cpus = 17}, "a trial wants 17 cores, this node has 16");
    assert_refused(*state, (struct slot_request){.sockets = 3}, "a trial wants 3 sockets, this node has 2");
    assert_refused(*state, (struct slot_request){.memory = UINT64_C(1) << 40},
                   "a trial wants 1.0 TiB of memory, this node has 512 GiB");
}

static void a_node_without_gpus_says_how_to_go_on(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", NULL);
    assert_refused(
        &topology, (struct slot_request){.gpus = 1},
        "a trial wants 1 GPU, this node has none that can be seen; gannet doctor shows what is there. Without "
        "resources.gpus trials take cores alone");
    assert_refused(
        &topology, (struct slot_request){.gpus = 1, .gpu_slots = 2, .gpu_memory = (uint64_t)8 << 30},
        "a trial wants half of a GPU, this node has none that can be seen; gannet doctor shows what is there. "
        "Without resources.gpus and gpu_memory trials take cores alone");
    assert_refused(&topology,
                   (struct slot_request){.gpus = 1, .gpu_slots = GPU_SHARE_MOST, .gpu_memory = (uint64_t)8 << 30},
                   "a trial wants 1 GPU, this node has none that can be seen; gannet doctor shows what is there. "
                   "Without resources.gpus and gpu_memory trials take cores alone");
    topology_fini(&topology);
}

static void a_part_says_that_it_is_one(void **state)
{
    struct topology *topology = *state;
    topology_part(topology, 2, 4);
    assert_refused(topology, (struct slot_request){.sockets = 1},
                   "a trial wants 1 whole socket, this worker has 0 (part 2 of 4 of its node); start fewer workers or "
                   "lower resources in the experiment file");
    assert_slots(topology, (struct slot_request){.gpus = 1, .bind = TASK_BIND_SOCKET},
                 "4 cores, cpus 4-7, NUMA node 0, GPU 1\n");
}

/* --- parts of GPUs and of sockets --- */

static void assert_shared(struct slot_request request, const char *expected)
{
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "shared.gpus");
    request.bind = TASK_BIND_CORE;
    assert_slots(&topology, request, expected);
    topology_fini(&topology);
}

static void two_trials_share_each_gpu_and_the_first_are_alone_on_theirs(void **state)
{
    (void)state;
    assert_shared((struct slot_request){.gpus = 1, .gpu_slots = 2},
                  "2 cores, cpus 0-1, NUMA node 0, half of GPU 0\n"
                  "2 cores, cpus 2-3, NUMA node 0, half of GPU 1\n"
                  "2 cores, cpus 8-9, NUMA node 1, half of GPU 2\n"
                  "2 cores, cpus 10-11, NUMA node 1, half of GPU 3\n"
                  "2 cores, cpus 4-5, NUMA node 0, half of GPU 0\n"
                  "2 cores, cpus 6-7, NUMA node 0, half of GPU 1\n"
                  "2 cores, cpus 12-13, NUMA node 1, half of GPU 2\n"
                  "2 cores, cpus 14-15, NUMA node 1, half of GPU 3\n");
}

static void where_cores_run_out_trials_are_spread_over_the_gpus(void **state)
{
    (void)state;
    assert_shared((struct slot_request){.gpus = 1, .gpu_slots = 2, .cpus = 4},
                  "4 cores, cpus 0-3, NUMA node 0, GPU 0\n"
                  "4 cores, cpus 4-7, NUMA node 0, GPU 1\n"
                  "4 cores, cpus 8-11, NUMA node 1, GPU 2\n"
                  "4 cores, cpus 12-15, NUMA node 1, GPU 3\n");
}

static void a_gpu_holds_no_more_trials_than_its_memory(void **state)
{
    (void)state;
    assert_shared((struct slot_request){.gpus = 1, .gpu_slots = 100, .gpu_memory = (uint64_t)40 << 30},
                  "3 cores, cpus 0-2, NUMA node 0, half of GPU 0\n"
                  "3 cores, cpus 3-5, NUMA node 0, half of GPU 1\n"
                  "3 cores, cpus 11-13, NUMA node 1, half of GPU 0\n"
                  "3 cores, cpus 6-7,14, NUMA nodes 0-1, half of GPU 1\n"
                  "3 cores, cpus 8-10, NUMA node 1, GPU 3\n");
    assert_shared((struct slot_request){.gpus = 1, .gpu_memory = (uint64_t)30 << 30, .cpus = 2},
                  "2 cores, cpus 8-9, NUMA node 1, GPU 3\n"
                  "2 cores, cpus 0-1, NUMA node 0, GPU 0\n"
                  "2 cores, cpus 2-3, NUMA node 0, GPU 1\n");
}

static void no_gpu_with_so_much_memory_is_said(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "shared.gpus");
    assert_refused(&topology, (struct slot_request){.gpus = 2, .gpu_memory = (uint64_t)100 << 30},
                   "a trial wants 2 GPUs with 100 GiB of memory, this node has 1 such; its largest GPU has 80 GiB");
    topology_fini(&topology);
}

static void slots_whose_trials_train_together_are_one_place(void **state)
{
    assert_slots(*state, (struct slot_request){.cpus = 8, .fuse = 2, .bind = TASK_BIND_CORE},
                 "8 cores, cpus 0-7, NUMA node 0, with 1 other\n"
                 "8 cores, cpus 0-7, NUMA node 0, with 1 other\n"
                 "8 cores, cpus 8-15, NUMA node 1, with 1 other\n"
                 "8 cores, cpus 8-15, NUMA node 1, with 1 other\n");
}

static void a_share_of_a_gpu_is_that_of_all_that_train_together(void **state)
{
    (void)state;
    assert_shared(
        (struct slot_request){.gpus = 1, .gpu_memory = (uint64_t)30 << 30, .gpu_slots = 4, .cpus = 5, .fuse = 2},
        "5 cores, cpus 8-12, NUMA node 1, half of GPU 3, with 1 other\n"
        "5 cores, cpus 8-12, NUMA node 1, half of GPU 3, with 1 other\n"
        "5 cores, cpus 5-7,13-14, NUMA nodes 0-1, half of GPU 3, with 1 other\n"
        "5 cores, cpus 5-7,13-14, NUMA nodes 0-1, half of GPU 3, with 1 other\n"
        "5 cores, cpus 0-4, NUMA node 0, GPU 0, with 1 other\n"
        "5 cores, cpus 0-4, NUMA node 0, GPU 0, with 1 other\n");
}

static void the_trials_of_a_socket_get_the_same_number_of_its_cores(void **state)
{
    assert_slots(*state, (struct slot_request){.per_socket = 2, .gpus = 1, .bind = TASK_BIND_CORE},
                 "4 cores, cpus 0-3, NUMA node 0, GPU 0\n"
                 "4 cores, cpus 4-7, NUMA node 0, GPU 1\n"
                 "4 cores, cpus 8-11, NUMA node 1, GPU 2\n"
                 "4 cores, cpus 12-15, NUMA node 1, GPU 3\n");
    assert_slots(*state, (struct slot_request){.per_socket = 3, .bind = TASK_BIND_CORE},
                 "2 cores, cpus 0-1, NUMA node 0\n"
                 "2 cores, cpus 2-3, NUMA node 0\n"
                 "2 cores, cpus 4-5, NUMA node 0\n"
                 "2 cores, cpus 8-9, NUMA node 1\n"
                 "2 cores, cpus 10-11, NUMA node 1\n"
                 "2 cores, cpus 12-13, NUMA node 1\n");
    assert_refused(*state, (struct slot_request){.per_socket = 9},
                   "9 trials are to share a socket (trials_per_socket), but no socket here has more than 8 cores");
}

/* Cores of a slot that lie in more than one place of a kind; 0: it straddles none. */
static uint32_t places_of(const struct topology *topology, const struct slot_place *place, bool caches)
{
    uint32_t places = 0;
    struct numbers seen = {0};
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (numbers_has(&place->cores, topology->cores[i].pu))
            numbers_add(&seen, caches ? topology->cores[i].cache : topology->cores[i].node);
    places = (uint32_t)seen.count;
    numbers_fini(&seen);
    return places;
}

static void the_trials_of_a_socket_keep_to_numa_nodes_and_caches_that_divide_it(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "128-cores.xml", NULL);
    for (uint32_t parts = 1; parts <= 16; parts *= 2) {
        struct slots slots;
        struct err err;
        struct slot_request request = {.per_socket = parts, .bind = TASK_BIND_CORE};
        assert_int_equal(slots_make(&topology, &request, &slots, &err), 0);
        uint32_t cores = topology.core_count / slots.count;
        assert_int_equal(slots.count, parts * topology.package_count);
        for (uint32_t i = 0; i < slots.count; i++) {
            assert_int_equal(slots.places[i].cores.count, cores);
            uint32_t a_node = topology.core_count / topology.node_count;
            assert_int_equal(places_of(&topology, &slots.places[i], false), cores > a_node ? cores / a_node : 1);
            if (cores <= 8)
                assert_int_equal(places_of(&topology, &slots.places[i], true), 1);
        }
        slots_fini(&slots);
    }
    topology_fini(&topology);
}

static void without_a_wish_each_core_is_a_slot(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "plain.xml", NULL);
    assert_slots(&topology, (struct slot_request){.bind = TASK_BIND_CORE},
                 "1 core, cpu 0\n1 core, cpu 1\n1 core, cpu 2\n1 core, cpu 3\n");
    topology_fini(&topology);
}

static void cores_that_share_a_cache_stay_together(void **state)
{
    (void)state;
    /* 16 caches of 8 cores: slots of 5 fill each cache once before any slot straddles two. */
    struct topology topology = read_topology(TOPOLOGIES "128-cores.xml", NULL);
    struct slots slots;
    struct slot_request request = {.cpus = 5, .bind = TASK_BIND_CORE};
    assert_int_equal(slots_make(&topology, &request, &slots, NULL), 0);
    assert_int_equal(slots.count, 128 / 5);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(slots.places[i].cores.items[0] / 16, slots.places[i].cores.items[4] / 16);
    slots_fini(&slots);
    topology_fini(&topology);
}

static void a_gpu_on_a_crowded_socket_leaves_the_other_its_cores(void **state)
{
    (void)state;
    struct topology topology = read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "crowded.gpus");
    assert_slots(&topology, (struct slot_request){.gpus = 1, .cpus = 4, .bind = TASK_BIND_CORE},
                 "4 cores, cpus 8-11, NUMA node 1, GPU 3\n"
                 "4 cores, cpus 0-3, NUMA node 0, GPU 0\n"
                 "4 cores, cpus 4-7, NUMA node 0, GPU 1\n"
                 "4 cores, cpus 12-15, NUMA node 1, GPU 2\n");
    topology_fini(&topology);
}

static void slots_as_json_have_their_places(void **state)
{
    struct slots slots;
    struct slot_request request = {.gpus = 1, .bind = TASK_BIND_CORE};
    assert_int_equal(slots_make(*state, &request, &slots, NULL), 0);
    json_t *json = slots_json(*state, &slots);
    assert_int_equal(json_array_size(json), 4);
    const json_t *last = json_array_get(json, 3);
    assert_string_equal(json_string_value(json_object_get(last, "cpus")), "12-15");
    assert_string_equal(json_string_value(json_object_get(last, "gpus")), "3");
    json_decref(json);
    slots_fini(&slots);
}

#define on_two_sockets(test) cmocka_unit_test_setup_teardown(test, two_sockets, no_sockets)

static void cores_that_may_be_others_are_not_bound_to(void **state)
{
    struct topology *topology = *state;
    struct slots slots;
    struct slot_request request = {.cpus = 4, .bind = TASK_BIND_CORE};
    topology->cores_unknown = true;
    assert_int_equal(slots_make(topology, &request, &slots, NULL), 0);
    topology->cores_unknown = false;
    assert_int_equal(slots.places[0].cores.count, 4);
    assert_int_equal(slots.places[0].cpus.count, 0);
    slots_fini(&slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_two_sockets(a_gpu_each_comes_with_the_nearest_cores),
        on_two_sockets(two_gpus_a_trial_are_of_one_socket),
        on_two_sockets(all_four_gpus_make_one_slot),
        on_two_sockets(a_socket_each_takes_its_gpus_along),
        on_two_sockets(cpus_are_packed_within_sockets),
        on_two_sockets(binding_says_how_far_a_trial_may_stray),
        on_two_sockets(memory_limits_the_number_of_slots),
        on_two_sockets(what_does_not_fit_is_said_in_a_sentence),
        cmocka_unit_test(a_node_without_gpus_says_how_to_go_on),
        on_two_sockets(a_part_says_that_it_is_one),
        cmocka_unit_test(two_trials_share_each_gpu_and_the_first_are_alone_on_theirs),
        cmocka_unit_test(where_cores_run_out_trials_are_spread_over_the_gpus),
        cmocka_unit_test(a_gpu_holds_no_more_trials_than_its_memory),
        cmocka_unit_test(no_gpu_with_so_much_memory_is_said),
        on_two_sockets(slots_whose_trials_train_together_are_one_place),
        cmocka_unit_test(a_share_of_a_gpu_is_that_of_all_that_train_together),
        on_two_sockets(the_trials_of_a_socket_get_the_same_number_of_its_cores),
        cmocka_unit_test(the_trials_of_a_socket_keep_to_numa_nodes_and_caches_that_divide_it),
        cmocka_unit_test(without_a_wish_each_core_is_a_slot),
        cmocka_unit_test(cores_that_share_a_cache_stay_together),
        cmocka_unit_test(a_gpu_on_a_crowded_socket_leaves_the_other_its_cores),
        on_two_sockets(slots_as_json_have_their_places),
        on_two_sockets(cores_that_may_be_others_are_not_bound_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
