/* The GPUs that NVIDIA's driver knows; see topology_gpus.h. NVML's interface has been stable for ten years, so its six
 * functions are declared here and no header of CUDA is needed to build. */
#include "worker/hardware/topology_gpus.h"
#include "common/buf.h"
#include "common/mem.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Which function goes where in struct nvml. */
static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    {"nvmlInit_v2", offsetof(struct nvml, init)},
    {"nvmlShutdown", offsetof(struct nvml, shutdown)},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml, device_count)},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, device_handle)},
    {"nvmlDeviceGetUUID", offsetof(struct nvml, device_uuid)},
    {"nvmlDeviceGetName", offsetof(struct nvml, device_name)},
    {"nvmlDeviceGetPciInfo_v3", offsetof(struct nvml, device_pci)},
};

static bool find_functions(struct nvml *nvml)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(nvml->library, functions[i].name);
        if (!function)
            return false;
        memcpy((char *)nvml + functions[i].offset, &function, sizeof function);
    }
    return true;
}

bool nvml_open(struct nvml *nvml)
{
    *nvml = (struct nvml){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!nvml->library)
        return false;
    if (find_functions(nvml) && nvml->init() == 0)
        return true;
    dlclose(nvml->library);
    *nvml = (struct nvml){0};
    return false;
}

void nvml_close(struct nvml *nvml)
{
    if (nvml->shutdown)
        nvml->shutdown();
    if (nvml->library)
        dlclose(nvml->library);
    *nvml = (struct nvml){0};
}

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

void gpus_from_driver(struct topology *topology, const struct nvml *nvml, const char *devices)
{
    unsigned count;
    if (nvml->device_count(&count))
        return;
    topology->gpus = mem_resize(topology->gpus, topology->gpu_count + count, sizeof *topology->gpus);
    for (unsigned i = 0; i < count; i++) {
        void *device;
        char uuid[96] = "", name[96] = "GPU";
        struct nvml_pci pci = {0};
        if (nvml->device_handle(i, &device))
            continue; /* hidden from this process, or broken */
        nvml->device_uuid(device, uuid, sizeof uuid);
        nvml->device_name(device, name, sizeof name);
        struct topology_gpu *gpu = &topology->gpus[topology->gpu_count++];
        *gpu = (struct topology_gpu){.index = i, .uuid = mem_text(uuid), .name = mem_text(name)};
        if (nvml->device_pci(device, &pci) == 0)
            read_near(devices, pci.bus_id, &gpu->near);
    }
}
