/* A trainer for one run at a time; see serve.h. */
#include "worker/trainer/serve.h"

#include "worker/trainer/seat.h"

#include <poll.h>
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
