/* See kernel_memory.h. */
#include "cli/session/kernel_memory.h"

#include "cli/data/sibling.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdlib.h>

/* The memory of the largest GPU of this machine; 0: there is none, or its driver does not say. */
static uint64_t largest_gpu(void)
{
    static const char *const arguments[] = {"--show-slots", "--json", NULL};
    struct err err;
    uint64_t most = 0;
    size_t index;
    const json_t *gpu;
    json_t *shown = sibling_ask("gannet-worker", arguments, &err);
    json_array_foreach(json_object_get(json_object_get(shown, "topology"), "gpus"), index, gpu)
    {
        uint64_t memory = (uint64_t)json_integer_value(json_object_get(gpu, "memory"));
        most = memory > most ? memory : most;
    }
    json_decref(shown);
    return most;
}

/* What a trial has of a GPU; 0: not known. */
static uint64_t memory_of_trial(const struct spec_resources *resources, bool elsewhere)
{
    if (resources->gpu_memory)
        return resources->gpu_memory;
    double share = resources->gpu_share > 0 && resources->gpu_share < 1 ? resources->gpu_share : 1;
    return elsewhere || !resources->gpus ? 0 : (uint64_t)((double)largest_gpu() * share);
}

void kernel_memory_check(const struct spec *spec, uint64_t bytes, bool elsewhere, struct problems *problems)
{
    char needs[32], has[32];
    uint64_t memory = bytes ? memory_of_trial(&spec->resources, elsewhere) : 0;
    if (!memory || bytes <= memory)
        return;
    char *words = mem_format("a trial takes %s of its GPU for weights, activations and data, and has %s",
                             units_show_size(bytes, needs, sizeof needs), units_show_size(memory, has, sizeof has));
    problems_report(problems, elsewhere, spec->resources.gpu_memory ? "resources.gpu_memory" : "resources.gpus", true,
                    "gpu_memory", words,
                    "a smaller batch or fewer weights need less; a larger part of the GPU has more");
    free(words);
}
