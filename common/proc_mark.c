/* The mark in the limits; see proc_mark.h. */
#include "common/proc_mark.h"
#include "common/buf.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"
#include "common/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A mark from above: 3 bits of depth, 38 of the owner's start (in ticks since the boot: 87 years), 22 of its number
 * (the kernel has none above 2^22). Those of runs have odd depths, those of workers even ones, and whoever is started
 * inside has a smaller one, so that it may set its mark below a hard limit. No limit that somebody set is as large. */
enum { PID_BITS = 22, DEPTH_SHIFT = 60, DEEPEST = 7 };

#define PID_MASK      ((UINT64_C(1) << PID_BITS) - 1)
#define IDENTITY_MASK ((UINT64_C(1) << DEPTH_SHIFT) - 1)

struct lock_limits {
    uint64_t soft, hard; /* UINT64_MAX: none */
};

static bool is_mark(uint64_t value)
{
    return value >> DEPTH_SHIFT >= 1 && value >> DEPTH_SHIFT <= DEEPEST;
}

static bool names_owner(uint64_t value, uint64_t mark)
{
    return is_mark(value) && (value & IDENTITY_MASK) == (mark & IDENTITY_MASK);
}

static const char *read_text(pid_t pid, const char *name, struct buf *out)
{
    enum { LARGEST = 1 << 16 };
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    buf_clear(out);
    path_read(path, out, LARGEST, NULL);
    return buf_str(out);
}

/* The owner in the lowest bits, without a depth; 0: no such process. */
static uint64_t identity_of(pid_t pid)
{
    struct proc_stat stat = proc_stat_read(pid);
    return stat.start ? ((stat.start << PID_BITS) & IDENTITY_MASK) | (unsigned)pid : 0;
}

static uint64_t read_limit(const char *text, const char **rest)
{
    char *end;
    text += strspn(text, " ");
    uint64_t value = strncmp(text, "unlimited", 9) == 0 ? UINT64_MAX : strtoull(text, &end, 10);
    *rest = text + strcspn(text, " ");
    return value;
}

static struct lock_limits limits_of(pid_t pid)
{
    static const char name[] = "\nMax file locks";
    struct buf text = {0};
    struct lock_limits limits = {UINT64_MAX, UINT64_MAX};
    const char *line = strstr(read_text(pid, "limits", &text), name);
    if (line) {
        limits.soft = read_limit(line + sizeof name - 1, &line);
        limits.hard = read_limit(line, &line);
    }
    buf_fini(&text);
    return limits;
}

uint64_t proc_mark_take(enum proc_mark_kind kind)
{
    struct rlimit limit;
    uint64_t ours = identity_of(getpid());
    if (!ours || getrlimit(RLIMIT_LOCKS, &limit) || (limit.rlim_max != RLIM_INFINITY && !is_mark(limit.rlim_max)))
        return 0;
    if (names_owner(limit.rlim_cur, ours))
        return limit.rlim_cur;
    uint64_t depth = is_mark(limit.rlim_cur) ? limit.rlim_cur >> DEPTH_SHIFT : DEEPEST + 1;
    depth -= depth % 2 == (kind == PROC_MARK_RUN) ? 2 : 1;
    if (depth < 1 || depth > DEEPEST)
        return 0;
    limit.rlim_cur = depth << DEPTH_SHIFT | ours;
    if (limit.rlim_max == RLIM_INFINITY)
        limit.rlim_max = limit.rlim_cur;
    return setrlimit(RLIMIT_LOCKS, &limit) ? 0 : limit.rlim_cur;
}

bool proc_mark_owner_lives(uint64_t mark)
{
    pid_t owner = (pid_t)(mark & PID_MASK);
    return names_owner(mark, identity_of(owner)) && proc_lives(owner);
}

/* --- the sweep --- */

typedef bool is_wanted(pid_t pid, uint64_t mark);

static bool is_marked(pid_t pid, uint64_t mark)
{
    struct lock_limits limits = limits_of(pid);
    return (names_owner(limits.soft, mark) || names_owner(limits.hard, mark)) && proc_lives(pid);
}

/* Numbers of another container mean other processes. */
static bool shares_numbers(pid_t pid)
{
    char path[64], theirs[64] = "", ours[64] = "?";
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    return readlink(path, theirs, sizeof theirs - 1) > 0 && readlink("/proc/self/ns/pid", ours, sizeof ours - 1) > 0 &&
           strcmp(theirs, ours) == 0;
}

static bool has_lost(pid_t pid, enum proc_mark_kind kind)
{
    uint64_t mark = limits_of(pid).soft;
    bool is_runs = (mark >> DEPTH_SHIFT) % 2;
    return is_mark(mark) && is_runs == (kind == PROC_MARK_RUN) && !proc_mark_owner_lives(mark) && proc_lives(pid) &&
           shares_numbers(pid);
}

bool proc_mark_lost_run(pid_t pid)
{
    return has_lost(pid, PROC_MARK_RUN);
}

static bool is_orphan(pid_t pid, uint64_t unused)
{
    (void)unused;
    char path[64];
    struct stat at;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return stat(path, &at) == 0 && at.st_uid == geteuid() && has_lost(pid, PROC_MARK_WORKER);
}

/* What has the number may be another process since it was looked at; what we hold open is none but the one that is
 * looked at again. Before Linux 5.3 there is no way to hold one. */
static bool kill_wanted(pid_t pid, is_wanted *wanted, uint64_t mark)
{
#ifdef SYS_pidfd_open
    int held = (int)syscall(SYS_pidfd_open, pid, 0);
    if (held >= 0) {
        bool killed = wanted(pid, mark) && syscall(SYS_pidfd_send_signal, held, SIGKILL, NULL, 0) == 0;
        close(held);
        return killed;
    }
    if (errno != ENOSYS && errno != EPERM)
        return false;
#endif
    return kill(pid, SIGKILL) == 0;
}

/* What a sweep has seen. */
struct sweep_pass {
    int found; /* in this pass */
    pid_t *killed;
    size_t killed_count, killed_capacity;
};

/* What was killed in an earlier pass may be there still: the kernel takes a while. */
static void note_killed(struct sweep_pass *pass, pid_t pid)
{
    for (size_t i = 0; i < pass->killed_count; i++)
        if (pass->killed[i] == pid)
            return;
    MEM_GROW(pass->killed, pass->killed_capacity, pass->killed_count + 1);
    pass->killed[pass->killed_count++] = pid;
}

static void take_process(struct sweep_pass *pass, pid_t pid, is_wanted *wanted, uint64_t mark, bool and_kill)
{
    if (!wanted(pid, mark))
        return;
    pass->found++;
    if (and_kill && kill_wanted(pid, wanted, mark))
        note_killed(pass, pid);
}

static void look_at_all(struct sweep_pass *pass, is_wanted *wanted, uint64_t mark, bool and_kill)
{
    pass->found = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 1 && pid != getpid())
            take_process(pass, pid, wanted, mark, and_kill);
    }
    if (processes)
        closedir(processes);
}

/* Each pass catches what the ones before it started meanwhile. */
static int sweep_all(is_wanted *wanted, uint64_t mark, double seconds)
{
    enum { SHORTEST = 1000, LONGEST = 50000 }; /* microseconds between two passes, each pause twice the one before */
    double until = clock_monotonic() + seconds;
    struct sweep_pass pass = {0};
    for (useconds_t pause = SHORTEST;; pause = pause < LONGEST ? 2 * pause : pause) {
        look_at_all(&pass, wanted, mark, true);
        if (!pass.found || clock_monotonic() >= until)
            break;
        usleep(pause);
    }
    free(pass.killed);
    return (int)pass.killed_count;
}

int proc_mark_count(uint64_t mark)
{
    struct sweep_pass pass = {0};
    look_at_all(&pass, is_marked, mark, false);
    return pass.found;
}

int proc_mark_sweep(uint64_t mark, double seconds)
{
    return is_mark(mark) ? sweep_all(is_marked, mark, seconds) : 0;
}

int proc_mark_sweep_orphans(void)
{
    return sweep_all(is_orphan, 0, 1);
}
