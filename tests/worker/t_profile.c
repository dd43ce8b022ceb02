/* Counters of runs as they are read: from recorded files of /proc, from truncated and absurd ones, and of real
 * processes that do something known. No claim is about a time. */
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/scratch.h"
#include "worker/profile/node.h"
#include "worker/profile/perf.h"
#include "worker/profile/proc_text.h"
#include "worker/profile/rusage.h"
#include "worker/profile/self.h"
#include "worker/profile/tree.h"
#include "worker/profile/uncounted.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char stat_text[] = "4711 (a name) with ) S 1 4711 4711 0 -1 4194560 100 200 3 4 500 60 70 8 20 0 1 0 9000 "
                                "1000 50 18446744073709551615\n";
static const char io_text[] = "rchar: 3258587\nwchar: 20973230\nsyscr: 10\nsyscw: 0\nread_bytes: 155648\n"
                              "write_bytes: 20979712\ncancelled_write_bytes: 0\n";
static const char sched_text[] = "python3 (4711, #threads: 1)\n----------------------------\n"
                                 "se.exec_start                                :      70674073.190674\n"
                                 "se.nr_migrations                             :                   12\n"
                                 "nr_switches                                  :                   30\n"
                                 "nr_voluntary_switches                        :                   20\n"
                                 "nr_involuntary_switches                      :                   10\n";
static const char status_text[] = "Name:\tpython3\nVmHWM:\t   18432 kB\nVmSwap:\t     128 kB\nThreads:\t1\n";

static struct run_counters read_text(void (*read)(const char *text, struct run_counters *out), const char *text)
{
    struct run_counters counters;
    run_counters_clear(&counters);
    read(text, &counters);
    return counters;
}

static void files_of_a_process_are_read(void **state)
{
    (void)state;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    struct run_counters stat = read_text(proc_text_stat, stat_text), io = read_text(proc_text_io, io_text),
                        sched = read_text(proc_text_sched, sched_text),
                        wait = read_text(proc_text_schedstat, "70674073 1500000000 12\n"),
                        swap = read_text(proc_text_status, status_text);
    assert_true(stat.values[COUNT_MINOR_FAULTS] == 300 && stat.values[COUNT_MAJOR_FAULTS] == 7);
    assert_true(stat.values[COUNT_USER] == 570 / ticks && stat.values[COUNT_SYSTEM] == 68 / ticks);
    assert_true(io.values[COUNT_READ] == 3258587 && io.values[COUNT_WRITTEN] == 20973230);
    assert_true(io.values[COUNT_DISK_READ] == 155648 && io.values[COUNT_DISK_WRITTEN] == 20979712);
    assert_true(sched.values[COUNT_MIGRATIONS] == 12 && sched.values[COUNT_VOLUNTARY] == 20 &&
                sched.values[COUNT_INVOLUNTARY] == 10);
    assert_true(wait.values[COUNT_QUEUE_WAIT] == 1.5);
    assert_true(swap.values[COUNT_SWAPPED] == 128 * 1024);
}

static void all_are_unknown_or_sane(const struct run_counters *counters)
{
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++)
        assert_true(isnan(counters->values[i]) || counters->values[i] >= 0);
}

static void a_truncated_file_is_unknown_not_zero(void **state)
{
    (void)state;
    static void (*const readers[])(const char *, struct run_counters *) = {
        proc_text_stat, proc_text_io, proc_text_sched, proc_text_schedstat, proc_text_status};
    const char *const texts[] = {stat_text, io_text, sched_text, "70674073 1500000000 12\n", status_text};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t length = 0; length < strlen(texts[i]); length++) {
            char *part = mem_text_n(texts[i], length);
            struct run_counters counters = read_text(readers[i], part);
            all_are_unknown_or_sane(&counters);
            free(part);
        }
    struct run_counters none = read_text(proc_text_io, "rchar: \nwchar: -5\nread_bytes: x\nwrite_bytes:");
    assert_false(run_counters_any(&none));
    none = read_text(proc_text_schedstat, "70674073");
    assert_false(run_counters_any(&none));
    none = read_text(proc_text_stat, "4711 (x) S 1 2 3");
    assert_false(run_counters_any(&none));
}

static void pressure_steal_and_swap_are_read(void **state)
{
    (void)state;
    static const char pressure[] = "some avg10=34.97 avg60=11.99 avg300=3.96 total=45458157\n"
                                   "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";
    struct run_counters swap = read_text(node_memory, "nr_free_pages 1\npswpin 3\npswpout 5\n");
    double page = (double)sysconf(_SC_PAGESIZE), ticks = (double)sysconf(_SC_CLK_TCK);
    assert_true(fabs(node_pressure(pressure) - 45.458157) < 1e-9);
    assert_true(isnan(node_pressure("")) && isnan(node_pressure("some avg10=0.00\nfull total=9\n")));
    assert_true(isnan(node_pressure("some avg10=0.00 total=\n")));
    assert_true(node_steal("cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1\n") == 250 / ticks);
    assert_true(isnan(node_steal("cpu  1 2 3 4 5 6 7\n")) && isnan(node_steal("")));
    assert_true(swap.values[COUNT_NODE_SWAP_IN] == 3 * page && swap.values[COUNT_NODE_SWAP_OUT] == 5 * page);
}

/* --- a made up /proc --- */

static void make_process(const char *proc, int pid, int thread, const char *wait)
{
    char name[128];
    snprintf(name, sizeof name, "%d/stat", pid);
    free(scratch_file(proc, name, stat_text));
    snprintf(name, sizeof name, "%d/io", pid);
    free(scratch_file(proc, name, io_text));
    snprintf(name, sizeof name, "%d/task/%d/schedstat", pid, thread);
    free(scratch_file(proc, name, wait));
}

static void of_threads_that_ended_the_last_look_counts(void **state)
{
    const char *proc = *state;
    const pid_t pid = 4711;
    char gone[512];
    struct tree_looks looks = {0};
    make_process(proc, 4711, 4711, "1 1000000000 1\n");
    make_process(proc, 4711, 4712, "1 2000000000 1\n");
    tree_looks_take(&looks, proc, &pid, 1);
    assert_true(fabs(looks.last.values[COUNT_QUEUE_WAIT] - 3) < 1e-9);
    snprintf(gone, sizeof gone, "%s/4711/task/4712/schedstat", proc);
    assert_int_equal(unlink(gone), 0);
    make_process(proc, 4711, 4711, "1 1500000000 1\n");
    make_process(proc, 4711, 4713, "1 250000000 1\n");
    tree_looks_take(&looks, proc, &pid, 1);
    assert_true(fabs(looks.last.values[COUNT_QUEUE_WAIT] - 3.75) < 1e-9);
    make_process(proc, 4711, 4713, "1 100000000 1\n"); /* another thread that got the number */
    tree_looks_take(&looks, proc, &pid, 1);
    assert_true(fabs(looks.last.values[COUNT_QUEUE_WAIT] - 3.85) < 1e-9);
    tree_looks_fini(&looks);
}

static void what_a_tree_was_seen_to_use_is_not_lost_when_nobody_waited_for_it(void **state)
{
    const char *proc = *state;
    const pid_t pids[] = {4711, 4712};
    double ticks = (double)sysconf(_SC_CLK_TCK);
    struct tree_looks looks = {0};
    struct run_counters end;
    make_process(proc, 4711, 4711, "1 1 1\n");
    make_process(proc, 4712, 4712, "1 1 1\n");
    tree_looks_take(&looks, proc, pids, 2);
    tree_looks_take(&looks, proc, pids, 0); /* all are gone */
    run_counters_clear(&end);
    end.values[COUNT_USER] = 600 / ticks; /* what the kernel said of the first: less than both had */
    end.values[COUNT_MAJOR_FAULTS] = 50;  /* and more than was seen */
    tree_looks_add(&looks, &end);
    assert_true(end.values[COUNT_USER] == 1140 / ticks && end.values[COUNT_MAJOR_FAULTS] == 50);
    assert_true(end.values[COUNT_READ] == 2 * 3258587.0);
    tree_looks_fini(&looks);
}

static void a_large_tree_is_looked_at_less_often(void **state)
{
    (void)state;
    struct tree_looks looks = {.at = 100, .cost = 0.02};
    assert_true(tree_looks_due(&(struct tree_looks){0}, 0.5));
    assert_false(tree_looks_due(&looks, 103.9)); /* half a percent: 4 s for 20 ms */
    assert_true(tree_looks_due(&looks, 104.1));
}

static void where_a_file_is_missing_the_reason_is_said(void **state)
{
    const char *proc = *state;
    make_process(proc, (int)getpid(), (int)getpid(), "1 1 1\n");
    free(scratch_file(proc, "pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"));
    free(scratch_file(proc, "pressure/io", "nonsense\n"));
    free(scratch_file(proc, "stat", "cpu  1 2 3 4\n"));
    perf_events events;
    struct node_watch node = {.proc = proc, .sys = proc};
    char *text = uncounted_find(&node, "this worker has no GPUs", &events);
    assert_has(text, "\"node_memory_stall\":\"/proc/pressure/memory can't be read here: No such file or directory\"");
    assert_has(text, "\"node_io_stall\":\"/proc/pressure/io does not say it on this kernel\"");
    assert_has(text, "\"migrations\":\"/proc/PID/sched can't be read here");
    assert_has(text, "\"node_steal\":\"/proc/stat does not say it");
    assert_null(strstr(text, "node_cpu_stall"));
    assert_has(text, "\"energy_processors\":\"this machine does not measure it");
    assert_has(text, "\"group_throttled\":\"the worker is in no control group");
    assert_has(text, "\"frequency\":");
    assert_has(text, "\"gpu_use\":\"this worker has no GPUs\"");
    assert_has(text, "\"energy_gpus\":\"this worker has no GPUs\"");
    assert_null(strstr(text, "queue_wait"));
    free(text);
    node_watch_close(&node);
}

/* --- the processor's counters, by a system that is made up --- */

struct fake_perf {
    int next, opened, closed;
    int refuse_after; /* so many are opened; 0: all */
    int error;        /* of the others */
    bool always;      /* even the first is refused */
    uint64_t value, enabled, running;
    bool is_short;
    struct perf_event_attr last;
};

static int fake_open(void *context, const struct perf_event_attr *attr, pid_t thread, int group)
{
    struct fake_perf *fake = context;
    (void)thread;
    (void)group;
    fake->last = *attr;
    if (fake->always || (fake->refuse_after && fake->opened >= fake->refuse_after)) {
        errno = fake->error;
        return -1;
    }
    fake->opened++;
    return ++fake->next;
}

static ssize_t fake_read(void *context, int fd, void *out, size_t size)
{
    const struct fake_perf *fake = context;
    const uint64_t reading[] = {fake->value, fake->enabled, fake->running};
    (void)fd;
    if (fake->is_short)
        return 8;
    assert_int_equal(size, sizeof reading);
    memcpy(out, reading, sizeof reading);
    return (ssize_t)sizeof reading;
}

static void fake_close(void *context, int fd)
{
    (void)fd;
    ((struct fake_perf *)context)->closed++;
}

static struct perf_calls calls_of(struct fake_perf *fake)
{
    return (struct perf_calls){fake_open, fake_read, fake_close, fake};
}

/* Keeps the sentence about cycles, and counts all. */
struct reasons {
    char cycles[200];
    int count;
};

static void keep_reason(void *context, enum run_counter counter, const char *sentence)
{
    struct reasons *reasons = context;
    reasons->count++;
    if (counter == COUNT_CYCLES)
        snprintf(reasons->cycles, sizeof reasons->cycles, "%s", sentence);
}

static const struct perf_processor skylake = {.intel = true, .family = 6, .model = 0x55};

/* What two threads of a processor of Intel's have counted by this system. */
static struct run_counters count_two(struct fake_perf *fake)
{
    struct perf_calls calls = calls_of(fake);
    struct perf_counts counts = {0};
    struct run_counters read;
    run_counters_clear(&read);
    perf_attach(&counts, &calls, &skylake, UINT32_MAX, 11);
    perf_attach(&counts, &calls, &skylake, UINT32_MAX, 12);
    perf_attach(&counts, &calls, &skylake, UINT32_MAX, 11); /* once is enough */
    perf_read(&counts, &calls, &read);
    perf_close(&counts, &calls);
    assert_int_equal(fake->opened, fake->closed);
    return read;
}

static void events_that_took_turns_are_scaled_and_it_is_said(void **state)
{
    (void)state;
    struct fake_perf fake = {.value = 100, .enabled = 1000, .running = 250};
    struct run_counters read = count_two(&fake);
    assert_true(read.values[COUNT_CYCLES] == 800 && read.values[COUNT_FP_512] == 800);
    assert_true(read.values[COUNT_COUNTED_SHARE] == 0.25);
    assert_true(isnan(read.values[COUNT_FP_OPERATIONS]));                      /* that is AMD's */
    fake = (struct fake_perf){.value = 100, .enabled = 1000, .running = 5000}; /* nonsense */
    read = count_two(&fake);
    assert_true(read.values[COUNT_CYCLES] == 200 && read.values[COUNT_COUNTED_SHARE] == 1);
}

static void an_event_whose_turn_never_came_is_unknown(void **state)
{
    (void)state;
    struct fake_perf never = {.value = 0, .enabled = 1000}, broken = {.is_short = true},
                     full = {.value = 1, .enabled = 1, .running = 1, .refuse_after = 15, .error = EMFILE};
    struct run_counters read = count_two(&never);
    assert_false(run_counters_any(&read));
    read = count_two(&broken);
    assert_false(run_counters_any(&read));
    read = count_two(&full); /* of one thread some were not counted: half of the truth is none */
    assert_false(run_counters_any(&read));
}

static void where_counting_is_forbidden_the_reason_names_the_setting(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *part;
    } cases[] = {{EACCES, "perf_event_paranoid is 4"},
                 {EPERM, "perf_event_paranoid is 4"},
                 {ENOENT, "virtual machines"},
                 {ENOSYS, "no perf_event_open"},
                 {EMFILE, "Too many open files"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake_perf fake = {.always = true, .error = cases[i].error};
        struct perf_calls calls = calls_of(&fake);
        struct reasons reasons = {.count = 0};
        assert_int_equal(perf_probe(&calls, &skylake, 4, keep_reason, &reasons), 0);
        assert_has(reasons.cycles, cases[i].part);
        assert_int_equal(reasons.count, COUNT_COUNTED_SHARE - COUNT_CYCLES + 1); /* each of them */
    }
}

static void only_the_user_part_is_counted_of_all_that_a_process_starts(void **state)
{
    (void)state;
    struct fake_perf fake = {.next = 0};
    struct perf_calls calls = calls_of(&fake);
    struct reasons reasons = {.count = 0};
    assert_true(perf_probe(&calls, &skylake, 2, keep_reason, &reasons) != 0);
    assert_int_equal(reasons.count, 1); /* AMD's operations */
    assert_true(fake.last.inherit && fake.last.exclude_kernel && fake.last.exclude_hv);
    assert_int_equal(fake.opened, fake.closed);
}

static void the_processor_is_known_by_its_numbers(void **state)
{
    (void)state;
    struct perf_processor intel = perf_processor_read("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
                                                      "model\t\t: 143\nmodel name\t: Xeon\n"),
                          amd = perf_processor_read("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"),
                          none = perf_processor_read("");
    assert_true(intel.intel && !intel.amd && intel.family == 6 && intel.model == 143);
    assert_true(amd.amd && amd.family == 25);
    assert_true(!none.intel && !none.amd && !none.family);
}

/* --- real processes --- */

/* Touches so many bytes of new memory, and writes as many into a file, with a child that its parent waits for. */
static void use_memory_and_disk(const char *path, size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    memset(memory, 7, bytes);
    if (path) {
        int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        for (size_t done = 0; done < bytes; done += 4096)
            if (write(fd, memory, 4096) != 4096)
                _exit(1);
        close(fd);
    }
    munmap(memory, bytes);
}

static void a_child_of_a_child_counts_when_it_was_waited_for(void **state)
{
    enum { BYTES = 8 << 20 };
    struct rusage used;
    struct run_counters counters;
    struct tree_looks looks = {0};
    const char *path = path_in(state, "written");
    pid_t pid = fork();
    if (pid == 0) {
        pid_t child = fork();
        if (child == 0) {
            use_memory_and_disk(path, BYTES);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        _exit(0);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    tree_looks_take(&looks, "/proc", &pid, 1); /* it has ended and was not reaped */
    assert_int_equal(wait4(pid, NULL, 0, &used), pid);
    run_counters_clear(&counters);
    rusage_count(&used, &counters);
    tree_looks_add(&looks, &counters);
    long pages = BYTES / sysconf(_SC_PAGESIZE);
    assert_true(counters.values[COUNT_MINOR_FAULTS] >= (double)pages);
    assert_true(counters.values[COUNT_MINOR_FAULTS] < 20.0 * (double)pages);
    assert_true(counters.values[COUNT_USER] + counters.values[COUNT_SYSTEM] > 0);
    if (!isnan(counters.values[COUNT_WRITTEN]))
        assert_true(counters.values[COUNT_WRITTEN] >= BYTES && counters.values[COUNT_WRITTEN] < 2.0 * BYTES);
    tree_looks_fini(&looks);
}

static void a_run_of_this_process_is_counted_without_what_was_before(void **state)
{
    (void)state;
    enum { BYTES = 4 << 20 };
    struct self_count count = {0};
    struct run_counters first, second, none;
    use_memory_and_disk(NULL, 4 * BYTES);
    self_count_begin(&count, 1);
    use_memory_and_disk(path_in(state, "written"), BYTES);
    self_count_end(&count, TREE_SHORTEST, &first);
    self_count_begin(&count, count.looks.at + 10);
    self_count_end(&count, TREE_SHORTEST, &second);
    self_count_begin(&count, count.looks.at + 20);
    self_count_end(&count, SELF_SHORTEST / 2, &none);
    double pages = (double)(BYTES / sysconf(_SC_PAGESIZE));
    assert_true(first.values[COUNT_MINOR_FAULTS] >= pages && first.values[COUNT_MINOR_FAULTS] < 3 * pages);
    assert_true(second.values[COUNT_MINOR_FAULTS] < pages);
    if (!isnan(first.values[COUNT_WRITTEN]))
        assert_true(first.values[COUNT_WRITTEN] == BYTES && second.values[COUNT_WRITTEN] == 0);
    assert_false(run_counters_any(&none)); /* too short to ask for */
    count.looks.at = count.at;
    count.looks.cost = 1; /* no look is due for a long time */
    self_count_begin(&count, count.at + 2 * SELF_SHORTEST);
    assert_false(count.is_fresh); /* nor is anything read of those that follow it */
    self_count_fini(&count);
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_process_are_read),
        cmocka_unit_test(a_truncated_file_is_unknown_not_zero),
        cmocka_unit_test(pressure_steal_and_swap_are_read),
        SCRATCH(of_threads_that_ended_the_last_look_counts),
        SCRATCH(what_a_tree_was_seen_to_use_is_not_lost_when_nobody_waited_for_it),
        cmocka_unit_test(a_large_tree_is_looked_at_less_often),
        SCRATCH(where_a_file_is_missing_the_reason_is_said),
        cmocka_unit_test(events_that_took_turns_are_scaled_and_it_is_said),
        cmocka_unit_test(an_event_whose_turn_never_came_is_unknown),
        cmocka_unit_test(where_counting_is_forbidden_the_reason_names_the_setting),
        cmocka_unit_test(only_the_user_part_is_counted_of_all_that_a_process_starts),
        cmocka_unit_test(the_processor_is_known_by_its_numbers),
        SCRATCH(a_child_of_a_child_counts_when_it_was_waited_for),
        SCRATCH(a_run_of_this_process_is_counted_without_what_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
