/* A trainer for one run at a time; see serve.h. */
#include "worker/trainer/serve.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/task.h"
#include "worker/trainer/seat.h"
#include "worker/trainer/together.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first RUN has no permit yet, or there is none. */
static void await_orders(struct seat *seat)
{
    struct pollfd ready[] = {{.fd = seat->permits, .events = POLLIN}, {.fd = seat->fd, .events = POLLIN}};
    if (!seat->first)
        seat_receive(seat);
    else if (poll(ready, 2, -1) > 0 && ready[1].revents)
        seat_receive(seat);
}

int serve_runs(int fd, struct err *err)
{
    struct trainer_process process;
    struct seat seat;
    trainer_process_open(&process);
    seat_init(&seat, &process, fd, STDIN_FILENO);
    while (!seat.gone) {
        bool goes = seat_attend(&seat);
        if (!goes && !seat.gone)
            await_orders(&seat);
        while (goes)
            goes = training_step(&seat.training);
        if (seat.running)
            seat_end_run(&seat);
    }
    int result = seat.err.text[0] ? err_set(err, "%s", seat.err.text) : 0;
    seat_fini(&seat);
    trainer_process_close(&process);
    return result;
}

/* Several runs that train together:
 *
 *     worker                                trainer
 *     a seat's stream and permits  ------>  (descriptors in a message of one byte over descriptor 3; at any time)
 *     SETUP, RUN, HALT over it     <----->  what serve.h says, for each seat by itself
 *     (closes a seat's stream)     ------>  that seat's run ends after the present step
 *     (closes descriptor 3)        ------>  exits when the last seat is gone
 *
 * All runs that go take their steps in rounds (together.h). Between two rounds the streams are looked at, so that runs
 * join and leave there. */
struct seats {
    struct trainer_process process;
    struct seat *all[TASK_FUSE_MOST];
    size_t count;
    int arrivals; /* where seats come from; -1: the worker has closed its end */
};

/* --- seats come and go --- */

/* Takes the two descriptors of a seat: 1; 0: the worker has closed its end. */
static int receive_seat(int arrivals, int ends[2])
{
    char byte;
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr msg = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    if (recvmsg(arrivals, &msg, MSG_CMSG_CLOEXEC) <= 0)
        return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&msg);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(2 * sizeof(int)))
        return 0;
    memcpy(ends, CMSG_DATA(header), 2 * sizeof(int));
    return 1;
}

static void admit_seat(struct seats *seats)
{
    int ends[2];
    if (!receive_seat(seats->arrivals, ends)) {
        seats->arrivals = -1;
    } else if (seats->count == TASK_FUSE_MOST) {
        close(ends[0]);
        close(ends[1]);
    } else {
        struct seat *seat = MEM_NEW(struct seat);
        seat_init(seat, &seats->process, ends[0], ends[1]);
        seats->all[seats->count++] = seat;
    }
}

static void destroy_seat(struct seat *seat)
{
    int ends[] = {seat->fd, seat->permits};
    seat_fini(seat);
    close(ends[0]);
    close(ends[1]);
    free(seat);
}

/* Those whose stream is closed. What one of them did against the rules ends the trainer. */
static int drop_gone(struct seats *seats, struct err *err)
{
    size_t kept = 0;
    int result = 0;
    for (size_t i = 0; i < seats->count; i++) {
        struct seat *seat = seats->all[i];
        if (!seat->gone) {
            seats->all[kept++] = seat;
            continue;
        }
        if (seat->err.text[0])
            result = err_set(err, "%s", seat->err.text);
        destroy_seat(seat);
    }
    seats->count = kept;
    return result;
}

/* --- what is done in turns --- */

/* Takes what has come: waits for something when no run goes. */
static void receive_all(struct seats *seats)
{
    struct pollfd ready[2 * TASK_FUSE_MOST + 1];
    nfds_t count = 0;
    for (size_t i = 0; i < seats->count; i++) {
        const struct seat *seat = seats->all[i];
        bool awaits = seat->first && !seat->running; /* a permit */
        ready[count++] = (struct pollfd){.fd = seat->fd, .events = POLLIN};
        ready[count++] = (struct pollfd){.fd = awaits ? seat->permits : -1, .events = POLLIN};
    }
    ready[count] = (struct pollfd){.fd = seats->arrivals, .events = POLLIN};
    if (poll(ready, count + 1, seats->process.running ? 0 : -1) <= 0)
        return;
    for (size_t i = 0; 2 * i < count; i++)
        if (ready[2 * i].revents)
            seat_receive(seats->all[i]);
    if (ready[count].revents)
        admit_seat(seats);
}

static void attend_all(struct seats *seats)
{
    for (size_t i = 0; i < seats->count; i++)
        if (!seats->all[i]->running)
            seat_attend(seats->all[i]);
}

/* A step of each run that goes. Processor time is shared out here, so that none is told twice. */
static void step_all(struct seats *seats)
{
    struct together runs[TASK_FUSE_MOST];
    struct seat *of[TASK_FUSE_MOST];
    size_t count = 0;
    for (size_t i = 0; i < seats->count; i++)
        if (seats->all[i]->running) {
            of[count] = seats->all[i];
            runs[count++] = (struct together){.training = &seats->all[i]->training};
        }
    if (!count)
        return;
    double then = clock_cpu();
    together_step(runs, count);
    seats->process.cpu += clock_cpu() - then;
    for (size_t i = 0; i < count; i++) {
        of[i]->shared_cpu += runs[i].cpu_seconds;
        if (!runs[i].goes)
            seat_end_run(of[i]);
    }
}

int serve_seats(int arrivals, struct err *err)
{
    struct seats seats = {.arrivals = arrivals};
    int result = 0;
    trainer_process_open(&seats.process);
    while (result == 0 && (seats.arrivals >= 0 || seats.count)) {
        receive_all(&seats);
        attend_all(&seats);
        step_all(&seats);
        result = drop_gone(&seats, err);
    }
    while (seats.count)
        destroy_seat(seats.all[--seats.count]);
    trainer_process_close(&seats.process);
    return result;
}
