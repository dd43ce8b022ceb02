/* What a person's program does on its GPUs: its kernels and copies, summed by name. NVIDIA's driver loads a library of
 * ours into each of its processes that starts CUDA (worker/cupti), and that leaves a file here, which is read when the
 * program has ended.
 *
 * Only where `profile.operations` asks for it and the trial has a GPU. What can't be known has a reason, and the
 * program runs as it would have. */
#ifndef GANNET_WORKER_PROGRAM_GPU_WORK_H
#define GANNET_WORKER_PROGRAM_GPU_WORK_H

#include "common/trial_command.h"
#include "worker/program/program.h"

/* Before the start: makes the place for the files. NULL: its work is counted, or was not asked for
 * (gpu_work_is_wanted); else why it can't be, a text that lives for ever. */
const char *gpu_work_prepare(const struct program_setup *setup, const struct trial_command *command);
bool gpu_work_is_wanted(const struct program_setup *setup);

/* Adds the variables for process `rank` of the trial, of which the first counts. */
void gpu_work_env(const struct program_setup *setup, uint32_t rank, struct texts *env);

/* After the end: what there was of the run, or `why` nothing is known, becomes the run's, and the files are removed.
 * `profile` is the task's: the names that are wanted. */
void gpu_work_take(const char *directory, const json_t *profile, const char *why, struct run *run);

#endif
