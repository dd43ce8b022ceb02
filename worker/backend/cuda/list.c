/* The backends of gannet-trainer-cuda: that list.c of worker/backend does not count there. */
#include "worker/backend/cuda/slots.h"

#define SLOT(slot, words) .slot = cuda_##slot,

static const struct backend_kind backend_cuda = {
    .version = BACKEND_VERSION, .name = "cuda", .summary = "an NVIDIA GPU", CUDA_SLOTS(SLOT) OPERATIONS(SLOT)};

const struct backend_kind *const backend_list[] = {
    &backend_cuda,
#ifdef HAVE_ONEDNN
    &backend_onednn,
#endif
    &backend_ref,
    NULL,
};
