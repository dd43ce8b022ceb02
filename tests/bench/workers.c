/* Thousands of workers against a real coordinator: processes of 5,000 each play them over real links (TCP with CURVE),
 * each worker with a connection of its own, which takes two descriptors, and one slot.
 *
 *     build/bench/workers [WORKERS [TRIALS [CREDIT]]]        2000 200000 0
 *     build/bench/workers WORKERS 0 CREDIT DIR SECONDS       of a run directory that there is and stays, busy so long
 *
 *     a few    come, and hold the leases that they get: the memory of the coordinator
 *     all      come, and hold theirs: the memory again, and by the difference what a worker costs
 *     quiet    for some seconds they only say HEARTBEAT: what one of these costs
 *     busy     every lease ends when it comes; until the experiment has ended: trials a second, and what one costs
 *
 * GANNET_BUILD names another build folder, whose coordinator is measured instead of the one beside this program; the
 * store is made here, so both must have the same version of it.
 * Processor time is the coordinator's, of all its threads, user and system, as the kernel counts it. */
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"
#include "tests/played_workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FEW = 16, QUIET_SECONDS = 6, PATIENCE_SECONDS = 120 };

static const char experiment[] =
    "{version: 1, name: workers, seed: 1, trial: {kernel: synth, options: {function: sphere}},"
    " metric: {name: value, goal: minimize}, parameters: {x1: {min: -5.0, max: 5.0}, x2: {min: -5.0, max: 5.0}},"
    " strategy: random, limits: {max_trials: %llu}}";

/* --- the coordinator, seen from outside --- */

static double memory_kib(pid_t pid)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %lf", &kib);
    if (file)
        fclose(file);
    return kib;
}

/* User and system seconds. */
static double cpu_seconds(pid_t pid)
{
    char path[64];
    double user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &user, &system) != 2)
        user = system = 0;
    if (file)
        fclose(file);
    return (user + system) / (double)sysconf(_SC_CLK_TCK);
}

static pid_t start_coordinator(const char *gannet, const struct rundir *dir)
{
    char *listen = "tcp://127.0.0.1:*";
    char *arguments[] = {(char *)gannet, "coordinator", "--rundir", dir->path, "--listen", listen, NULL};
    char *log = path_join(dir->logs, "coordinator.log");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t pid;
    struct err err;
    errno = posix_spawn(&pid, gannet, &actions, NULL, arguments, environ);
    played_workers_check(errno && err_errno(&err, "can't start %s", gannet), &err);
    posix_spawn_file_actions_destroy(&actions);
    free(log);
    return pid;
}

static void wait_until_it_listens(const struct rundir *dir, pid_t pid, struct discovery *out)
{
    struct err err = {""};
    double start = clock_monotonic();
    while (discovery_read(dir, out, &err)) {
        bool died = waitpid(pid, NULL, WNOHANG) == pid;
        if (died)
            err_write(&err, "the coordinator ended; see %s", dir->logs);
        played_workers_check(died || clock_monotonic() - start > (double)PATIENCE_SECONDS, &err);
        poll(NULL, 0, 10);
    }
}

/* --- the measurement --- */

static size_t count_holding(const struct board *board)
{
    size_t count = 0;
    for (size_t i = 0; i < board->processes; i++)
        count += board->parts[i].holding;
    return count;
}

static size_t count_left(const struct board *board)
{
    size_t count = 0;
    for (size_t i = 0; i < board->processes; i++)
        count += board->parts[i].left;
    return count;
}

static uint64_t count_ended(const struct board *board)
{
    uint64_t count = 0;
    for (size_t i = 0; i < board->processes; i++)
        count += board->parts[i].ended;
    return count;
}

static uint64_t count_beats(const struct board *board)
{
    uint64_t count = 0;
    for (size_t i = 0; i < board->processes; i++)
        count += board->parts[i].beats;
    return count;
}

static bool all_hold(const struct board *board)
{
    return count_holding(board) >= board->connected;
}

/* The first that leaves was told that the search is over. */
static bool one_left(const struct board *board)
{
    return count_left(board) > 0;
}

/* Waits until it is done, or for so many seconds, where they are not 0. */
static void wait_until(bool (*done)(const struct board *), const struct board *board, double seconds)
{
    struct err err = {"the coordinator does not do what was waited for"};
    double start = clock_monotonic(), moved = start;
    uint64_t seen = 0;
    while (!done(board) && !(seconds > 0 && clock_monotonic() - start > seconds)) {
        uint64_t state = count_ended(board) + count_holding(board);
        poll(NULL, 0, 5);
        played_workers_watch(board);
        moved = state == seen ? moved : clock_monotonic();
        seen = state;
        played_workers_check(clock_monotonic() - moved > (double)PATIENCE_SECONDS, &err);
    }
}

static void connect_up_to(struct board *board, size_t count)
{
    enum { AT_ONCE = 200 };
    while (board->connected < count) {
        size_t next = board->connected + AT_ONCE;
        board->connected = next < count ? next : count;
        wait_until(all_hold, board, 0);
    }
}

static void measure_memory(struct board *board, size_t workers, pid_t pid)
{
    size_t few = workers < FEW ? workers : FEW;
    connect_up_to(board, few);
    double little = memory_kib(pid);
    connect_up_to(board, workers);
    double much = memory_kib(pid);
    printf("%zu workers: %.0f KiB with %zu of them, %.0f KiB with all; %.1f KiB a worker\n", workers, little, few, much,
           workers > few ? (much - little) / (double)(workers - few) : 0);
}

static void measure_heartbeats(const struct board *board, pid_t pid)
{
    double cpu = cpu_seconds(pid);
    uint64_t beats = count_beats(board);
    poll(NULL, 0, 1000 * QUIET_SECONDS);
    played_workers_watch(board);
    printf("  quiet: %.1f us of processor time a heartbeat\n",
           1e6 * (cpu_seconds(pid) - cpu) / (double)(count_beats(board) - beats));
}

/* seconds 0: until the experiment has ended */
static void measure_trials(struct board *board, double seconds, pid_t pid)
{
    double start = clock_monotonic(), cpu = cpu_seconds(pid);
    board->busy = true;
    wait_until(one_left, board, seconds);
    double took = clock_monotonic() - start;
    uint64_t ended = count_ended(board);
    printf("  busy:  %llu trials, %.0f a second, %.1f us of processor time a trial; %.1f MiB\n",
           (unsigned long long)ended, (double)ended / took, 1e6 * (cpu_seconds(pid) - cpu) / (double)ended,
           memory_kib(pid) / 1024);
}

static void make_directory(const char *path, uint64_t trials, struct rundir *dir)
{
    struct err err = {""};
    struct problems problems = {0};
    char *text = mem_format(experiment, (unsigned long long)trials);
    struct spec *spec = spec_read_text(text, strlen(text), "workers", ".", NULL, 0, &problems);
    rundir_name(path, dir);
    played_workers_check(!spec || rundir_make(dir, spec, &err), &err);
    spec_destroy(spec);
    problems_fini(&problems);
    free(text);
}

static void read_key(const struct rundir *dir, struct key_pair *key)
{
    struct err err;
    char *file = rundir_key(dir, "worker");
    played_workers_check(keys_read(file, key, &err) != 0, &err);
    free(file);
}

static void show_log(const struct rundir *dir)
{
    char *log = path_join(dir->logs, "coordinator.log"), line[1024];
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, " commits; ") || strstr(line, "WARNING") || strstr(line, "ERROR"))
            printf("  %s", strstr(line, "coordinator: ") ? strstr(line, "coordinator: ") : line);
    if (file)
        fclose(file);
    free(log);
}

static uint64_t argument(int count, char **arguments, int index, uint64_t otherwise)
{
    return count > index ? strtoull(arguments[index], NULL, 10) : otherwise;
}

int main(int count, char **arguments)
{
    size_t workers = argument(count, arguments, 1, 2000);
    uint64_t trials = argument(count, arguments, 2, 200000);
    uint32_t credit = (uint32_t)argument(count, arguments, 3, 0);
    struct discovery discovery = {0};
    struct key_pair key;
    char *own = path_directory(arguments[0]), *build = getenv("GANNET_BUILD");
    char *gannet = build ? mem_format("%s/bin/gannet", build) : mem_format("%s/../bin/gannet", own);
    char *place = mem_format("%s/gannet-workers-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    struct err err = {"can't make a directory"};
    struct rundir dir;
    bool there = count > 5;
    played_workers_check(!there && !mkdtemp(place), &err);
    char *path = there ? mem_text(arguments[4]) : path_join(place, "run");
    if (there)
        rundir_name(path, &dir);
    else
        make_directory(path, trials, &dir);
    read_key(&dir, &key);
    pid_t pid = start_coordinator(gannet, &dir);
    wait_until_it_listens(&dir, pid, &discovery);
    struct board *board = played_workers_start(workers, credit, &discovery, &key);
    measure_memory(board, workers, pid);
    measure_heartbeats(board, pid);
    measure_trials(board, there ? strtod(arguments[5], NULL) : 0, pid);
    if (there)
        kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    show_log(&dir);
    played_workers_stop(board);
    if (!there)
        path_remove_tree(place, &err);
    rundir_fini(&dir);
    free(path);
    free(place);
    free(gannet);
    free(own);
    return 0;
}
