/* The GPUs that NVIDIA's driver knows; see topology_gpus.h. */
#include "worker/hardware/topology_gpus.h"
#include "common/buf.h"
#include "common/mem.h"
#include "worker/hardware/gpu_fault.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The hyperthreads that the kernel says are near a device. The driver writes "00000000:3B:00.0", the kernel names the
 * same device "0000:3b:00.0". When the file can't be read, they are not known. */
static void read_near(const char *devices, const char *bus_id, struct numbers *near)
{
    struct buf path = {0};
    size_t skip = strlen(bus_id) > strlen("0000:3b:00.0") ? strlen(bus_id) - strlen("0000:3b:00.0") : 0;
    buf_format(&path, "%s/%s/local_cpulist", devices, bus_id + skip);
    for (size_t i = strlen(devices); i < path.length; i++)
        path.data[i] = (char)tolower((unsigned char)path.data[i]);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    char text[4096];
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    buf_fini(&path);
    if (length <= 0)
        return;
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (numbers_read(text, near, NULL))
        numbers_fini(near);
}

/* What of a driver's answers is beyond belief: a node has a few GPUs, of some hundred GiB each. */
enum { MOST_GPUS = 256, MOST_PARTITIONS = 64 };
#define MOST_MEMORY (1ULL << 50)

/* A text of the driver's as one that ends, and that can be shown. */
static void tidy_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static bool is_known(const struct topology *topology, const char *uuid)
{
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        if (*uuid && strcmp(topology->gpus[i].uuid, uuid) == 0)
            return true;
    return false;
}

static enum gpu_mode read_mode(const struct nvml *nvml, void *device)
{
    unsigned mode = NVML_ANYBODY;
    if (!nvml->device_mode || nvml->device_mode(device, &mode))
        return GPU_MODE_ANYBODY;
    return mode == NVML_NOBODY                                   ? GPU_MODE_NOBODY
           : mode == NVML_ONE_PROCESS || mode == NVML_ONE_THREAD ? GPU_MODE_ONE
                                                                 : GPU_MODE_ANYBODY;
}

/* Says why a GPU is not offered. */
static void note_code(struct topology *topology, uint32_t index, int code)
{
    char words[160];
    struct gpu_fault fault = {GPU_SIGN_CODE, (unsigned)code};
    if (gpu_fault_blame(fault) == GPU_BLAME_NOBODY)
        texts_add(&topology->gpu_notes,
                  mem_format("GPU %u is not offered: %s", index, gpu_code_words(code, words, sizeof words)));
    else
        texts_add(&topology->gpu_notes,
                  mem_format("GPU %u is not offered: it %s", index, gpu_fault_words(fault, words, sizeof words)));
}

/* Adds a device, or a partition of one. NULL: it can't be offered. */
static struct topology_gpu *add_device(struct topology *topology, const struct nvml *nvml, void *device, uint32_t index,
                                       uint32_t parent)
{
    char uuid[96] = "", name[96] = "";
    struct nvml_memory memory = {0};
    int code = nvml->device_uuid(device, uuid, sizeof uuid);
    if (gpu_fault_blame((struct gpu_fault){GPU_SIGN_CODE, (unsigned)code}) == GPU_BLAME_GPU) {
        note_code(topology, index, code);
        return NULL;
    }
    tidy_text(uuid, sizeof uuid);
    if (is_known(topology, uuid))
        return NULL;
    nvml->device_name(device, name, sizeof name);
    tidy_text(name, sizeof name);
    if (nvml->device_memory && (nvml->device_memory(device, &memory) || memory.total > MOST_MEMORY))
        memory.total = 0;
    topology->gpus = mem_resize(topology->gpus, topology->gpu_count + 1, sizeof *topology->gpus);
    struct topology_gpu *gpu = &topology->gpus[topology->gpu_count++];
    *gpu = (struct topology_gpu){.index = index,
                                 .parent = parent,
                                 .uuid = mem_text(uuid),
                                 .name = mem_text(*name ? name : "GPU"),
                                 .memory = memory.total};
    return gpu;
}

static bool is_partitioned(const struct nvml *nvml, void *device)
{
    unsigned current = 0, pending;
    return nvml->mig_mode && nvml->mig_most && nvml->mig_handle && nvml->mig_mode(device, &current, &pending) == 0 &&
           current != 0;
}

/* Adds the partitions of a device, numbered from *next on. Without any it can't be used at all. */
static void add_partitions(struct topology *topology, const struct nvml *nvml, void *device, uint32_t index,
                           const struct topology_gpu *like, uint32_t *next)
{
    unsigned most = 0;
    void *partition;
    if (nvml->mig_most(device, &most))
        return;
    for (unsigned i = 0; i < most && i < MOST_PARTITIONS; i++) {
        if (nvml->mig_handle(device, i, &partition))
            continue;
        struct topology_gpu *gpu = add_device(topology, nvml, partition, *next, index);
        if (!gpu)
            continue;
        ++*next;
        gpu->mode = like->mode;
        numbers_merge(&gpu->near, &like->near);
    }
}

/* Adds the GPU of this number, or its partitions. */
static void add_gpu(struct topology *topology, const struct nvml *nvml, const char *devices, uint32_t index,
                    uint32_t *next)
{
    void *device;
    struct nvml_pci pci = {0};
    struct topology_gpu like = {0};
    int code = nvml->device_handle(index, &device);
    if (code) { /* hidden from this process, or broken */
        note_code(topology, index, code);
        return;
    }
    like.mode = read_mode(nvml, device);
    if (nvml->device_pci(device, &pci) == 0) {
        pci.bus_id[sizeof pci.bus_id - 1] = '\0';
        read_near(devices, pci.bus_id, &like.near);
    }
    if (is_partitioned(nvml, device)) {
        add_partitions(topology, nvml, device, index, &like, next);
    } else {
        struct topology_gpu *gpu = add_device(topology, nvml, device, index, TOPOLOGY_NONE);
        if (gpu) {
            gpu->mode = like.mode;
            numbers_merge(&gpu->near, &like.near);
        }
    }
    numbers_fini(&like.near);
}

void gpus_from_driver(struct topology *topology, const struct nvml *nvml, const char *devices)
{
    unsigned count = 0;
    char version[96] = "", words[160];
    int code = nvml->device_count(&count);
    if (code)
        texts_add(&topology->gpu_notes, mem_format("the driver's library (libnvidia-ml.so.1) does not count GPUs: %s",
                                                   gpu_code_words(code, words, sizeof words)));
    if (nvml->driver_version && nvml->driver_version(version, sizeof version) == 0 && *version) {
        tidy_text(version, sizeof version);
        free(topology->driver);
        topology->driver = mem_text(version);
    }
    if (code)
        return;
    uint32_t next = count; /* the number of the next partition, behind those of all GPUs */
    for (unsigned i = 0; i < count && i < MOST_GPUS; i++)
        add_gpu(topology, nvml, devices, i, &next);
    if (count > MOST_GPUS)
        texts_add(&topology->gpu_notes,
                  mem_format("the driver's library counts %u GPUs: more than %d are not looked at", count, MOST_GPUS));
}
