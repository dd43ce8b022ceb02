/* The GPUs that NVIDIA's driver knows; see topology_gpus.h. */
#include "worker/hardware/topology_gpus.h"
#include "common/buf.h"
#include "common/mem.h"

#include <ctype.h>
#include <fcntl.h>
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

/* Adds a device, or a partition of one. */
static struct topology_gpu *add_device(struct topology *topology, const struct nvml *nvml, void *device, uint32_t index,
                                       uint32_t parent)
{
    char uuid[96] = "", name[96] = "GPU";
    struct nvml_memory memory = {0};
    nvml->device_uuid(device, uuid, sizeof uuid);
    nvml->device_name(device, name, sizeof name);
    if (nvml->device_memory && nvml->device_memory(device, &memory))
        memory.total = 0;
    topology->gpus = mem_resize(topology->gpus, topology->gpu_count + 1, sizeof *topology->gpus);
    struct topology_gpu *gpu = &topology->gpus[topology->gpu_count++];
    *gpu = (struct topology_gpu){
        .index = index, .parent = parent, .uuid = mem_text(uuid), .name = mem_text(name), .memory = memory.total};
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
                           const struct numbers *near, uint32_t *next)
{
    enum { MOST = 64 };
    unsigned most = 0;
    void *partition;
    if (nvml->mig_most(device, &most))
        return;
    for (unsigned i = 0; i < most && i < MOST; i++)
        if (nvml->mig_handle(device, i, &partition) == 0)
            numbers_merge(&add_device(topology, nvml, partition, (*next)++, index)->near, near);
}

void gpus_from_driver(struct topology *topology, const struct nvml *nvml, const char *devices)
{
    unsigned count;
    if (nvml->device_count(&count))
        return;
    uint32_t next = count; /* the number of the next partition, behind those of all GPUs */
    for (unsigned i = 0; i < count; i++) {
        void *device;
        struct nvml_pci pci = {0};
        struct numbers near = {0};
        if (nvml->device_handle(i, &device))
            continue; /* hidden from this process, or broken */
        if (nvml->device_pci(device, &pci) == 0)
            read_near(devices, pci.bus_id, &near);
        if (is_partitioned(nvml, device))
            add_partitions(topology, nvml, device, i, &near, &next);
        else
            numbers_merge(&add_device(topology, nvml, device, i, TOPOLOGY_NONE)->near, &near);
        numbers_fini(&near);
    }
}
