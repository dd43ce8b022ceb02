#!/bin/bash
# what a run's GPUs did is counted by the driver's library, here one that is made up; without one nothing is known
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs cc
cat >nvml.c <<'C'
#include <string.h>
#include <time.h>
static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) { static char one; *device = &one; return i != 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) { *device = (void *)uuid; return strcmp(uuid, "GPU-made-up") != 0; }
int nvmlDeviceGetUUID(void *d, char *out, unsigned size) { strncpy(out, "GPU-made-up", size); return 0; }
int nvmlDeviceGetName(void *d, char *out, unsigned size) { strncpy(out, "Imagined", size); return 0; }
int nvmlDeviceGetPciInfo_v3(void *d, void *pci) { return 1; }
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *m) { m[0] = 8000; m[1] = 3000; m[2] = 5000; return 0; }
int nvmlDeviceGetUtilizationRates(void *d, unsigned *use) { use[0] = 75; use[1] = 10; return 0; }
int nvmlDeviceGetPowerUsage(void *d, unsigned *mw) { *mw = 1; return 0; }
int nvmlDeviceGetClockInfo(void *d, int type, unsigned *mhz) { *mhz = 1500; return 0; }
int nvmlDeviceGetMaxClockInfo(void *d, int type, unsigned *mhz) { *mhz = 2000; return 0; }
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj) { *mj = (unsigned long long)(now() * 200000); return 0; }
C
claim "a driver's library is made up" cc -shared -fPIC -w -o libnvidia-ml.so.1 nvml.c
cat >work.yaml <<'YAML'
version: 1
name: work
trial: {command: [sh, -c, "sleep 4; echo loss=1", "${params.x}"]}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {gpus: 1}
limits: {max_trials: 1}
YAML
ask() { sqlite3 -readonly "$1/gannet.db" "$2"; }
claim "a search on that GPU runs" env -u CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH="$PWD" gannet run work.yaml --dir one --quiet
is "its use, memory and clocks are known" "gpu_clock 1500 gpu_clock_most 2000 gpu_memory 5000 gpu_use 0.75" \
    "$(ask one "SELECT group_concat(counter || ' ' || printf('%g', value), ' ') FROM (SELECT * FROM v_counters WHERE counter
        IN ('gpu_use', 'gpu_memory', 'gpu_clock', 'gpu_clock_most') ORDER BY counter)")"
is "its joules are those of its time by what the driver counts" 1 "$(ask one "SELECT abs(max(CASE WHEN counter = 'energy_gpus' THEN value
    END) / (SELECT seconds FROM runs) / 200 - 1) < 0.5 FROM v_counters")"
is "what the driver does not say is unknown" 0 "$(ask one "SELECT count(*) FROM v_counters WHERE counter LIKE 'gpu_throttled%'")"
sed -i 's/^resources.*//' work.yaml
claim "a search without GPUs runs" gannet run work.yaml --dir none --quiet --gpus ''
is "nothing is known of them" 0 "$(ask none "SELECT count(*) FROM v_counters WHERE counter LIKE 'gpu_%'")"
is "with a reason" 1 "$(ask none "SELECT count(*) FROM v_uncounted WHERE counter = 'gpu_use' AND why LIKE '%GPU%'")"
finish
