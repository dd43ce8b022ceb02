/* A CUDA without a GPU, for tests: headers of NVIDIA's names (include/), with which the .cu sources of
 * worker/backend/cuda are compiled as code of the host, and what stands behind them. It knows the rules of CUDA, and
 * nothing of its speed. What breaks a rule ends the process with a sentence that says which kernel, block, thread and
 * line, and what of it a GPU would have done to us without a word:
 *
 * - What goes to a stream waits there until something waits for it, so a result that is read too early is not there.
 * - Memory of the device can't be touched while code of the host runs, nor, by kernels, memory of the host. Each of its
 *   bytes has a state (nobody's, unwritten, written), so what lies beside an allocation, or was freed, or was never
 *   written, is not read. Accesses must be aligned to their size.
 * - Each byte of the device's and of a block's shared memory knows who touched it last: two threads of a kernel that
 *   nothing keeps apart (a barrier between them, or an exchange of their warp's lanes; between blocks nothing does),
 * one of which writes, are a race, and so are two operations of different streams that no event keeps apart.
 * - A barrier or an exchange that some threads don't reach is told from a long one.
 * - Asynchronous copies take pinned memory, which nobody changes before they are done.
 *
 * The accesses are seen because the .cu sources are compiled with -fsanitize=thread, whose calls are ours here; the
 * plain loops that stand for cuBLASLt and cuDNN say themselves what they touch.
 *
 * GANNET_FAKE_CUDA holds options, words between spaces:
 *
 *     gpus=N           0: none is detected; default 1
 *     driver=old       the driver is older than the runtime
 *     memory=BYTES     of the device; default 2 GiB
 *     run=WHEN         work that was queued is done: late (default), when something waits for it; now, at once
 *     threads=ORDER    of the blocks of a grid, of the threads of a block: forward (default), backward, shuffled:SEED
 *     fail=N[:CODE]    the N-th call of all that can fail does (default 999), and nothing is done
 *     fail=NAME:N[:CODE]   the N-th call of that function
 *     fault=N[:CODE]   the N-th kernel ends with this (default 700), and so does every call after it, as on a GPU
 *     trace=1          each call is named on the error output */
#ifndef GANNET_TESTS_CUDA_FAKE_CUDA_H
#define GANNET_TESTS_CUDA_FAKE_CUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes other options from here on, as GANNET_FAKE_CUDA has them, and counts calls and kernels from 0. What exists
 * stays, so the memory that is allocated counts. */
void fake_cuda_set(const char *options);

/* How many calls that can fail, and how many kernels, there were since. */
size_t fake_cuda_calls(void);
size_t fake_cuda_kernels(void);

/* What was made and not destroyed: bytes of device memory, and other things (pinned pieces, streams, events, graphs,
 * handles, descriptors). */
size_t fake_cuda_bytes(void);
size_t fake_cuda_things(void);

#ifdef __cplusplus
}
#endif

#endif
