/* What can bound a run, the master copy: a row has the name that people and programs read, how its figure is shown,
 * when it is said, and the sentence that follows the figure. Rows are only added: the numbers are in stores. The order
 * in which they are tried stands in verdict.c, what to do about them in advice_list.h.
 *
 * Figures: SHARE is of 0 to 1, CORES a number of cores, NONE is not shown. */
#ifndef GANNET_SCHEDULER_VERDICT_VERDICT_LIST_H
#define GANNET_SCHEDULER_VERDICT_VERDICT_LIST_H

#define A_THIRD "a third of the time or more"

#define VERDICTS(X)                                                                                                    \
    X(UNKNOWN, "unknown", NONE, "nothing was measured", "what bounded it is not known: nothing was measured")          \
    X(COMPUTE, "compute", SHARE,                                                                                       \
      "a third of the slot's FLOP/s, or calls of 100 us of work or more; fewer of its bytes/s",                        \
      "of what its cores can compute: the processor bounds it")                                                        \
    X(MEMORY, "memory", SHARE,                                                                                         \
      "a third of the slot's bytes/s, or calls of 100 us of work or more; fewer of its FLOP/s",                        \
      "of what its memory can carry: memory bounds it")                                                                \
    X(LATENCY, "latency", SHARE, "less than a third of both limits, in calls of less than 100 us of work",             \
      "of what its cores and memory can do at most: each call has too little work")                                    \
    X(DATA, "data", SHARE, "reading and preparing data took " A_THIRD, "of the time waited for data")                  \
    X(SYNC, "sync", SHARE, "sums over ranks took " A_THIRD, "of the time averaged gradients over ranks")               \
    X(IMBALANCE, "imbalance", SHARE,                                                                                   \
      "sums over ranks took " A_THIRD ", and the slowest rank computed a quarter longer than the mean, or so much "    \
      "that most of the sums was the wait for it",                                                                     \
      "of the time waited for the slowest rank")                                                                       \
    X(EVALUATION, "evaluation", SHARE, "validation took half of the time or more", "of the time validated")            \
    X(CHECKPOINT, "checkpoint", SHARE, "checkpoints took " A_THIRD, "of the time saved and loaded checkpoints")        \
    X(THROTTLED, "throttled", SHARE, "the clock was a fifth below the processor's base, or it was throttled so long",  \
      "of its speed the processor lost to heat or a limit of power")                                                   \
    X(OVERSUBSCRIBED, "oversubscribed", SHARE,                                                                         \
      "its threads wanted a quarter more cores than the slot has, and waited for one a third of the time that they "   \
      "could have run",                                                                                                \
      "of the time that its threads could run they waited for one another's cores")                                    \
    X(SWAPPING, "swapping", SHARE, "waits for memory took a tenth of the time or more",                                \
      "of the time waited for memory that had been put aside")                                                         \
    X(LAUNCH, "launch", SHARE, "starting, opening the data, making operations ready and handing over took " A_THIRD,   \
      "of the time went into starting the run and handing it over")                                                    \
    X(CROWDED, "crowded", SHARE,                                                                                       \
      "other processes kept its threads from their cores half of the time that they could have run",                   \
      "of the time that it could run it waited for cores that other processes used")                                   \
    X(UNDERUSED, "underused", CORES, "less than six tenths of the slot's cores were wanted, of one at least half",     \
      "of its cores worked on average")                                                                                \
    X(WAITING, "waiting", SHARE, "no core was in use half of the time, or a third was spent idle",                     \
      "of the time it waited, and does not say for what")                                                              \
    X(PROGRAM, "program", SHARE, "a phase that the program named took " A_THIRD ", and more than any other",           \
      "of the time went into one phase that the program named")                                                        \
    X(COMPUTING, "computing", SHARE, "none of the others: the training itself took the time",                          \
      "of the time trained; whether the processor or memory bounds it is not known, since its operations or the "      \
      "node's limits were not measured")                                                                               \
    X(QUOTA, "quota", SHARE, "a limit of processor time stopped its threads a third of the time that they could run",  \
      "of the time that it could run a limit of processor time (cpu.max of its control group) stopped it")

#endif
