/* What may be wrong with a GPU: the signs by which it shows, whose fault it is, and the sentence. */
#ifndef GANNET_WORKER_HARDWARE_GPU_FAULT_H
#define GANNET_WORKER_HARDWARE_GPU_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum gpu_sign { GPU_SIGN_NONE, GPU_SIGN_XID, GPU_SIGN_CODE, GPU_SIGN_ECC };
enum gpu_blame { GPU_BLAME_NOBODY, GPU_BLAME_PROGRAM, GPU_BLAME_RUN, GPU_BLAME_GPU };

/* {0}: nothing is wrong. */
struct gpu_fault {
    enum gpu_sign sign;
    unsigned number; /* XID: the event's; CODE: NVML's; ECC: how many errors */
};

/* NOBODY: nothing is wrong, or what the sign says is not known to be anybody's fault. */
enum gpu_blame gpu_fault_blame(struct gpu_fault fault);

/* "has fallen off the bus (Xid 79)". Of what is not in the list: "says Xid 4711". Returns `out`. */
const char *gpu_fault_words(struct gpu_fault fault, char *out, size_t size);

/* A code of NVML in words, of a call that failed: "the driver is not loaded (NVML 9)". Returns `out`. */
const char *gpu_code_words(int code, char *out, size_t size);

#endif
