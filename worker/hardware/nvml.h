/* The NVIDIA driver's library (NVML), found with dlopen: a machine without it needs nothing. Its interface has been
 * stable for ten years, so its functions are declared here and no header of CUDA is needed to build. */
#ifndef GANNET_WORKER_HARDWARE_NVML_H
#define GANNET_WORKER_HARDWARE_NVML_H

#include <stdbool.h>

/* nvmlMemory_t, in bytes. */
struct nvml_memory {
    unsigned long long total, free, used;
};

/* nvmlUtilization_t: per cent of the last moment in which a kernel ran, or memory was read or written. */
struct nvml_use {
    unsigned gpu, memory;
};

/* nvmlPciInfo_t as nvmlDeviceGetPciInfo_v3 fills it. */
struct nvml_pci {
    char legacy_bus[16];
    unsigned domain, bus, device, ids, subsystem_ids;
    char bus_id[32]; /* "00000000:3B:00.0" */
};

/* A bit of nvmlClocksThrottleReasons_t each. */
enum { NVML_POWER_CAP = 0x4, NVML_SOFT_HEAT = 0x20, NVML_HARD_HEAT = 0x40, NVML_POWER_BRAKE = 0x80 };
enum { NVML_CLOCK_SM = 1 };                          /* nvmlClockType_t */
enum { NVML_UNCORRECTED = 1, NVML_SINCE_RESET = 0 }; /* nvmlMemoryErrorType_t, nvmlEccCounterType_t */
enum { NVML_XID_EVENT = 8 };                         /* nvmlEventTypeXidCriticalError */

/* nvmlComputeMode_t: who may compute on a GPU. */
enum nvml_mode { NVML_ANYBODY, NVML_ONE_THREAD, NVML_NOBODY, NVML_ONE_PROCESS };

/* nvmlEventData_t. */
struct nvml_event {
    void *device;
    unsigned long long type, data; /* data: of an Xid its number */
    unsigned gpu_instance, compute_instance;
};

/* The functions of NVML that are used, under their names there; 0 is success. A test puts its own here. */
struct nvml {
    void *library; /* of dlopen; may be NULL */
    int (*init)(void);
    int (*shutdown)(void);
    int (*device_count)(unsigned *count);
    int (*device_handle)(unsigned index, void **device);
    int (*device_uuid)(void *device, char *out, unsigned size);
    int (*device_name)(void *device, char *out, unsigned size);
    int (*device_pci)(void *device, void *pci); /* fills a struct nvml_pci */

    /* Those that follow may be missing, and then are NULL. */
    int (*device_memory)(void *device, void *memory); /* fills a struct nvml_memory */
    int (*mig_mode)(void *device, unsigned *current, unsigned *pending);
    int (*mig_most)(void *device, unsigned *count);
    int (*mig_handle)(void *device, unsigned index, void **partition);
    int (*device_named)(const char *uuid, void **device);
    int (*device_use)(void *device, void *use); /* fills a struct nvml_use */
    int (*device_power)(void *device, unsigned *milliwatts);
    int (*device_clock)(void *device, int type, unsigned *megahertz);
    int (*device_clock_most)(void *device, int type, unsigned *megahertz);
    int (*device_reasons)(void *device, unsigned long long *reasons);
    int (*device_energy)(void *device, unsigned long long *millijoules);
    int (*device_mode)(void *device, unsigned *mode);
    int (*device_errors)(void *device, int type, int counter, unsigned long long *count);
    int (*driver_version)(char *out, unsigned size);
    int (*events_create)(void **events);
    int (*events_free)(void *events);
    int (*device_events)(void *device, unsigned long long types, void *events);
    int (*events_wait)(void *events, struct nvml_event *event, unsigned milliseconds);
    int refused; /* what init returned, when it does not start; 0: it did, or there is no such library */
};

/* Opens the driver's library and starts it; false when there is none or it doesn't start: no GPUs. It may take long,
 * or hang, as may any of its functions. */
bool nvml_open(struct nvml *nvml);
void nvml_close(struct nvml *nvml);

#endif
