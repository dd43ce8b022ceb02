/* Samples of the kernel; see sampler.h. Rings of different processors are read one after the other, so what is in them
 * is put into order by its time before it counts: records younger than the beginning of a round wait for the next. */
#include "cli/flame/sampler.h"
#include "common/mem.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_PAGES = 64,      /* of 4 KiB: below what an ordinary user may lock for each processor (516 KiB) */
    STACK_BYTES = 16384,  /* of a stack: some hundred functions of Python; a tenth of a ring a tenth of a second */
    EVENTS_MOST = 100000, /* threads times processors */
    TRIES = 3             /* looks for threads that were started meanwhile */
};

struct perf_ring {
    int fd; /* the event that it came with */
    int cpu;
    struct perf_event_mmap_page *page;
};

/* A record that waits, as the kernel wrote it. */
struct perf_record {
    uint64_t time;
    struct perf_event_header *header;
};

struct sampler {
    struct perf_ring *rings;
    size_t ring_count, ring_capacity;
    int *events; /* the further ones, which write to the rings */
    size_t event_count, event_capacity;
    struct perf_record *records; /* those that wait */
    size_t record_count, record_capacity;
    size_t page_size;
    uint64_t lost;
};

/* --- opening --- */

static int open_event(pid_t pid, int cpu, bool starting)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_freq = SAMPLER_RATE,
                                   .freq = 1,
                                   .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                                                  PERF_SAMPLE_STACK_USER,
                                   .sample_stack_user = STACK_BYTES,
                                   .sample_id_all = 1,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .exclude_callchain_kernel = 1,
                                   .mmap = 1,
                                   .mmap2 = 1,
                                   .comm = 1,
                                   .comm_exec = 1,
                                   .task = 1,
                                   .disabled = starting,
                                   .enable_on_exec = starting,
                                   .use_clockid = 1,
                                   .clockid = CLOCK_MONOTONIC};
    return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What the kernel allows to those who are no administrators; -1: not known. */
static int read_paranoid(void)
{
    int level = -1;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file && fscanf(file, "%d", &level) != 1)
        level = -1;
    if (file)
        fclose(file);
    return level;
}

static int refuse_event(struct err *err)
{
    int reason = errno, level = read_paranoid();
    if ((reason == EACCES || reason == EPERM) && level > 2)
        return err_set(err,
                       "the kernel does not let ordinary users sample their own processes (kernel.perf_event_paranoid "
                       "is %d): ask the administrator for sysctl kernel.perf_event_paranoid=2",
                       level);
    if (reason == EACCES || reason == EPERM || reason == ENOSYS)
        return err_set(err,
                       "the kernel does not let us sample processes here (perf_event_open: %s); a container may "
                       "have to be started with --cap-add PERFMON, or its seccomp profile to allow perf_event_open",
                       strerror(reason));
    if (reason == EMFILE || reason == ENFILE)
        return err_set(err, "sampling needs a descriptor for each thread and processor, more than may be open here: "
                            "raise ulimit -n");
    errno = reason;
    return err_errno(err, "can't sample (perf_event_open)");
}

/* The first event of a processor brings its ring; others write to that. */
static int add_event(struct sampler *sampler, int fd, int cpu, struct err *err)
{
    for (size_t i = 0; i < sampler->ring_count; i++)
        if (sampler->rings[i].cpu == cpu) {
            MEM_GROW(sampler->events, sampler->event_capacity, sampler->event_count + 1);
            sampler->events[sampler->event_count++] = fd;
            return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sampler->rings[i].fd)
                       ? err_errno(err, "can't collect samples of several threads")
                       : 0;
        }
    MEM_GROW(sampler->rings, sampler->ring_capacity, sampler->ring_count + 1);
    struct perf_ring *ring = &sampler->rings[sampler->ring_count++];
    *ring = (struct perf_ring){.fd = fd, .cpu = cpu};
    void *page = mmap(NULL, (1 + RING_PAGES) * sampler->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ring->page = page == MAP_FAILED ? NULL : page;
    return page == MAP_FAILED ? err_errno(err, "no memory for samples (kernel.perf_event_mlock_kb, ulimit -l)") : 0;
}

/* A thread that is gone, and a processor that is off, have nothing to say. */
static int watch_thread(struct sampler *sampler, pid_t thread, bool starting, struct err *err)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus; cpu++) {
        if (sampler->ring_count + sampler->event_count == EVENTS_MOST)
            return err_set(err, "these are too many threads to sample: %d on %ld processors", EVENTS_MOST, cpus);
        int fd = open_event(thread, cpu, starting);
        if (fd < 0 && errno == ESRCH)
            return 0;
        if (fd < 0 && errno != ENODEV && refuse_event(err))
            return -1;
        if (fd >= 0 && add_event(sampler, fd, cpu, err))
            return -1;
    }
    return 0;
}

static int watch_process(struct sampler *sampler, pid_t pid, struct err *err)
{
    char path[64];
    int failed = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry; threads && !failed && (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0)
            failed = watch_thread(sampler, (pid_t)thread, false, err);
    }
    if (threads)
        closedir(threads);
    return failed;
}

struct sampler *sampler_open(const pid_t *pids, size_t count, bool starting, struct err *err)
{
    struct sampler *sampler = MEM_NEW(struct sampler);
    struct rlimit limit;
    int failed = 0;
    sampler->page_size = (size_t)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    for (size_t i = 0; i < count && !failed; i++)
        failed = starting ? watch_thread(sampler, pids[i], true, err) : watch_process(sampler, pids[i], err);
    if (!failed && !sampler->ring_count)
        failed = err_set(err, "the processes ended before they could be sampled");
    if (failed) {
        sampler_close(sampler);
        return NULL;
    }
    return sampler;
}

void sampler_close(struct sampler *sampler)
{
    if (!sampler)
        return;
    for (size_t i = 0; i < sampler->event_count; i++)
        close(sampler->events[i]);
    for (size_t i = 0; i < sampler->ring_count; i++) {
        if (sampler->rings[i].page)
            munmap(sampler->rings[i].page, (1 + RING_PAGES) * sampler->page_size);
        close(sampler->rings[i].fd);
    }
    for (size_t i = 0; i < sampler->record_count; i++)
        free(sampler->records[i].header);
    free(sampler->events);
    free(sampler->rings);
    free(sampler->records);
    free(sampler);
}

/* --- reading --- */

static void copy_out(const struct perf_ring *ring, uint64_t at, void *out, size_t length)
{
    const char *data = (const char *)ring->page + ring->page->data_offset;
    size_t size = ring->page->data_size, place = at % size, first = size - place < length ? size - place : length;
    memcpy(out, data + place, first);
    memcpy((char *)out + first, data, length - first);
}

/* When it was written: of samples behind process and thread, of the others at the end. */
static uint64_t time_of(const struct perf_event_header *header)
{
    uint64_t time = 0;
    size_t place = header->type == PERF_RECORD_SAMPLE ? sizeof *header + 8 : header->size - sizeof time;
    if (place + sizeof time <= header->size)
        memcpy(&time, (const char *)header + place, sizeof time);
    return time;
}

static void read_ring(struct sampler *sampler, const struct perf_ring *ring)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), at = ring->page->data_tail;
    while (at < head) {
        struct perf_event_header header;
        copy_out(ring, at, &header, sizeof header);
        if (header.size < sizeof header)
            break;
        MEM_GROW(sampler->records, sampler->record_capacity, sampler->record_count + 1);
        struct perf_record *record = &sampler->records[sampler->record_count++];
        record->header = mem_raw(header.size);
        copy_out(ring, at, record->header, header.size);
        record->time = time_of(record->header);
        at += header.size;
    }
    __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int compare_records(const void *a, const void *b)
{
    const struct perf_record *one = a, *other = b;
    return (one->time > other->time) - (one->time < other->time);
}

/* The next piece of a record; false: it has not so many bytes. */
struct byte_piece {
    const char *at, *end;
};

static bool take_bytes(struct byte_piece *piece, void *out, size_t length)
{
    if ((size_t)(piece->end - piece->at) < length)
        return false;
    memcpy(out, piece->at, length);
    piece->at += length;
    return true;
}

/* Marks between addresses (PERF_CONTEXT_USER) are no addresses. */
static size_t clean_callers(uint64_t *callers, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (callers[i] < (uint64_t)PERF_CONTEXT_MAX)
            callers[kept++] = callers[i];
    return kept;
}

static void take_sample(struct byte_piece *piece, struct processes *processes, struct stacks *stacks)
{
    uint32_t ids[2];
    uint64_t time, count, size, used = 0, callers[512], stack[STACK_BYTES / 8];
    struct stack_frame frames[STACKS_DEEPEST];
    if (!take_bytes(piece, ids, sizeof ids) || !take_bytes(piece, &time, sizeof time) ||
        !take_bytes(piece, &count, sizeof count) || count > sizeof callers / sizeof *callers ||
        !take_bytes(piece, callers, count * sizeof *callers) || !take_bytes(piece, &size, sizeof size) ||
        size > sizeof stack || !take_bytes(piece, stack, size) || (size && !take_bytes(piece, &used, sizeof used)))
        return;
    struct sampled sample = {.pid = (pid_t)ids[0],
                             .callers = callers,
                             .caller_count = clean_callers(callers, count),
                             .stack = stack,
                             .stack_count = (used < size ? used : size) / sizeof *stack};
    if (sample.caller_count)
        stacks_add(stacks, frames, processes_resolve(processes, &sample, frames));
}

static void take_mapping(struct byte_piece *piece, struct processes *processes)
{
    uint32_t ids[2];
    uint64_t place[3], file[3]; /* file: device, inode and generation */
    uint32_t modes[2];
    if (!take_bytes(piece, ids, sizeof ids) || !take_bytes(piece, place, sizeof place) ||
        !take_bytes(piece, file, sizeof file) || !take_bytes(piece, modes, sizeof modes))
        return;
    char *path = mem_text_n(piece->at, strnlen(piece->at, (size_t)(piece->end - piece->at)));
    processes_map(processes, (pid_t)ids[0], &(struct mapping){place[0], place[1], place[2], path, NULL});
    free(path);
}

static void take_name(struct byte_piece *piece, bool replaced, struct processes *processes)
{
    uint32_t ids[2];
    if (!take_bytes(piece, ids, sizeof ids) ||
        (!replaced && ids[0] != ids[1])) /* a thread's name is none of its process */
        return;
    char *name = mem_text_n(piece->at, strnlen(piece->at, (size_t)(piece->end - piece->at)));
    processes_name(processes, (pid_t)ids[0], name, replaced);
    free(name);
}

/* Process, parent, thread, its parent. */
static void take_task(struct byte_piece *piece, bool begins, struct processes *processes)
{
    uint32_t ids[4];
    if (!take_bytes(piece, ids, sizeof ids))
        return;
    if (begins && ids[0] != ids[1])
        processes_fork(processes, (pid_t)ids[1], (pid_t)ids[0]);
}

static void take_record(struct sampler *sampler, const struct perf_event_header *header, struct processes *processes,
                        struct stacks *stacks)
{
    struct byte_piece piece = {(const char *)(header + 1), (const char *)header + header->size};
    uint64_t lost[2];
    if (header->type == PERF_RECORD_SAMPLE)
        take_sample(&piece, processes, stacks);
    else if (header->type == PERF_RECORD_MMAP2)
        take_mapping(&piece, processes);
    else if (header->type == PERF_RECORD_COMM)
        take_name(&piece, header->misc & PERF_RECORD_MISC_COMM_EXEC, processes);
    else if (header->type == PERF_RECORD_FORK)
        take_task(&piece, true, processes);
    else if (header->type == PERF_RECORD_LOST && take_bytes(&piece, lost, sizeof lost))
        sampler->lost += lost[1];
}

void sampler_take(struct sampler *sampler, struct processes *processes, struct stacks *stacks, bool last)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t until = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    for (size_t i = 0; i < sampler->ring_count; i++)
        read_ring(sampler, &sampler->rings[i]);
    if (sampler->record_count)
        qsort(sampler->records, sampler->record_count, sizeof *sampler->records, compare_records);
    size_t done = 0;
    for (; done < sampler->record_count && (last || sampler->records[done].time < until); done++) {
        take_record(sampler, sampler->records[done].header, processes, stacks);
        free(sampler->records[done].header);
    }
    sampler->record_count -= done;
    if (sampler->record_count)
        memmove(sampler->records, sampler->records + done, sampler->record_count * sizeof *sampler->records);
}

uint64_t sampler_lost(const struct sampler *sampler)
{
    return sampler->lost;
}
