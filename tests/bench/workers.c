/* Thousands of workers against a real coordinator: one process plays them over real links (TCP with CURVE), each
 * worker with a connection of its own and one slot.
 *
 *     build/bench/workers [WORKERS [TRIALS [CREDIT]]]        2000 200000 0
 *     build/bench/workers WORKERS 0 CREDIT DIR SECONDS       of a run directory that there is, busy for so long; it
 * stays
 *
 *     a few    come, and hold the leases that they get: the memory of the coordinator
 *     all      come, and hold theirs: the memory again, and by the difference what a worker costs
 *     quiet    for some seconds they only say HEARTBEAT: what one of these costs
 *     busy     every lease ends when it comes; until the experiment has ended: what a trial costs, and how many a
 * second
 *
 * GANNET_BUILD names another build folder, whose coordinator is measured instead of the one beside this program; the
 * store is made here, so both must have the same version of it.
 * Processor time is the coordinator's, of all its threads, user and system, as the kernel counts it. */
#include "common/clock.h"
#include "common/link.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/path.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FEW = 16, LINKS_A_CONTEXT = 1000, QUIET_SECONDS = 6, PATIENCE_SECONDS = 120 };

static const char experiment[] =
    "{version: 1, name: workers, seed: 1, trial: {kernel: synth, options: {function: sphere}},"
    " metric: {name: value, goal: minimize}, parameters: {x1: {min: -5.0, max: 5.0}, x2: {min: -5.0, max: 5.0}},"
    " strategy: random, limits: {max_trials: %llu}}";

struct driver {
    struct link *link;
    uint64_t id;
    bool said_hello, left;
    double beaten;          /* when its last HEARTBEAT went out */
    struct msg_lease *held; /* leases that it keeps; their texts are not */
    size_t count, capacity; /* so many */
};

struct crowd {
    struct driver *players;
    size_t count, connected;
    struct link_context **contexts;
    int epoll;
    uint32_t credit;
    bool busy;             /* leases end when they come */
    size_t holding, left;  /* workers that hold a lease; that have left */
    uint64_t ended, beats; /* trials acknowledged; HEARTBEATs sent */
    double heartbeat;      /* seconds */
    double busy_seconds;   /* after which it is over; 0: when the experiment has ended */
    struct buf bytes;
    struct discovery discovery;
    struct key_pair key;
};

static void check(bool failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "workers: %s\n", err->text);
    exit(1);
}

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
    check(errno && err_errno(&err, "can't start %s", gannet), &err);
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
        check(died || clock_monotonic() - start > (double)PATIENCE_SECONDS, &err);
        poll(NULL, 0, 10);
    }
}

/* --- one worker --- */

static void say(struct crowd *crowd, struct driver *driver, const struct msg *msg)
{
    buf_clear(&crowd->bytes);
    msg_encode(msg, &crowd->bytes);
    link_send(driver->link, 0, crowd->bytes.data, crowd->bytes.length);
}

static void say_hello(struct crowd *crowd, struct driver *driver)
{
    struct msg msg = {.kind = MSG_HELLO,
                      .hello = {.worker = driver->id,
                                .node = "bench",
                                .pid = (uint32_t)driver->id,
                                .element = UINT32_MAX,
                                .version = GANNET_VERSION,
                                .machine = "played",
                                .cores = 1}};
    say(crowd, driver, &msg);
    driver->said_hello = true;
}

static void say_offer(struct crowd *crowd, struct driver *driver)
{
    struct msg_slot slot = {.cpus = "0"};
    struct msg msg = {.kind = MSG_OFFER, .offer = {.credit = crowd->credit, .slots = &slot, .slots_count = 1}};
    say(crowd, driver, &msg);
}

static void say_heartbeat(struct crowd *crowd, struct driver *driver, double now)
{
    struct msg msg = {.kind = MSG_HEARTBEAT, .heartbeat = {.wall = now, .held_count = (uint32_t)driver->count}};
    struct msg_run_id *held = MEM_ARRAY(struct msg_run_id, driver->count);
    for (size_t i = 0; i < driver->count; i++)
        held[i] = (struct msg_run_id){driver->held[i].trial, driver->held[i].attempt};
    msg.heartbeat.held = held;
    say(crowd, driver, &msg);
    free(held);
    driver->beaten = now;
    crowd->beats++;
}

/* All leases that it holds end, in one message. */
static void say_results(struct crowd *crowd, struct driver *driver)
{
    struct msg msg = {.kind = MSG_RESULTS};
    struct msg_phase phases[] = {{.phase = PHASE_QUEUE, .seconds = 1e-3, .count = 1, .min = 1e-3, .max = 1e-3},
                                 {.phase = PHASE_LAUNCH, .seconds = 1e-5, .count = 1, .min = 1e-5, .max = 1e-5},
                                 {.phase = PHASE_IDLE, .seconds = 1e-6, .count = 1, .min = 1e-6, .max = 1e-6}};
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, driver->count);
    struct msg_measure *measures = MEM_ARRAY(struct msg_measure, driver->count);
    msg.results.results = MEM_ARRAY(struct msg_result, driver->count);
    for (size_t i = 0; i < driver->count; i++) {
        double value = 1 / (double)driver->held[i].trial;
        samples[i] = (struct msg_sample){"value", 1, value, 1e-6};
        measures[i] = (struct msg_measure){0, value, value, value};
        msg.results.results[i] = (struct msg_result){.trial = driver->held[i].trial,
                                                     .attempt = driver->held[i].attempt,
                                                     .ending = ENDING_COMPLETED,
                                                     .started = 1.7e9,
                                                     .seconds = 1e-5,
                                                     .cpu_seconds = 1e-5,
                                                     .peak_memory = 1 << 20,
                                                     .measures = &measures[i],
                                                     .measures_count = 1,
                                                     .samples = &samples[i],
                                                     .samples_count = 1,
                                                     .phases = phases,
                                                     .phases_count = 3};
    }
    msg.results.results_count = (uint32_t)driver->count;
    say(crowd, driver, &msg);
    free(samples);
    free(measures);
    free(msg.results.results);
    crowd->holding--;
    driver->count = 0;
}

static void take_leases(struct crowd *crowd, struct driver *driver, const struct msg_leases *leases)
{
    crowd->holding += !driver->count && leases->leases_count;
    for (uint32_t i = 0; i < leases->leases_count; i++) {
        MEM_GROW(driver->held, driver->capacity, driver->count + 1);
        driver->held[driver->count++] = leases->leases[i];
    }
    if (crowd->busy && driver->count)
        say_results(crowd, driver);
}

static void leave(struct crowd *crowd, struct driver *driver)
{
    struct msg msg = {.kind = MSG_GOODBYE, .goodbye = {.why = "it is over", .idle = true}};
    say(crowd, driver, &msg);
    crowd->left += !driver->left;
    driver->left = true;
}

static void take_message(struct crowd *crowd, struct driver *driver, const struct msg *msg)
{
    if (msg->kind == MSG_WELCOME) {
        crowd->heartbeat = msg->welcome.heartbeat;
        say_offer(crowd, driver);
    } else if (msg->kind == MSG_WHO) {
        say_hello(crowd, driver);
    } else if (msg->kind == MSG_LEASES) {
        take_leases(crowd, driver, &msg->leases);
    } else if (msg->kind == MSG_ACKS) {
        for (uint32_t i = 0; i < msg->acks.acks_count; i++)
            crowd->ended += msg->acks.acks[i].ended;
    } else if (msg->kind == MSG_DRAIN) {
        leave(crowd, driver);
    }
}

/* Sending may eat the sign that something came, so it is looked for after it, too. */
static void attend(struct crowd *crowd, struct driver *driver)
{
    bool can_read, can_write;
    uint64_t peer;
    link_ready(driver->link, &can_read, &can_write);
    if (can_write && !driver->said_hello)
        say_hello(crowd, driver);
    while (link_receive(driver->link, &peer, &crowd->bytes) == LINK_OK) {
        struct msg msg;
        struct err err;
        check(msg_decode(&msg, crowd->bytes.data, crowd->bytes.length, &err) != 0, &err);
        take_message(crowd, driver, &msg);
        msg_fini(&msg);
    }
}

/* --- all workers --- */

static void connect_driver(struct crowd *crowd, size_t at)
{
    struct err err;
    struct link_context **context = &crowd->contexts[at / LINKS_A_CONTEXT];
    struct driver *driver = &crowd->players[at];
    if (!*context)
        check(!(*context = link_context_create(&err)), &err);
    *driver = (struct driver){.id = at + 1};
    driver->link = link_connect(*context, crowd->discovery.workers, &crowd->key, crowd->discovery.public_key, &err);
    check(!driver->link, &err);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = driver};
    epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, link_fd(driver->link), &event);
    crowd->connected++;
}

static void beat(struct crowd *crowd)
{
    double now = clock_monotonic();
    for (size_t i = 0; i < crowd->connected; i++) {
        struct driver *driver = &crowd->players[i];
        if (crowd->heartbeat <= 0 || driver->left || now - driver->beaten < crowd->heartbeat)
            continue;
        if (driver->said_hello)
            say_heartbeat(crowd, driver, now);
        attend(crowd, driver);
    }
}

/* Plays until `done`, which is not asked more often than every few messages. */
static void play(struct crowd *crowd, bool (*done)(const struct crowd *crowd, double seconds))
{
    enum { EVENTS = 256 };
    struct epoll_event events[EVENTS];
    struct err err = {"the coordinator does not do what was waited for"};
    double start = clock_monotonic(), looked = 0;
    uint64_t seen = 0;
    double moved = start;
    while (!done(crowd, clock_monotonic() - start)) {
        int count = epoll_wait(crowd->epoll, events, EVENTS, 100);
        for (int i = 0; i < count; i++)
            attend(crowd, events[i].data.ptr);
        double now = clock_monotonic();
        if (now - looked > 0.1) {
            beat(crowd);
            looked = now;
        }
        uint64_t state = crowd->ended + crowd->holding + crowd->left + crowd->beats;
        moved = state == seen ? moved : now;
        seen = state;
        check(now - moved > (double)PATIENCE_SECONDS, &err);
    }
}

static bool all_hold(const struct crowd *crowd, double seconds)
{
    (void)seconds;
    return crowd->holding >= crowd->connected;
}

static bool quiet_is_over(const struct crowd *crowd, double seconds)
{
    (void)crowd;
    return seconds > (double)QUIET_SECONDS;
}

static bool busy_is_over(const struct crowd *crowd, double seconds)
{
    return crowd->left >= crowd->connected || (crowd->busy_seconds > 0 && seconds > crowd->busy_seconds);
}

/* --- the measurement --- */

static void connect_up_to(struct crowd *crowd, size_t count)
{
    enum { AT_ONCE = 200 };
    while (crowd->connected < count) {
        for (size_t i = 0; i < AT_ONCE && crowd->connected < count; i++)
            connect_driver(crowd, crowd->connected);
        play(crowd, all_hold);
    }
}

static void measure(struct crowd *crowd, pid_t pid)
{
    size_t few = crowd->count < FEW ? crowd->count : FEW;
    connect_up_to(crowd, few);
    double little = memory_kib(pid);
    connect_up_to(crowd, crowd->count);
    double much = memory_kib(pid), cpu = cpu_seconds(pid);
    uint64_t beats = crowd->beats;
    printf("%zu workers: %.0f KiB with %zu of them, %.0f KiB with all; %.1f KiB a worker\n", crowd->count, little, few,
           much, crowd->count > few ? (much - little) / (double)(crowd->count - few) : 0);
    play(crowd, quiet_is_over);
    printf("  quiet: %.1f us of processor time a heartbeat\n",
           1e6 * (cpu_seconds(pid) - cpu) / (double)(crowd->beats - beats));
    double start = clock_monotonic();
    cpu = cpu_seconds(pid);
    crowd->busy = true;
    for (size_t i = 0; i < crowd->connected; i++)
        if (crowd->players[i].count)
            say_results(crowd, &crowd->players[i]);
    play(crowd, busy_is_over);
    double seconds = clock_monotonic() - start;
    printf("  busy:  %llu trials, %.0f a second, %.1f us of processor time a trial; %.1f MiB\n",
           (unsigned long long)crowd->ended, (double)crowd->ended / seconds,
           1e6 * (cpu_seconds(pid) - cpu) / (double)crowd->ended, memory_kib(pid) / 1024);
}

static void make_directory(const char *path, uint64_t trials, struct rundir *dir)
{
    struct err err = {""};
    struct problems problems = {0};
    char *text = mem_format(experiment, (unsigned long long)trials);
    struct spec *spec = spec_read_text(text, strlen(text), "workers", ".", NULL, 0, &problems);
    rundir_name(path, dir);
    check(!spec || rundir_make(dir, spec, &err), &err);
    spec_destroy(spec);
    problems_fini(&problems);
    free(text);
}

static void read_key(const struct rundir *dir, struct key_pair *key)
{
    struct err err;
    char *file = rundir_key(dir, "worker");
    check(keys_read(file, key, &err) != 0, &err);
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

static void close_crowd(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->connected; i++) {
        link_close(crowd->players[i].link);
        free(crowd->players[i].held);
    }
    for (size_t i = 0; i * LINKS_A_CONTEXT < crowd->count; i++)
        link_context_destroy(crowd->contexts[i]);
    free(crowd->contexts);
    free(crowd->players);
    buf_fini(&crowd->bytes);
    close(crowd->epoll);
}

static uint64_t argument(int count, char **arguments, int index, uint64_t otherwise)
{
    return count > index ? strtoull(arguments[index], NULL, 10) : otherwise;
}

int main(int count, char **arguments)
{
    struct crowd crowd = {.count = argument(count, arguments, 1, 2000), .epoll = epoll_create1(EPOLL_CLOEXEC)};
    uint64_t trials = argument(count, arguments, 2, 200000);
    crowd.credit = (uint32_t)argument(count, arguments, 3, 0);
    char *own = path_directory(arguments[0]), *build = getenv("GANNET_BUILD");
    char *gannet = build ? mem_format("%s/bin/gannet", build) : mem_format("%s/../bin/gannet", own);
    char *place = mem_format("%s/gannet-workers-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    struct err err = {"can't make a directory"};
    struct rundir dir;
    bool there = count > 5;
    check(!there && !mkdtemp(place), &err);
    char *path = there ? mem_text(arguments[4]) : path_join(place, "run");
    if (there)
        rundir_name(path, &dir);
    else
        make_directory(path, trials, &dir);
    crowd.busy_seconds = there ? strtod(arguments[5], NULL) : 0;
    read_key(&dir, &crowd.key);
    pid_t pid = start_coordinator(gannet, &dir);
    wait_until_it_listens(&dir, pid, &crowd.discovery);
    crowd.players = MEM_ARRAY(struct driver, crowd.count);
    crowd.contexts = MEM_ARRAY(struct link_context *, crowd.count / LINKS_A_CONTEXT + 1);
    measure(&crowd, pid);
    if (there)
        kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    show_log(&dir);
    close_crowd(&crowd);
    if (!there)
        path_remove_tree(place, &err);
    rundir_fini(&dir);
    free(path);
    free(place);
    free(gannet);
    free(own);
    return 0;
}
