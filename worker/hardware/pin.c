/* Binding; see pin.h. */
#include "worker/hardware/pin.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/texts.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's own numbers of <linux/mempolicy.h>, which is not installed everywhere. */
enum { PREFERRED = 1 };

struct pin {
    cpu_set_t *cpus; /* NULL: not bound */
    size_t cpus_size;
    unsigned long *nodes; /* a mask with one node; NULL: memory is not bound */
    unsigned long nodes_bits;
    uint32_t threads;
    struct texts env;
};

/* "CUDA_VISIBLE_DEVICES=GPU-1,GPU-2"; by number where the UUID is not known, or not understood. */
static void add_list(struct pin *pin, const struct topology *topology, const struct slot_place *place, const char *name,
                     bool by_number)
{
    struct buf list = {0};
    buf_format(&list, "%s=", name);
    for (size_t i = 0; i < place->gpus.count; i++) {
        const struct topology_gpu *gpu = &topology->gpus[place->gpus.items[i]];
        buf_text(&list, i ? "," : "");
        if (*gpu->uuid && !by_number)
            buf_text(&list, gpu->uuid);
        else
            buf_format(&list, "%u", gpu->index);
    }
    texts_add(&pin->env, buf_take(&list));
}

/* Those of other makers are set where they are set for us, as Slurm does: they name the GPUs of the whole job. */
static void add_gpus(struct pin *pin, const struct topology *topology, const struct slot_place *place)
{
    static const char *const others[] = {"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"};
    add_list(pin, topology, place, "CUDA_VISIBLE_DEVICES", false);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (getenv(others[i]))
            add_list(pin, topology, place, others[i], true);
    texts_add(&pin->env,
              mem_text("CUDA_DEVICE_ORDER=PCI_BUS_ID")); /* numbers mean what the driver's tools mean by them */
}

/* What a program has of the GPU that it shares. JAX takes 3/4 of a GPU's memory at its start unless it is told less: it
 * is told its part, without the half gigabyte that a process's CUDA context takes besides, or with a tenth off where
 * the GPU's memory is not known. */
static void add_share(struct pin *pin, const struct topology *topology, const struct slot_place *place)
{
    static const double context = 512.0 * 1048576;
    double share = place->gpu_slots > 1 ? 1.0 / place->gpu_slots : 1, memory = (double)slot_gpu_memory(topology, place);
    if (share >= 1)
        return;
    double free_part = memory > 0 ? fmax(1 - context / memory, 0.5) : 0.9;
    texts_add(&pin->env, mem_format("GANNET_GPU_SHARE=%.6g", share));
    if (memory > 0)
        texts_add(&pin->env, mem_format("GANNET_GPU_MEMORY=%.0f", memory));
    texts_add(&pin->env, mem_format("XLA_PYTHON_CLIENT_MEM_FRACTION=%.4f", share * free_part));
}

/* Its part, where the Multi-Process Service sees to it. The GPU has number 0 to who sees no other. */
static void add_mps(struct pin *pin, const struct topology *topology, const struct slot_place *place)
{
    enum { ALL = 100 };
    uint64_t memory = slot_gpu_memory(topology, place) >> 20;
    if (!place->mps || place->gpu_slots < 2)
        return;
    if (*place->mps)
        texts_add(&pin->env, mem_format("CUDA_MPS_PIPE_DIRECTORY=%s", place->mps));
    texts_add(&pin->env,
              mem_format("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=%u", place->gpu_slots < ALL ? ALL / place->gpu_slots : 1));
    if (memory)
        texts_add(&pin->env, mem_format("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=%lluM", (unsigned long long)memory));
}

static void set_cpus(struct pin *pin, const struct numbers *cpus)
{
    if (!cpus->count)
        return;
    size_t capacity = cpus->items[cpus->count - 1] + 1;
    pin->cpus = CPU_ALLOC(capacity);
    pin->cpus_size = CPU_ALLOC_SIZE(capacity);
    CPU_ZERO_S(pin->cpus_size, pin->cpus);
    for (size_t i = 0; i < cpus->count; i++)
        CPU_SET_S(cpus->items[i], pin->cpus_size, pin->cpus);
}

static void set_node(struct pin *pin, uint32_t node)
{
    enum { WORD_BITS = 8 * sizeof(unsigned long) };
    size_t words = node / WORD_BITS + 1;
    pin->nodes = MEM_ARRAY(unsigned long, words);
    pin->nodes[node / WORD_BITS] = 1UL << node % WORD_BITS;
    pin->nodes_bits = words * WORD_BITS + 1; /* the kernel takes one off */
}

/* "GANNET=/path/of/gannet": the program that belongs to this worker, for programs that have something to ask it. */
static void add_gannet(struct texts *env)
{
    char *here = path_program_directory(), *gannet = path_join(here, "gannet");
    if (path_exists(gannet))
        texts_add(env, mem_format("GANNET=%s", gannet));
    free(gannet);
    free(here);
}

struct pin *pin_create(const struct topology *topology, const struct slot_place *place, const char *const *marks)
{
    struct pin *pin = MEM_NEW(struct pin);
    pin->threads = (uint32_t)place->cores.count;
    set_cpus(pin, &place->cpus);
    /* Over several nodes memory comes from the node of the core that touches it first, which is just right. */
    if (place->nodes.count == 1)
        set_node(pin, place->nodes.items[0]);
    texts_add_all(&pin->env, marks);
    texts_add(&pin->env, mem_format("OMP_NUM_THREADS=%u", pin->threads));
    add_gpus(pin, topology, place);
    add_share(pin, topology, place);
    add_mps(pin, topology, place);
    add_gannet(&pin->env);
    return pin;
}

void pin_destroy(struct pin *pin)
{
    if (!pin)
        return;
    texts_fini(&pin->env);
    CPU_FREE(pin->cpus);
    free(pin->nodes);
    free(pin);
}

/* In the child. The node is preferred, not forced: when it is full a trial runs slower rather than be killed. Where the
 * call is not allowed (some containers) memory comes from the cores' node anyway while there is some. */
static int prefer_node(void *context)
{
    const struct pin *pin = context;
    syscall(SYS_set_mempolicy, PREFERRED, pin->nodes, pin->nodes_bits);
    return 0;
}

void pin_apply(const struct pin *pin, struct proc_setup *setup)
{
    setup->cpus = pin->cpus;
    setup->cpus_size = pin->cpus_size;
    if (pin->nodes) {
        setup->prepare = prefer_node;
        setup->context = (void *)(uintptr_t)pin;
    }
}

const char *const *pin_env(const struct pin *pin)
{
    return (const char *const *)pin->env.items;
}

uint32_t pin_threads(const struct pin *pin)
{
    return pin->threads;
}
