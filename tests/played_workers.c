/* Workers that are played; see played_workers.h. */
#include "tests/played_workers.h"
#include "common/clock.h"
#include "common/endings.h"
#include "common/link.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/phases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS_A_CONTEXT = 1000 };

struct driver {
    struct link *link;
    uint64_t id;
    bool said_hello, welcome, left;
    double beaten;          /* when its last HEARTBEAT went out */
    struct msg_lease *held; /* leases that it keeps; their texts are not */
    size_t count, capacity; /* so many */
};

/* The workers of one process. */
struct crowd {
    struct board *board;
    struct part *part;
    size_t index, count, connected; /* of the process; workers it may have, and has */
    struct driver *players;
    struct link_context **contexts;
    int epoll;
    uint32_t credit;
    bool busy;
    double heartbeat; /* seconds */
    struct buf bytes;
    struct discovery discovery;
    struct key_pair key;
};

void played_workers_check(bool failed, const struct err *err)
{
    if (!failed)
        return;
    fprintf(stderr, "workers: %s\n", err->text);
    exit(1);
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
    crowd->part->beats++;
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
    crowd->part->holding--;
    driver->count = 0;
}

static void take_leases(struct crowd *crowd, struct driver *driver, const struct msg_leases *leases)
{
    crowd->part->holding += !driver->count && leases->leases_count;
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
    crowd->part->left += !driver->left;
    driver->left = true;
}

static void take_message(struct crowd *crowd, struct driver *driver, const struct msg *msg)
{
    if (msg->kind == MSG_WELCOME) {
        crowd->heartbeat = msg->welcome.heartbeat;
        driver->welcome = true;
        say_offer(crowd, driver);
    } else if (msg->kind == MSG_WHO) {
        say_hello(crowd, driver);
    } else if (msg->kind == MSG_LEASES) {
        take_leases(crowd, driver, &msg->leases);
    } else if (msg->kind == MSG_ACKS) {
        for (uint32_t i = 0; i < msg->acks.acks_count; i++)
            crowd->part->ended += msg->acks.acks[i].ended;
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
        played_workers_check(msg_decode(&msg, crowd->bytes.data, crowd->bytes.length, &err) != 0, &err);
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
        played_workers_check(!(*context = link_context_create(&err)), &err);
    *driver = (struct driver){.id = at * crowd->board->processes + crowd->index + 1};
    driver->link = link_connect(*context, crowd->discovery.workers, &crowd->key, crowd->discovery.public_key, &err);
    played_workers_check(!driver->link, &err);
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
        if (driver->welcome)
            say_heartbeat(crowd, driver, now);
        attend(crowd, driver);
    }
}

/* How many of the workers that are to be there are this process's. */
static size_t own_share(const struct crowd *crowd)
{
    return (crowd->board->connected + crowd->board->processes - 1 - crowd->index) / crowd->board->processes;
}

static void follow_board(struct crowd *crowd)
{
    while (crowd->connected < own_share(crowd))
        connect_driver(crowd, crowd->connected);
    if (crowd->busy == crowd->board->busy)
        return;
    crowd->busy = crowd->board->busy;
    for (size_t i = 0; i < crowd->connected; i++)
        if (crowd->players[i].count)
            say_results(crowd, &crowd->players[i]);
}

/* Until it is killed. */
static void play(struct crowd *crowd)
{
    enum { EVENTS = 256 };
    struct epoll_event events[EVENTS];
    double looked = 0;
    for (;;) {
        int count = epoll_wait(crowd->epoll, events, EVENTS, 10);
        for (int i = 0; i < count; i++)
            attend(crowd, events[i].data.ptr);
        follow_board(crowd);
        double now = clock_monotonic();
        if (now - looked > 0.1) {
            beat(crowd);
            looked = now;
        }
    }
}

static void start_player(struct crowd *crowd, size_t index)
{
    crowd->index = index;
    crowd->part = &crowd->board->parts[index];
    pid_t pid = fork();
    if (pid) {
        crowd->part->pid = pid;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    crowd->epoll = epoll_create1(EPOLL_CLOEXEC);
    crowd->players = MEM_ARRAY(struct driver, crowd->count);
    crowd->contexts = MEM_ARRAY(struct link_context *, crowd->count / LINKS_A_CONTEXT + 1);
    play(crowd);
}

struct board *played_workers_start(size_t workers, uint32_t credit, const struct discovery *discovery,
                                   const struct key_pair *key)
{
    struct err err = {"no memory to share"};
    struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    played_workers_check(board == MAP_FAILED, &err);
    err_write(&err, "at most %d workers", PLAYED_IN_A_PROCESS * PLAYED_PROCESSES);
    played_workers_check(workers > (size_t)PLAYED_IN_A_PROCESS * PLAYED_PROCESSES, &err);
    board->processes = (workers + PLAYED_IN_A_PROCESS - 1) / PLAYED_IN_A_PROCESS;
    struct crowd crowd = {.board = board,
                          .count = workers / board->processes + 1,
                          .credit = credit,
                          .discovery = *discovery,
                          .key = *key};
    for (size_t i = 0; i < board->processes; i++)
        start_player(&crowd, i);
    return board;
}

void played_workers_stop(struct board *board)
{
    for (size_t i = 0; i < board->processes; i++) {
        kill(board->parts[i].pid, SIGKILL);
        waitpid(board->parts[i].pid, NULL, 0);
    }
    munmap(board, sizeof *board);
}

void played_workers_watch(const struct board *board)
{
    struct err err = {"a process that plays workers ended"};
    for (size_t i = 0; i < board->processes; i++)
        played_workers_check(waitpid(board->parts[i].pid, NULL, WNOHANG) != 0, &err);
}
