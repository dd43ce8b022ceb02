/* The backends of gannet-trainer-cuda: that list.c of worker/backend does not count there. */
#include "worker/backend/cuda/slots.h"

#define SLOT(slot, words) .slot = cuda_##slot,
#define OF_STACK(slot)    .slot = cuda_stack_##slot,

static const struct backend_stack stack = {STACK_SLOTS(OF_STACK)};

static const struct backend_kind backend_cuda = {.version = BACKEND_VERSION,
                                                 .name = "cuda",
                                                 .summary = "an NVIDIA GPU",
                                                 CUDA_SLOTS(SLOT) OPERATIONS(SLOT).stack = &stack};

const struct backend_kind *const backend_list[] = {
    &backend_cuda,
#ifdef HAVE_ONEDNN
    &backend_onednn,
#endif
    &backend_ref,
    NULL,
};
