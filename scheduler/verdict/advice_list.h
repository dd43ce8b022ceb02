/* What to do about what bounds a run, the master copy: of the rows of a verdict the first one counts that is for the
 * run's kind. Words in backquotes are keys of the experiment file, with their value, or commands: a test looks for each
 * in the tables of keys, of kernels' options and parameters, and of commands.
 *
 * For whom: PROGRAM, a person's own; SMALL, the kernels mlp and logreg; NETWORK, all that train a network; TREES, gbt;
 * LEARNER, either of these; KERNEL, any; ANY, programs and kernels. MEMORY: a network whose data is made (generate:)
 * and given as it is; AUGMENTED: made, and augmented. THREADS: the experiment has a parameter `threads`. */
#ifndef GANNET_SCHEDULER_VERDICT_ADVICE_LIST_H
#define GANNET_SCHEDULER_VERDICT_ADVICE_LIST_H

#define ADVICES(X)                                                                                                     \
    X(COMPUTE, NETWORK, "more `resources.cpus`, or `precision: bf16` where the processor has it")                      \
    X(COMPUTE, ANY, "more `resources.cpus`")                                                                           \
    X(MEMORY, NETWORK,                                                                                                 \
      "a larger `batch` uses weights more often once they are read; fewer trials a socket "                            \
      "(`resources.trials_per_socket`) leave each more")                                                               \
    X(MEMORY, TREES,                                                                                                   \
      "fewer `bins` and a smaller `subsample` have less to read; fewer trials a socket "                               \
      "(`resources.trials_per_socket`) leave each more")                                                               \
    X(MEMORY, PROGRAM, "fewer trials a socket (`resources.trials_per_socket`) leave each more")                        \
    X(LATENCY, SMALL,                                                                                                  \
      "raise `batch`, take fewer `resources.cpus`, or let small trials train together: `resources.fuse`")              \
    X(LATENCY, NETWORK, "raise `batch`, or take fewer `resources.cpus`")                                               \
    X(LATENCY, KERNEL, "take fewer `resources.cpus`: more trials run side by side")                                    \
    X(DATA, AUGMENTED, "raise `trial.options.data_threads`, with as many `resources.cpus`")                            \
    X(DATA, MEMORY,                                                                                                    \
      "the data lies in memory, and the network does little with each example: take fewer `resources.cpus`, so that "  \
      "more trials run side by side")                                                                                  \
    X(DATA, NETWORK,                                                                                                   \
      "raise `trial.options.data_threads` and `resources.cpus`, or copy the data to the node first: "                  \
      "`trial.options.stage`")                                                                                         \
    X(DATA, KERNEL, "copy the data to the node first: `trial.options.stage`")                                          \
    X(DATA, PROGRAM,                                                                                                   \
      "read ahead in more processes (a DataLoader's num_workers, with as many `resources.cpus`), or keep the data on " \
      "a faster disk")                                                                                                 \
    X(SYNC, NETWORK, "fewer `resources.ranks`, or a larger `batch`")                                                   \
    X(SYNC, PROGRAM, "fewer processes a trial (`resources.ranks`), or a larger batch for each")                        \
    X(IMBALANCE, KERNEL,                                                                                               \
      "give each rank a core of its own (`resources.cpus` a multiple of `resources.ranks`), with nothing else on it")  \
    X(IMBALANCE, PROGRAM, "give each process a core of its own (`resources.cpus`), with nothing else on it")           \
    X(EVALUATION, LEARNER, "validate on less data: `trial.options.validation`")                                        \
    X(EVALUATION, PROGRAM, "validate less often, or on less data")                                                     \
    X(CHECKPOINT, KERNEL,                                                                                              \
      "put the run directory on a faster disk (`gannet run --dir`), or do without: `trial.checkpoint: false`")         \
    X(CHECKPOINT, PROGRAM, "save less often, or put the run directory on a faster disk: `gannet run --dir`")           \
    X(THROTTLED, ANY, "fewer trials at a time on the node: `resources.trials_per_socket`")                             \
    X(QUOTA, ANY,                                                                                                      \
      "ask for as much processor time as the node has cores (a container has --cpus), or run only as many trials at "  \
      "a "                                                                                                             \
      "time as it allows: raise `resources.cpus`")                                                                     \
    X(OVERSUBSCRIBED, KERNEL, "raise `resources.cpus` to the number of threads, or lower `threads`")                   \
    X(OVERSUBSCRIBED, PROGRAM, "start as many threads as `resources.cpus` says, or raise it")                          \
    X(SWAPPING, ANY, "fewer trials at a time: `resources.memory` says how much each needs")                            \
    X(LAUNCH, SMALL, "make trials longer; `resources.fuse` lets short ones share a process")                           \
    X(LAUNCH, KERNEL, "make trials longer")                                                                            \
    X(LAUNCH, PROGRAM, "`trial.persistent` keeps the program's process from trial to trial")                           \
    X(CROWDED, ANY, "ask for cores that nobody else has (`slurm.exclusive`), or run it when the machine is quiet")     \
    X(UNDERUSED, THREADS,                                                                                              \
      "raise the range of `threads` up to `resources.cpus`; where fewer threads are as fast, lower that instead")      \
    X(UNDERUSED, KERNEL, "raise `threads`, or lower `resources.cpus`, so that more trials run side by side")           \
    X(UNDERUSED, PROGRAM,                                                                                              \
      "lower `resources.cpus` so that more trials run side by side, or let the program use more threads")              \
    X(WAITING, SMALL, "more trials at a time: fewer `resources.cpus`, or `resources.fuse`")                            \
    X(WAITING, KERNEL, "more trials at a time: fewer `resources.cpus`")                                                \
    X(WAITING, PROGRAM,                                                                                                \
      "let it say what it does (`with trial.phase(\"data\")`, or a line time.data=SECONDS: docs/trial.md)")            \
    X(PROGRAM, PROGRAM, "`gannet show` has the times of its phases")                                                   \
    X(COMPUTING, TREES, "more `resources.cpus`; fewer `bins`, and a smaller `subsample`, leave less to count")         \
    X(COMPUTING, KERNEL,                                                                                               \
      "`gannet doctor --calibrate`, on a node of this kind, measures the limits that later runs are held against")     \
    X(COMPUTING, PROGRAM, "`gannet rerun --flame` draws the functions that took it")

#endif
