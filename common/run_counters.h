/* What is counted of a run beside its phases: what its processes used, and what happened on its node meanwhile. Numbers
 * are on the wire and in stores: rows are only added. A counter that could not be read is unknown, never 0.
 *
 *     X(ID, name, unit, scale, sum, help)
 *
 * `scale` is how many of what stores keep, whole numbers, make one unit. `sum` says what the counters of a trial's
 * processes, or of its attempts, come to: SUM, MOST (the greatest) or LAST (of an average: the last known). */
#ifndef GANNET_COMMON_RUN_COUNTERS_H
#define GANNET_COMMON_RUN_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_COUNTERS(X)                                                                                                \
    X(USER, "user", "seconds", 1000000, SUM, "processor time of its own code")                                         \
    X(SYSTEM, "system", "seconds", 1000000, SUM, "processor time of the kernel for it")                                \
    X(VOLUNTARY, "voluntary_switches", "times", 1, SUM, "it waited for something, and others got its core")            \
    X(INVOLUNTARY, "involuntary_switches", "times", 1, SUM, "others got its core though it had work to do")            \
    X(MINOR_FAULTS, "minor_faults", "times", 1, SUM, "pages that it touched first, without a disk")                    \
    X(MAJOR_FAULTS, "major_faults", "times", 1, SUM, "pages that had to come from a disk")                             \
    X(DISK_READ, "disk_read", "bytes", 1, SUM, "that came from disks or file servers for it")                          \
    X(DISK_WRITTEN, "disk_written", "bytes", 1, SUM, "that it left to be written to disks or file servers")            \
    X(READ, "read", "bytes", 1, SUM, "that it read, also from files in memory, pipes and sockets")                     \
    X(WRITTEN, "written", "bytes", 1, SUM, "that it wrote, likewise")                                                  \
    X(QUEUE_WAIT, "queue_wait", "seconds", 1000000, SUM, "its threads could have run and waited for a core")           \
    X(MIGRATIONS, "migrations", "times", 1, SUM, "a thread of it went on on another core")                             \
    X(SWAPPED, "swapped", "bytes", 1, MOST, "of its memory that were swapped out at most, as far as was seen")         \
    X(NODE_CPU_STALL, "node_cpu_stall", "seconds", 1000000, SUM,                                                       \
      "while it ran: some thread of the node waited for a core")                                                       \
    X(NODE_MEMORY_STALL, "node_memory_stall", "seconds", 1000000, SUM,                                                 \
      "while it ran: some thread of the node waited for memory, swapped or reclaimed")                                 \
    X(NODE_IO_STALL, "node_io_stall", "seconds", 1000000, SUM,                                                         \
      "while it ran: some thread of the node waited for a disk")                                                       \
    X(NODE_STEAL, "node_steal", "seconds", 1000000, SUM,                                                               \
      "while it ran: cores of the node, which is a virtual machine, worked for others")                                \
    X(NODE_SWAP_IN, "node_swap_in", "bytes", 1, SUM, "while it ran: the node read from its swap space")                \
    X(NODE_SWAP_OUT, "node_swap_out", "bytes", 1, SUM, "while it ran: the node wrote to its swap space")               \
    X(CORES, "cores", "cores", 1000, LAST, "of its slot")                                                              \
    X(FLOPS_LIMIT, "flops_limit", "FLOP/s", 1, LAST,                                                                   \
      "floating-point operations a second that the cores of the process whose operations are counted can do at most, " \
      "as far as was measured")                                                                                        \
    X(BYTES_LIMIT, "bytes_limit", "bytes/s", 1, LAST,                                                                  \
      "bytes a second that those operations can have at most, from caches and memory, likewise")                       \
    X(CYCLES, "cycles", "cycles", 1, SUM, "of the processor, in its own code")                                         \
    X(INSTRUCTIONS, "instructions", "instructions", 1, SUM, "that its own code retired")                               \
    X(BRANCHES, "branches", "instructions", 1, SUM, "of these: branches")                                              \
    X(BRANCH_MISSES, "branch_misses", "instructions", 1, SUM, "branches that were predicted wrongly")                  \
    X(CACHE_REFERENCES, "cache_references", "times", 1, SUM,                                                           \
      "it asked the last cache, as the kernel maps that to this processor")                                            \
    X(CACHE_MISSES, "cache_misses", "times", 1, SUM, "the last cache did not have what was asked for")                 \
    X(FP_SCALAR, "fp_scalar", "instructions", 1, SUM,                                                                  \
      "floating-point work one number at a time (Intel); a fused one counts twice")                                    \
    X(FP_128, "fp_128", "instructions", 1, SUM, "the same on vectors of 128 bits")                                     \
    X(FP_256, "fp_256", "instructions", 1, SUM, "the same on vectors of 256 bits")                                     \
    X(FP_512, "fp_512", "instructions", 1, SUM, "the same on vectors of 512 bits")                                     \
    X(FP_OPERATIONS, "fp_operations", "operations", 1, SUM, "floating-point operations in vector registers (AMD)")     \
    X(NODE_READS, "memory_reads", "times", 1, SUM, "it read from memory of a NUMA node")                               \
    X(NODE_READ_MISSES, "memory_reads_remote", "times", 1, SUM, "of these: from another node than its own")            \
    X(COUNTED_SHARE, "counted_share", "share", 1000, LAST,                                                             \
      "of the time in which the processor's events above were counted; they are scaled to all of it")                  \
    X(RANK_SLOWEST, "slowest_rank", "seconds", 1000000, SUM,                                                           \
      "forward, backward and update passes of its slowest rank on the node")                                           \
    X(RANK_MEAN, "mean_rank", "seconds", 1000000, SUM, "the same of its ranks there on average")                       \
    X(ENERGY_PROCESSORS, "energy_processors", "joules", 1000, SUM,                                                     \
      "of the processors of its nodes while it ran (RAPL), times its share of all processor time there: an estimate")  \
    X(ENERGY_MEMORY, "energy_memory", "joules", 1000, SUM, "of the memory of its nodes, likewise (RAPL, dram)")        \
    X(ENERGY_GPUS, "energy_gpus", "joules", 1000, SUM,                                                                 \
      "of the GPUs of its slots while it ran (NVML); of shared ones an equal part for each slot: an estimate")         \
    X(FREQUENCY, "frequency", "MHz", 1, LAST,                                                                          \
      "of the fastest core of its slot, on average over looks at it (cpufreq)")                                        \
    X(FREQUENCY_BASE, "frequency_base", "MHz", 1, LAST,                                                                \
      "that this core holds with all others at work (cpufreq base_frequency, CPPC)")                                   \
    X(THROTTLED_HEAT, "throttled_heat", "seconds", 1000, SUM,                                                          \
      "the hottest core of its slot, or its processor, was slowed down for heat (thermal_throttle)")                   \
    X(NODE_LOCAL, "node_memory_local", "bytes", 1, SUM,                                                                \
      "while it ran: memory given out on the NUMA node of whoever asked (/proc/vmstat)")                               \
    X(NODE_REMOTE, "node_memory_remote", "bytes", 1, SUM,                                                              \
      "while it ran: memory given out on another NUMA node (/proc/vmstat)")                                            \
    X(GROUP_THROTTLED, "group_throttled", "seconds", 1000000, SUM,                                                     \
      "while it ran: its worker's control group was kept from cores by its quota (cpu.stat)")                          \
    X(GROUP_THROTTLES, "group_throttles", "times", 1, SUM, "how often that was")                                       \
    X(GROUP_HIGH, "group_memory_high", "times", 1, SUM,                                                                \
      "while it ran: the group had to give memory back at memory.high (memory.events)")                                \
    X(GROUP_MAX, "group_memory_max", "times", 1, SUM,                                                                  \
      "while it ran: the group came to its limit of memory (memory.events)")                                           \
    X(GROUP_OOM, "group_oom", "times", 1, SUM, "while it ran: the group ran out of memory (memory.events)")            \
    X(GROUP_PEAK, "group_memory_peak", "bytes", 1, MOST,                                                               \
      "of memory that the group had at most since it was made (memory.peak)")                                          \
    X(GROUP_CPU_STALL, "group_cpu_stall", "seconds", 1000000, SUM,                                                     \
      "while it ran: some thread of the group waited for a core (cpu.pressure)")                                       \
    X(GROUP_MEMORY_STALL, "group_memory_stall", "seconds", 1000000, SUM,                                               \
      "while it ran: some thread of the group waited for memory (memory.pressure)")                                    \
    X(GROUP_IO_STALL, "group_io_stall", "seconds", 1000000, SUM,                                                       \
      "while it ran: some thread of the group waited for a disk (io.pressure)")                                        \
    X(GPU_USE, "gpu_use", "share", 1000, LAST,                                                                         \
      "of the time in which a kernel ran on the GPUs of its slot, on average over looks (NVML, as all of GPUs)")       \
    X(GPU_MEMORY, "gpu_memory", "bytes", 1, MOST, "that the fullest of these GPUs had in use, by whomever")            \
    X(GPU_POWER, "gpu_power", "watts", 1000, LAST, "of these GPUs together, on average")                               \
    X(GPU_CLOCK, "gpu_clock", "MHz", 1, LAST, "of their multiprocessors, on average")                                  \
    X(GPU_CLOCK_MOST, "gpu_clock_most", "MHz", 1, LAST, "that these can have")                                         \
    X(GPU_HOT, "gpu_throttled_heat", "seconds", 1000, SUM,                                                             \
      "one of these GPUs was slowed down for heat, as far as looks saw")                                               \
    X(GPU_CAPPED, "gpu_throttled_power", "seconds", 1000, SUM,                                                         \
      "one of these GPUs was slowed down by its limit of power, likewise")                                             \
    X(ALLREDUCE_LEAST, "allreduce_least", "seconds", 1000000, SUM,                                                     \
      "that the sums of gradients over its ranks on a node take at least, as far as was measured")                     \
    X(DISK_WRITE_LIMIT, "disk_write_limit", "bytes/s", 1, LAST,                                                        \
      "that the disk or file server of its checkpoints takes at most, likewise")                                       \
    X(DISK_READ_LIMIT, "disk_read_limit", "bytes/s", 1, LAST,                                                          \
      "that the disk or file server of its data gives at most, likewise")

enum run_counter {
#define X(ID, name, unit, scale, sum, help) COUNT_##ID,
    RUN_COUNTERS(X)
#undef X
        RUN_COUNTERS_COUNT
};

/* Nobody's count is larger: it is whole in a double, and in what stores keep. */
#define RUN_COUNTER_MOST 0x1p53

struct run_counters {
    double values[RUN_COUNTERS_COUNT]; /* in the units of the table; NaN: unknown */
};

const char *run_counter_name(enum run_counter counter);
const char *run_counter_unit(enum run_counter counter);
const char *run_counter_help(enum run_counter counter);
double run_counter_scale(enum run_counter counter);

/* The counter of that name, or -1. */
int run_counter_named(const char *name);

/* All are unknown. */
void run_counters_clear(struct run_counters *counters);

bool run_counters_any(const struct run_counters *counters); /* one is known */

/* Joules of processors, memory and GPUs, of those that are known; NaN: none is. */
double run_counters_energy(const struct run_counters *counters);

/* Adds all of `more` to `sum`, as the table says; what is unknown in one of them is that of the other. */
void run_counters_merge(struct run_counters *sum, const struct run_counters *more);

/* Adds processes that ran at the same time, all of which are to be known: else the sum is unknown. */
void run_counters_add(struct run_counters *sum, const struct run_counters *more);

/* What was counted from `before` on up to `after`; unknown where either is. What went down did not begin anew: 0. */
void run_counters_since(const struct run_counters *before, const struct run_counters *after, struct run_counters *out);

/* Whether a value can be one: no number below 0, none beyond RUN_COUNTER_MOST of what stores keep. */
bool run_counter_is_sane(enum run_counter counter, double value);

#endif
