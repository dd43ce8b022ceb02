/* Finds the driver's library; see nvml.h. */
#include "worker/hardware/nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Which function goes where in struct nvml. */
static const struct {
    const char *name;
    size_t offset;
    bool optional;
} functions[] = {
    {"nvmlInit_v2", offsetof(struct nvml, init), false},
    {"nvmlShutdown", offsetof(struct nvml, shutdown), false},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml, device_count), false},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, device_handle), false},
    {"nvmlDeviceGetUUID", offsetof(struct nvml, device_uuid), false},
    {"nvmlDeviceGetName", offsetof(struct nvml, device_name), false},
    {"nvmlDeviceGetPciInfo_v3", offsetof(struct nvml, device_pci), false},
    {"nvmlDeviceGetMemoryInfo", offsetof(struct nvml, device_memory), true},
    {"nvmlDeviceGetMigMode", offsetof(struct nvml, mig_mode), true},
    {"nvmlDeviceGetMaxMigDeviceCount", offsetof(struct nvml, mig_most), true},
    {"nvmlDeviceGetMigDeviceHandleByIndex", offsetof(struct nvml, mig_handle), true},
    {"nvmlDeviceGetHandleByUUID", offsetof(struct nvml, device_named), true},
    {"nvmlDeviceGetUtilizationRates", offsetof(struct nvml, device_use), true},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml, device_power), true},
    {"nvmlDeviceGetClockInfo", offsetof(struct nvml, device_clock), true},
    {"nvmlDeviceGetMaxClockInfo", offsetof(struct nvml, device_clock_most), true},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, device_reasons), true},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct nvml, device_energy), true},
    {"nvmlDeviceGetComputeMode", offsetof(struct nvml, device_mode), true},
    {"nvmlDeviceGetTotalEccErrors", offsetof(struct nvml, device_errors), true},
    {"nvmlSystemGetDriverVersion", offsetof(struct nvml, driver_version), true},
    {"nvmlEventSetCreate", offsetof(struct nvml, events_create), true},
    {"nvmlEventSetFree", offsetof(struct nvml, events_free), true},
    {"nvmlDeviceRegisterEvents", offsetof(struct nvml, device_events), true},
    {"nvmlEventSetWait_v2", offsetof(struct nvml, events_wait), true},
};

static bool find_functions(struct nvml *nvml)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(nvml->library, functions[i].name);
        if (!function && !functions[i].optional)
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
    bool has_all = find_functions(nvml);
    int refused = has_all ? nvml->init() : 0;
    if (has_all && refused == 0)
        return true;
    dlclose(nvml->library);
    *nvml = (struct nvml){.refused = refused};
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
