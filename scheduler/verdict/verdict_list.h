/* What can bound a run, the master copy: a row has the name that people and programs read, how its figure is shown,
 * when it is said, the sentence that follows the figure, and what to do about it, for kernels and for people's own
 * programs. Rows are only added: the numbers are in stores. The order in which they are tried stands in verdict.c.
 *
 * Figures: SHARE is of 0 to 1, CORES a number of cores, NONE is not shown. */
#ifndef GANNET_SCHEDULER_VERDICT_VERDICT_LIST_H
#define GANNET_SCHEDULER_VERDICT_VERDICT_LIST_H

#define A_THIRD "a third of the time or more"

#define VERDICTS(X)                                                                                                    \
    X(UNKNOWN, "unknown", NONE, "nothing was measured", "what bounded it is not known: nothing was measured", "", "")  \
    X(COMPUTE, "compute", SHARE, "a third of the slot's FLOP/s or more, and a smaller share of its bytes/s",           \
      "of what its cores can compute: the processor bounds it",                                                        \
      "more `resources.cpus`, or `precision: bf16` where the processor has it", "more `resources.cpus`")               \
    X(MEMORY, "memory", SHARE, "a third of the slot's bytes/s or more, and a smaller share of its FLOP/s",             \
      "of what its memory can carry: memory bounds it",                                                                \
      "a larger `batch` uses weights more often once they are read; fewer trials a socket "                            \
      "(`resources.trials_per_socket`) leave each more",                                                               \
      "fewer trials a socket (`resources.trials_per_socket`) leave each more")                                         \
    X(LATENCY, "latency", SHARE, "less than a third of both limits: too little work a call",                           \
      "of what its cores and memory can do at most: each call has too little work",                                    \
      "raise `batch` or the width, take fewer `resources.cpus`, or let small trials of mlp and logreg "                \
      "train together: `resources.fuse`",                                                                              \
      "do more in each call")                                                                                          \
    X(DATA, "data", SHARE, "reading and preparing data took " A_THIRD, "of the time waited for data",                  \
      "raise `trial.options.data_threads` and `resources.cpus`, or keep the data on a faster disk",                    \
      "read ahead in more processes (a DataLoader's num_workers, with as many `resources.cpus`), or keep the data on " \
      "a faster disk")                                                                                                 \
    X(SYNC, "sync", SHARE, "sums over ranks took " A_THIRD, "of the time averaged gradients over ranks",               \
      "fewer `resources.ranks`, or a larger `batch`", "fewer processes a trial, or a larger batch for each")           \
    X(IMBALANCE, "imbalance", SHARE,                                                                                   \
      "sums over ranks took " A_THIRD ", and the slowest rank computed a quarter longer than the mean",                \
      "of the time waited for the slowest rank",                                                                       \
      "give each rank a core of its own (`resources.cpus` a multiple of `resources.ranks`), with nothing else on it",  \
      "give each process a core of its own (`resources.cpus`), with nothing else on it")                               \
    X(EVALUATION, "evaluation", SHARE, "validation took half of the time or more", "of the time validated",            \
      "validate on less data: `trial.options.validation`", "validate less often, or on less data")                     \
    X(CHECKPOINT, "checkpoint", SHARE, "checkpoints took " A_THIRD, "of the time saved and loaded checkpoints",        \
      "put the run directory on a faster disk (`gannet run --dir`), or do without: `trial.checkpoint: false`",         \
      "save less often, or put the run directory on a faster disk: `gannet run --dir`")                                \
    X(THROTTLED, "throttled", SHARE, "the clock was a fifth below the processor's base, or it was throttled so long",  \
      "of its speed the processor lost to heat or a limit of power",                                                   \
      "fewer trials at a time on the node: `resources.trials_per_socket`",                                             \
      "fewer trials at a time on the node: `resources.trials_per_socket`")                                             \
    X(OVERSUBSCRIBED, "oversubscribed", SHARE,                                                                         \
      "its threads wanted a quarter more cores than the slot has, and waited for one a third of the time that they "   \
      "could have run",                                                                                                \
      "of the time that its threads could run they waited for one another's cores",                                    \
      "raise `resources.cpus` to the number of threads",                                                               \
      "start as many threads as `resources.cpus` says, or raise it")                                                   \
    X(SWAPPING, "swapping", SHARE, "waits for memory took a tenth of the time or more",                                \
      "of the time waited for memory that had been put aside",                                                         \
      "fewer trials at a time: `resources.memory` says how "                                                           \
      "much each needs",                                                                                               \
      "fewer trials at a time: `resources.memory` says how much each needs")                                           \
    X(LAUNCH, "launch", SHARE, "starting and handing over took " A_THIRD,                                              \
      "of the time went into starting the run and handing it over",                                                    \
      "make trials longer; `resources.fuse` lets short ones of mlp and logreg share a process",                        \
      "`trial.persistent` keeps the program's process from trial to trial")                                            \
    X(CROWDED, "crowded", SHARE,                                                                                       \
      "other processes kept its threads from their cores half of the time that they could have run",                   \
      "of the time that it could run it waited for cores that other processes used",                                   \
      "ask for cores that nobody else has (`slurm.exclusive`), or run it when the machine is quiet",                   \
      "ask for cores that nobody else has (`slurm.exclusive`), or run it when the machine is quiet")                   \
    X(UNDERUSED, "underused", CORES, "less than six tenths of the slot's cores were wanted, of one at least half",     \
      "of its cores worked on average", "lower `resources.cpus`: more trials run side by side",                        \
      "lower `resources.cpus` so that more trials run side by side, or let the program use more threads")              \
    X(WAITING, "waiting", SHARE, "no core was in use half of the time, or a third was spent idle",                     \
      "of the time it waited, and does not say for what",                                                              \
      "more trials at a time: `resources.cpus`, or `resources.fuse` with mlp and logreg",                              \
      "let it say what it does (`with trial.phase(\"data\")`, or a line time.data=SECONDS: docs/trial.md)")            \
    X(PROGRAM, "program", SHARE, "a phase that the program named took " A_THIRD ", and more than any other",           \
      "of the time went into one phase that the program named", "", "`gannet show` has the times of its phases")       \
    X(COMPUTING, "computing", SHARE, "none of the others: the training itself took the time",                          \
      "of the time trained; whether the processor or memory bounds it is not known, since its operations or the "      \
      "node's limits were not measured",                                                                               \
      "", "")

#endif
