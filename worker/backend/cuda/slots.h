/* The slots of struct backend_kind that are made here, named cuda_SLOT; backend.h says what each does. */
#ifndef GANNET_WORKER_BACKEND_CUDA_SLOTS_H
#define GANNET_WORKER_BACKEND_CUDA_SLOTS_H

#ifdef __cplusplus
#define _Static_assert static_assert
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#include "common/clock.h"
#include "common/mem.h"
#include "worker/backend/backend.h"

#define CUDA_SLOT(slot, words) extern __typeof__(*((struct backend_kind *)0)->slot) cuda_##slot;

/* What has no operation's name. */
/* clang-format off */
#define CUDA_SLOTS(X)                                                                                                  \
    X(create, )     X(destroy, )    X(takes, )      X(coarse, )     X(allocate, )   X(release, )    X(share, )         \
    X(unshare, )    X(upload, )     X(download, )   X(copy, )       X(wait, )       X(prepared, )   X(begin, )         \
    X(end, )        X(mean_steps, ) X(mean_steps_back, )
/* clang-format on */

CUDA_SLOTS(CUDA_SLOT)
OPERATIONS(CUDA_SLOT)
#undef CUDA_SLOT

/* Those of struct backend_stack (stack.cu), named cuda_stack_SLOT. */
#define STACK_SLOT(slot) extern __typeof__(*((struct backend_stack *)0)->slot) cuda_stack_##slot;
#define STACK_SLOTS(X)                                                                                                 \
    X(dense)                                                                                                           \
    X(dense_back_data) X(dense_back_weights) X(dropout) X(softmax_loss) X(clip) X(update) X(average)
STACK_SLOTS(STACK_SLOT)
#undef STACK_SLOT

#ifdef __cplusplus
}
#endif

#endif
