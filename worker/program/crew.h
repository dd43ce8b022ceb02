/* Slots whose trials train together (resources.fuse) share a trainer process: their crew's. Each has a seat in it: a
 * stream and a pipe of permits of its own, over which trainer.h speaks as with a process of its own.
 *
 *     (the first seat)             process starts, with a socket for seats to come
 *     a seat                       its descriptors go over that socket
 *     a seat is left               the others stay; with the last one the process ends
 *     the process is gone          each seat is told; whoever wants a seat then gets a new process
 *
 * The end of the process costs all of its runs. Where one of them was ended by force, the others are bystanders. */
#ifndef GANNET_WORKER_PROGRAM_CREW_H
#define GANNET_WORKER_PROGRAM_CREW_H

#include "common/loop.h"
#include "common/proc.h"
#include "worker/hardware/pin.h"

struct crew;
struct crew_seat;

/* How its process is started; as struct trainer_setup has it. */
struct crew_setup {
    const char *const *argv; /* without the option for seats */
    const char *const *env;
    const struct pin *pin;
};

struct crew *crew_create(void);
struct crew *crew_hold(struct crew *crew); /* once more; NULL is fine */
void crew_drop(struct crew *crew);         /* destroyed with the last; NULL is fine */

/* A new seat whose trainer reads `stream` and `permits`, which stay the caller's. `gone` is called once from the loop
 * when the process has ended, with the processor seconds that this seat has to answer for. NULL with a sentence. */
struct crew_seat *crew_join(struct crew *crew, struct loop *loop, const struct crew_setup *setup, int stream,
                            int permits, void (*gone)(void *context, const struct proc_exit *how), void *context,
                            struct err *err);

/* Gives the seat up; `gone` is not called any more. NULL is fine. */
void crew_leave(struct crew_seat *seat);

/* Ends the process, for all of its seats. `forced`: for the sake of this seat's run; the others are bystanders. */
void crew_end(struct crew_seat *seat, double grace, bool forced);

/* The next seat is in a new process: the present one was started for another task. NULL is fine. */
void crew_renew(struct crew *crew);

void crew_count_cpu(struct crew_seat *seat, double seconds); /* its runs were told to have used them */
bool crew_is_bystander(const struct crew_seat *seat);
pid_t crew_pid(const struct crew_seat *seat);
const char *crew_tail(struct crew_seat *seat); /* the last lines of the process's error output */

#endif
