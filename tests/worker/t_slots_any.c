/* Slots: properties that hold on any node, however its sockets, cores and GPUs lie. */
#include "common/mem.h"
#include "common/rng.h"
#include "worker/hardware/slots.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A random machine: packages of nodes of caches of cores, some cores not ours. */
static struct topology random_topology(struct rng *rng)
{
    struct topology topology = {.part = 1, .parts = 1};
    uint32_t packages = 1 + (uint32_t)rng_below(rng, 4), nodes = 1 + (uint32_t)rng_below(rng, 3);
    uint32_t caches = 1 + (uint32_t)rng_below(rng, 3), cores = 1 + (uint32_t)rng_below(rng, 5), pu = 0;
    topology.packages = MEM_ARRAY(struct topology_package, packages);
    topology.nodes = MEM_ARRAY(struct topology_node, packages * nodes);
    topology.cores = MEM_ARRAY(struct topology_core, packages * nodes * caches * cores);
    for (uint32_t p = 0; p < packages; p++)
        for (uint32_t n = 0; n < nodes; n++)
            for (uint32_t c = 0; c < caches * cores; c++, pu++)
                if (rng_below(rng, 8) || !pu)
                    topology.cores[topology.core_count++] =
                        (struct topology_core){.pu = pu,
                                               .threads = 1,
                                               .package = p,
                                               .node = p * nodes + n,
                                               .cache = (p * nodes + n) * caches + c / cores};
    topology.package_count = packages;
    topology.node_count = packages * nodes;
    topology.memory = (1 + rng_below(rng, 100)) << 30;
    topology.gpu_count = (uint32_t)rng_below(rng, 9);
    topology.gpus = MEM_ARRAY(struct topology_gpu, topology.gpu_count);
    for (uint32_t i = 0; i < topology.gpu_count; i++) {
        struct topology_gpu *gpu = &topology.gpus[i];
        *gpu = (struct topology_gpu){.index = i, .uuid = mem_text(""), .name = mem_text("GPU")};
        uint32_t node = (uint32_t)rng_below(rng, packages * nodes + 1); /* the last: not known */
        for (uint32_t c = 0; c < topology.core_count; c++)
            if (topology.cores[c].node == node)
                numbers_add(&gpu->near, topology.cores[c].pu);
    }
    return topology;
}

static struct slot_request random_wish(struct rng *rng)
{
    struct slot_request request = {.bind = (enum task_bind)rng_below(rng, 4)};
    if (rng_below(rng, 4) == 0)
        request.sockets = 1 + (uint32_t)rng_below(rng, 3);
    else if (rng_below(rng, 2))
        request.cpus = 1 + (uint32_t)rng_below(rng, 12);
    if (rng_below(rng, 2))
        request.gpus = 1 + (uint32_t)rng_below(rng, 4);
    if (request.gpus == 1)
        request.gpu_slots = (uint32_t)rng_below(rng, 5);
    if (!request.cpus && !request.sockets && rng_below(rng, 4) == 0)
        request.per_socket = 1 + (uint32_t)rng_below(rng, 6);
    if (rng_below(rng, 3) == 0)
        request.memory = (1 + rng_below(rng, 40)) << 30;
    return request;
}

static const struct topology_core *core_of(const struct topology *topology, uint32_t pu)
{
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (topology->cores[i].pu == pu)
            return &topology->cores[i];
    fail_msg("cpu %u is none of this node", pu);
    return NULL;
}

/* A slot's GPU is in as many slots as it says, and no more than may share it. */
static void check_sharers(const struct slots *slots, const struct slot_place *place, const struct slot_request *request)
{
    uint32_t sharers = 0;
    for (uint32_t i = 0; i < slots->count && place->gpus.count; i++)
        sharers += numbers_has(&slots->places[i].gpus, place->gpus.items[0]);
    assert_int_equal(place->gpu_slots, sharers);
    assert_true(sharers <= (request->gpu_slots > 1 ? request->gpu_slots : 1));
}

/* Every slot has what was wished for, and nothing is given out twice. */
static void check_shares(const struct topology *topology, const struct slot_request *request, const struct slots *slots)
{
    struct numbers cores = {0}, gpus = {0};
    size_t core_count = 0, gpu_count = 0;
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct slot_place *place = &slots->places[i];
        assert_true(place->cores.count >= 1);
        if (request->cpus && !request->sockets)
            assert_int_equal(place->cores.count, request->cpus);
        assert_int_equal(place->gpus.count, request->gpus);
        numbers_merge(&cores, &place->cores);
        numbers_merge(&gpus, &place->gpus);
        core_count += place->cores.count;
        gpu_count += place->gpus.count;
    }
    assert_int_equal(cores.count, core_count);
    assert_true(request->gpu_slots > 1 || gpus.count == gpu_count);
    for (uint32_t i = 0; i < slots->count; i++)
        check_sharers(slots, &slots->places[i], request);
    assert_true(request->memory * slots->count <= topology->memory || !request->memory);
    numbers_fini(&cores);
    numbers_fini(&gpus);
}

/* Bound cores hold the slot's own and lie in the same places; nodes are those of the bound cores. */
static void check_binding(const struct topology *topology, const struct slot_request *request,
                          const struct slot_place *place)
{
    assert_int_equal(place->cpus.count == 0, request->bind == TASK_BIND_NONE);
    for (size_t i = 0; i < place->cores.count && place->cpus.count; i++)
        assert_true(numbers_has(&place->cpus, place->cores.items[i]));
    for (size_t i = 0; i < place->cpus.count; i++) {
        const struct topology_core *bound = core_of(topology, place->cpus.items[i]);
        bool same = false;
        for (size_t c = 0; c < place->cores.count; c++) {
            const struct topology_core *own = core_of(topology, place->cores.items[c]);
            same |= own->pu == bound->pu || (request->bind == TASK_BIND_NUMA && own->node == bound->node) ||
                    (request->bind == TASK_BIND_SOCKET && own->package == bound->package);
        }
        assert_true(same);
        if (topology->node_count > 1)
            assert_true(numbers_has(&place->nodes, topology->nodes[bound->node].os));
    }
}

/* A slot of cores straddles sockets only when, as it was made, no socket had enough left: later slots show that, since
 * nothing is ever given back. */
static void check_packing(const struct topology *topology, const struct slot_request *request,
                          const struct slots *slots)
{
    uint32_t *left = MEM_ARRAY(uint32_t, topology->package_count);
    for (uint32_t i = 0; i < topology->core_count; i++)
        left[topology->cores[i].package]++;
    for (uint32_t s = 0; s < slots->count; s++) {
        const struct numbers *cores = &slots->places[s].cores;
        uint32_t first = core_of(topology, cores->items[0])->package;
        uint32_t last = core_of(topology, cores->items[cores->count - 1])->package;
        for (uint32_t p = 0; p < topology->package_count && first != last; p++)
            assert_true(left[p] < request->cpus);
        for (size_t i = 0; i < cores->count; i++)
            left[core_of(topology, cores->items[i])->package]--;
    }
    free(left);
}

/* A slot whose cores are all far from its GPU means that too few near ones were left. */
static void check_nearness(const struct topology *topology, const struct slots *slots)
{
    for (uint32_t s = 0; s < slots->count; s++) {
        const struct slot_place *place = &slots->places[s];
        if (place->gpus.count != 1)
            continue;
        const struct topology_gpu *gpu = &topology->gpus[place->gpus.items[0]];
        size_t near = 0, free_near = 0;
        for (size_t i = 0; i < place->cores.count; i++)
            near += topology_near(gpu, place->cores.items[i]);
        for (uint32_t i = 0; i < topology->core_count; i++) {
            bool taken = false;
            for (uint32_t other = 0; other < slots->count; other++)
                taken |= numbers_has(&slots->places[other].cores, topology->cores[i].pu);
            free_near += !taken && topology_near(gpu, topology->cores[i].pu);
        }
        if (near < place->cores.count)
            assert_true(free_near < place->cores.count);
    }
}

static void slots_of_any_node_hold_what_was_promised(void **state)
{
    (void)state;
    uint32_t made = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct rng rng = rng_make(seed, "slots", 0);
        struct topology topology = random_topology(&rng);
        struct slot_request request = random_wish(&rng);
        struct slots slots;
        struct err err = {""};
        uint32_t parts = 1 + (uint32_t)rng_below(&rng, 3);
        topology_part(&topology, 1 + (uint32_t)rng_below(&rng, parts), parts);
        if (slots_make(&topology, &request, &slots, &err)) {
            assert_string_not_equal(err.text, "");
        } else {
            made++;
            assert_true(slots.count >= 1);
            check_shares(&topology, &request, &slots);
            for (uint32_t i = 0; i < slots.count; i++)
                check_binding(&topology, &request, &slots.places[i]);
            if (request.cpus && !request.gpus && !request.sockets)
                check_packing(&topology, &request, &slots);
            if (request.gpus && !request.sockets && !request.per_socket)
                check_nearness(&topology, &slots);
            slots_fini(&slots);
        }
        topology_fini(&topology);
    }
    assert_true(made > 1000); /* else the wishes were too large to test anything */
}

static void cpus_alone_leave_fewer_cores_idle_than_a_slot_takes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct rng rng = rng_make(seed, "cpus", 0);
        struct topology topology = random_topology(&rng);
        struct slot_request request = {.cpus = 1 + (uint32_t)rng_below(&rng, topology.core_count)};
        struct slots slots;
        assert_int_equal(slots_make(&topology, &request, &slots, NULL), 0);
        assert_int_equal(slots.count, topology.core_count / request.cpus);
        slots_fini(&slots);
        topology_fini(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_of_any_node_hold_what_was_promised),
        cmocka_unit_test(cpus_alone_leave_fewer_cores_idle_than_a_slot_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
