/* Shared trainers; see crew.h. */
#include "worker/program/crew.h"

#include "common/mem.h"
#include "common/task.h"
#include "worker/program/errout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16 };

/* A process, which lives on while it has seats, also when its crew has a newer one. */
struct crew_process {
    struct crew *crew; /* whose present one it is; NULL: no more */
    struct proc *proc;
    struct errout *errout;
    int seat_socket; /* where seats are sent to */
    struct crew_seat *seats[TASK_FUSE_MOST];
    size_t count;
    bool forced;     /* it was ended for the sake of one of its runs */
    double cpu_told; /* processor seconds that its runs were told to have used */
};

struct crew {
    unsigned holders;
    struct crew_process *present; /* where new seats are; NULL: none yet */
};

struct crew_seat {
    struct crew_process *process;
    bool guilty; /* its process was ended for the sake of its run */
    void (*gone)(void *context, const struct proc_exit *how);
    void *context;
};

struct crew *crew_create(void)
{
    struct crew *crew = MEM_NEW(struct crew);
    crew->holders = 1;
    return crew;
}

struct crew *crew_hold(struct crew *crew)
{
    if (crew)
        crew->holders++;
    return crew;
}

static void part_process(struct crew_process *process)
{
    if (process->crew)
        process->crew->present = NULL;
    process->crew = NULL;
}

void crew_drop(struct crew *crew)
{
    if (!crew || --crew->holders)
        return;
    if (crew->present)
        part_process(crew->present);
    free(crew);
}

/* --- the process --- */

static void destroy_process(struct crew_process *process)
{
    part_process(process);
    proc_destroy(process->proc);
    errout_close(process->errout);
    if (process->seat_socket >= 0)
        close(process->seat_socket);
    free(process);
}

/* Each seat is told by its own; some leave within the call. */
static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct crew_process *process = context;
    struct crew_seat *seats[TASK_FUSE_MOST];
    size_t count = process->count;
    struct proc_exit rest = *how;
    part_process(process);
    errout_drain(process->errout);
    rest.user = count ? fmax(how->user + how->system - process->cpu_told, 0) / (double)count : 0;
    rest.system = 0;
    memcpy(seats, process->seats, count * sizeof *seats);
    for (size_t i = 0; i < count; i++)
        seats[i]->gone(seats[i]->context, &rest);
    if (!count)
        destroy_process(process);
}

/* The arguments with the option for seats. */
static void list_arguments(const char *const *argv, const char *out[MOST_ARGUMENTS])
{
    size_t count = 0;
    for (; argv[count] && count + 2 < MOST_ARGUMENTS; count++)
        out[count] = argv[count];
    out[count] = "--seats";
    out[count + 1] = NULL;
}

static int start_process(struct crew_process *process, struct loop *loop, const struct crew_setup *setup,
                         struct err *err)
{
    const char *argv[MOST_ARGUMENTS];
    int ends[2], errout;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return err_errno(err, "can't make a stream for the trainer");
    process->seat_socket = ends[0];
    process->errout = errout_open(loop, &errout, NULL, NULL, err);
    if (process->errout) {
        list_arguments(setup->argv, argv);
        errout_begin(process->errout, NULL);
        struct proc_setup proc = {
            .argv = argv, .env = setup->env, .fd0 = -1, .fd1 = errout, .fd2 = errout, .fd3 = ends[1]};
        pin_apply(setup->pin, &proc);
        process->proc = proc_start(loop, &proc, on_exit_of, process, err);
        close(errout);
    }
    close(ends[1]);
    return process->proc ? 0 : -1;
}

static struct crew_process *find_process(struct crew *crew, struct loop *loop, const struct crew_setup *setup,
                                         struct err *err)
{
    if (crew->present && crew->present->count < TASK_FUSE_MOST)
        return crew->present;
    struct crew_process *made = MEM_NEW(struct crew_process);
    made->seat_socket = -1;
    if (start_process(made, loop, setup, err)) {
        destroy_process(made);
        return NULL;
    }
    if (crew->present)
        part_process(crew->present);
    made->crew = crew;
    crew->present = made;
    return made;
}

/* --- seats --- */

static int send_seat(int seat_socket, int stream, int permits, struct err *err)
{
    int both[] = {stream, permits};
    char byte = 0;
    union {
        char bytes[CMSG_SPACE(sizeof both)];
        struct cmsghdr aligned;
    } control = {0};
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    struct msghdr msg = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&msg);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof both);
    memcpy(CMSG_DATA(header), both, sizeof both);
    return sendmsg(seat_socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == 1
               ? 0
               : err_errno(err, "can't give a trainer another trial");
}

struct crew_seat *crew_join(struct crew *crew, struct loop *loop, const struct crew_setup *setup, int stream,
                            int permits, void (*gone)(void *context, const struct proc_exit *how), void *context,
                            struct err *err)
{
    struct crew_process *process = find_process(crew, loop, setup, err);
    if (!process)
        return NULL;
    struct crew_seat *seat = MEM_NEW(struct crew_seat);
    *seat = (struct crew_seat){.process = process, .gone = gone, .context = context};
    process->seats[process->count++] = seat;
    if (send_seat(process->seat_socket, stream, permits, err)) {
        part_process(process); /* it is about to end: the next seat is in a new one */
        crew_leave(seat);
        return NULL;
    }
    return seat;
}

void crew_leave(struct crew_seat *seat)
{
    if (!seat)
        return;
    struct crew_process *process = seat->process;
    for (size_t i = 0; i < process->count; i++)
        if (process->seats[i] == seat)
            process->seats[i--] = process->seats[--process->count];
    free(seat);
    if (!process->count)
        destroy_process(process); /* it has nothing to do any more */
}

void crew_end(struct crew_seat *seat, double grace, bool forced)
{
    struct crew_process *process = seat->process;
    part_process(process);
    seat->guilty |= forced;
    process->forced |= forced;
    proc_end(process->proc, grace);
}

void crew_renew(struct crew *crew)
{
    if (crew && crew->present)
        part_process(crew->present);
}

void crew_count_cpu(struct crew_seat *seat, double seconds)
{
    seat->process->cpu_told += seconds;
}

bool crew_is_bystander(const struct crew_seat *seat)
{
    return seat->process->forced && !seat->guilty;
}

pid_t crew_pid(const struct crew_seat *seat)
{
    return proc_pid(seat->process->proc);
}

const char *crew_tail(struct crew_seat *seat)
{
    return errout_lines(seat->process->errout);
}
