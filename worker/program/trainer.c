/* Trainers; see trainer.h.
 *
 * While runs are short the trainer gets as many ahead as last about AHEAD_SECONDS, and is then not listened to for
 * a part of that: so a message from one process to the other and its wake carry many runs. Each begins with its permit,
 * a number in a pipe that both of us can read: the permits that we read ourselves are of runs that have not begun. */
#include "worker/program/trainer.h"
#include "common/clock.h"
#include "common/frame.h"
#include "common/mem.h"
#include "worker/program/errout.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AHEAD_SECONDS 4e-3
#define REST_SECONDS  1e-3

/* Their permits, 8 bytes each, are less than PIPE_BUF: a write of them goes as a whole or not at all, and an empty pipe
 * has room for it. */
enum { MOST_AHEAD = 400 };

enum trainer_state { TRAINER_STARTING, TRAINER_READY, TRAINER_ENDING };

struct trainer {
    struct loop *loop;
    const struct trainer_calls *calls;
    void *context;
    enum trainer_state state;
    struct proc *proc;
    struct crew_seat *seat; /* in a process that others share: then it has none of its own */
    int fd;                 /* our end of the stream */
    int permits[2];         /* the pipe of permits; it reads the first end, too */
    uint64_t permitted;     /* the last one that was written */
    uint32_t waiting;       /* RUNs in `out` whose permits are not written */
    uint32_t runs;          /* that it has: given, not ended, not recalled */
    double span;            /* seconds that its runs take: at least the last one's */
    struct loop_watch *readable, *writable, *rest;
    struct loop_watch *leaving; /* its seat was given up, which is to be told */
    struct buf in, out;
    struct errout *errout;
    char *trouble, *nonsense;
    bool has_ended;             /* its process */
    double opening;             /* seconds that it took to open its data, not taken yet */
    double cpu_told;            /* processor seconds that it has said of its runs */
    double memory_looked;       /* when its memory was last looked at; 0: never */
    unsigned long long settled; /* bytes resident after its first run */
};

/* --- the stream --- */

static void close_stream(struct trainer *trainer)
{
    loop_remove(trainer->readable);
    loop_remove(trainer->writable);
    loop_remove(trainer->rest);
    trainer->readable = trainer->writable = trainer->rest = NULL;
    if (trainer->fd >= 0)
        close(trainer->fd);
    trainer->fd = -1;
}

/* Ends the process. `forced`: for the sake of the run that it has. */
static void end_process(struct trainer *trainer, double grace, bool forced)
{
    if (trainer->seat)
        crew_end(trainer->seat, grace, forced);
    else if (trainer->proc)
        proc_end(trainer->proc, grace);
}

/* It broke the rules. */
static void refuse_message(struct trainer *trainer, const char *why)
{
    if (trainer->state == TRAINER_ENDING)
        return;
    trainer->nonsense = mem_text(why);
    close_stream(trainer);
    trainer->state = TRAINER_ENDING;
    end_process(trainer, 0, false);
}

static void write_stream(void *context)
{
    struct trainer *trainer = context;
    if (trainer->fd < 0)
        return;
    /* When the stream is broken the end of the process follows, and tells why. */
    bool done = frame_write(trainer->fd, &trainer->out) < 0 || !trainer->out.length;
    if (done) {
        buf_clear(&trainer->out);
        loop_remove(trainer->writable);
        trainer->writable = NULL;
    } else if (!trainer->writable) {
        trainer->writable = loop_write(trainer->loop, trainer->fd, write_stream, trainer);
    }
}

static void send_msg(struct trainer *trainer, const struct msg *msg)
{
    frame_put(&trainer->out, msg);
    write_stream(trainer);
}

/* Grows at once and shrinks slowly, so that few runs are ahead when some are long. */
static void note_end(struct trainer *trainer, const struct msg_ended *ended)
{
    double seconds = ended->seconds >= 0 ? ended->seconds : AHEAD_SECONDS;
    trainer->span = fmax(seconds, trainer->span + 0.1 * (seconds - trainer->span));
    double cpu = ended->cpu_seconds > 0 ? ended->cpu_seconds : 0;
    if (trainer->seat)
        crew_count_cpu(trainer->seat, cpu);
    else
        trainer->cpu_told += cpu;
    trainer->runs--;
}

static void take_msg(struct trainer *trainer, const struct msg *msg)
{
    if (msg->kind == MSG_READY && trainer->state == TRAINER_STARTING) {
        trainer->state = TRAINER_READY;
        trainer->trouble = mem_text(msg->ready.trouble);
        trainer->opening = msg->ready.opening;
        trainer->calls->ready(trainer->context);
    } else if (msg->kind == MSG_STEP && trainer->runs) {
        trainer->calls->step(trainer->context, &msg->step);
    } else if (msg->kind == MSG_ENDED && trainer->runs && msg->ended.ending < ENDINGS_COUNT) {
        note_end(trainer, &msg->ended);
        trainer->calls->ended(trainer->context, &msg->ended);
    } else {
        struct buf words = {0};
        msg_print(msg, &words);
        buf_format(&words, " makes no sense here");
        refuse_message(trainer, buf_str(&words));
        buf_fini(&words);
    }
}

/* Takes the messages that are complete. */
static void take_all(struct trainer *trainer)
{
    struct err err;
    struct msg msg;
    int result = 1;
    while (trainer->state != TRAINER_ENDING && (result = frame_take(&trainer->in, &msg, &err)) > 0) {
        if (msg_check(&msg, &err) == 0)
            take_msg(trainer, &msg);
        else
            refuse_message(trainer, err.text);
        msg_fini(&msg);
    }
    if (result < 0)
        refuse_message(trainer, err.text);
}

static void read_stream(void *context);

static void listen_again(void *context)
{
    struct trainer *trainer = context;
    trainer->rest = NULL;
    trainer->readable = loop_read(trainer->loop, trainer->fd, read_stream, trainer);
    read_stream(trainer);
}

/* Does not listen for a moment, for which it has runs enough. */
static void rest_from(struct trainer *trainer)
{
    if (trainer->rest || trainer->fd < 0 || trainer->runs * trainer->span < 2 * REST_SECONDS || trainer->runs < 4)
        return;
    loop_remove(trainer->readable);
    trainer->readable = NULL;
    trainer->rest = loop_timer(trainer->loop, REST_SECONDS, listen_again, trainer);
}

static void read_stream(void *context)
{
    struct trainer *trainer = context;
    if (trainer->fd < 0)
        return;
    int result = frame_read(trainer->fd, &trainer->in);
    take_all(trainer);
    if (result > 0)
        rest_from(trainer);
    if (result >= 0 || trainer->fd < 0)
        return;
    /* It closed the stream: it has ended, or it is of no more use. */
    close_stream(trainer);
    trainer->state = TRAINER_ENDING;
    end_process(trainer, 1, false);
}

/* --- the process --- */

static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct trainer *trainer = context;
    struct proc_exit rest = *how;
    trainer->has_ended = true;
    trainer_recall(trainer);
    trainer_listen(trainer); /* what it said before its end still counts */
    close_stream(trainer);
    trainer->state = TRAINER_ENDING;
    rest.user = fmax(how->user + how->system - trainer->cpu_told, 0);
    rest.system = 0;
    trainer->calls->gone(trainer->context, &rest, trainer->nonsense);
}

static int start_alone(struct trainer *trainer, const struct trainer_setup *setup, int stream, struct err *err)
{
    int errout;
    trainer->errout = errout_open(trainer->loop, &errout, read_stream, trainer, err);
    if (!trainer->errout)
        return -1;
    struct proc_setup proc = {.argv = setup->argv,
                              .env = setup->env,
                              .fd0 = trainer->permits[0],
                              .fd1 = errout,
                              .fd2 = errout,
                              .fd3 = stream};
    pin_apply(setup->pin, &proc);
    trainer->proc = proc_start(trainer->loop, &proc, on_exit_of, trainer, err);
    close(errout);
    return trainer->proc ? 0 : -1;
}

static int take_seat(struct trainer *trainer, const struct trainer_setup *setup, int stream, struct err *err)
{
    struct crew_setup crew = {.argv = setup->argv, .env = setup->env, .pin = setup->pin};
    trainer->seat = crew_join(setup->crew, trainer->loop, &crew, stream, trainer->permits[0], on_exit_of, trainer, err);
    return trainer->seat ? 0 : -1;
}

static int start_process(struct trainer *trainer, const struct trainer_setup *setup, struct err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_errno(err, "can't make a stream for the trainer");
    trainer->fd = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int result = pipe2(trainer->permits, O_CLOEXEC | O_NONBLOCK)
                     ? err_errno(err, "can't make a pipe for the trainer")
                     : (setup->crew ? take_seat : start_alone)(trainer, setup, ends[1], err);
    close(ends[1]);
    return result;
}

struct trainer *trainer_start(struct loop *loop, const struct trainer_setup *setup, const struct trainer_calls *calls,
                              void *context, struct err *err)
{
    struct trainer *trainer = MEM_NEW(struct trainer);
    trainer->loop = loop;
    trainer->calls = calls;
    trainer->context = context;
    trainer->span = AHEAD_SECONDS;
    trainer->fd = trainer->permits[0] = trainer->permits[1] = -1;
    if (start_process(trainer, setup, err)) {
        trainer_destroy(trainer);
        return NULL;
    }
    trainer->readable = loop_read(loop, trainer->fd, read_stream, trainer);
    struct msg msg = {.kind = MSG_SETUP,
                      .setup = {.task = setup->task, .threads = setup->threads, .places = setup->places}};
    send_msg(trainer, &msg);
    return trainer;
}

void trainer_destroy(struct trainer *trainer)
{
    if (!trainer)
        return;
    loop_remove(trainer->leaving);
    crew_leave(trainer->seat);
    proc_destroy(trainer->proc);
    close_stream(trainer);
    for (int i = 0; i < 2; i++)
        if (trainer->permits[i] >= 0)
            close(trainer->permits[i]);
    errout_close(trainer->errout);
    buf_fini(&trainer->in);
    buf_fini(&trainer->out);
    free(trainer->trouble);
    free(trainer->nonsense);
    free(trainer);
}

/* --- what is asked of it --- */

uint32_t trainer_runs(const struct trainer *trainer)
{
    return trainer->runs;
}

uint32_t trainer_wants(const struct trainer *trainer)
{
    if (trainer->state != TRAINER_READY || trainer->has_ended)
        return 0;
    if (!trainer->runs)
        return 1;
    double most = fmin(AHEAD_SECONDS / fmax(trainer->span, 1e-9), MOST_AHEAD);
    return trainer->runs <= most / 2 ? (uint32_t)most - trainer->runs : 0;
}

bool trainer_is_ending(const struct trainer *trainer)
{
    return trainer->state == TRAINER_ENDING || trainer->has_ended;
}

const char *trainer_trouble(const struct trainer *trainer)
{
    return trainer->trouble ? trainer->trouble : "";
}

double trainer_take_opening(struct trainer *trainer)
{
    double opening = trainer->opening;
    trainer->opening = 0;
    return opening;
}

/* The file in the trial's directory that later attempts have of their own. */
void trainer_begin(struct trainer *trainer, const struct run *run, const char *directory)
{
    struct buf file = {0};
    if (trainer->seat) /* what its process prints is not one run's */
        return;
    buf_format(&file, run->attempt > 1 ? "%s/stderr.%u" : "%s/stderr", directory, run->attempt);
    errout_begin(trainer->errout, buf_str(&file));
    buf_fini(&file);
}

void trainer_give(struct trainer *trainer, const struct run *run, const struct task *task, const char *directory,
                  const char *origin)
{
    struct buf checkpoint = {0};
    assert(trainer->state == TRAINER_READY && trainer->runs < MOST_AHEAD);
    if (task->checkpoint)
        buf_format(&checkpoint, "%s/" RUN_CHECKPOINT, directory);
    struct msg msg = {.kind = MSG_RUN,
                      .run = {.permit = trainer->permitted + ++trainer->waiting,
                              .trial = run->trial,
                              .attempt = run->attempt,
                              .seed = run->seed,
                              .params = run->params,
                              .directory = directory,
                              .until = run->until,
                              .reached = run->reached,
                              .known = run->known,
                              .checkpoint = buf_str(&checkpoint),
                              .keep = task->keep,
                              .origin = origin,
                              .node = run->gang.node,
                              .nodes = run->gang.nodes,
                              .port = run->gang.port,
                              .meeting = run->gang.meeting,
                              .hosts = run->gang.hosts}};
    frame_put(&trainer->out, &msg);
    trainer->runs++;
    buf_fini(&checkpoint);
}

/* A pipe of one page, which is what Linux gives to a user who has many, takes nothing more behind permits of which some
 * were read: then the unread ones are taken back and written again with the new ones. Whoever finds the pipe empty
 * meanwhile waits. */
static void write_permits(struct trainer *trainer, const uint64_t *permits, size_t size)
{
    uint64_t all[MOST_AHEAD];
    if (write(trainer->permits[1], permits, size) == (ssize_t)size)
        return;
    ssize_t unread = read(trainer->permits[0], all, sizeof all);
    size_t kept = unread > 0 ? (size_t)unread : 0;
    assert(kept + size <= sizeof all); /* what it was given is no more than may be ahead */
    memcpy((char *)all + kept, permits, size);
    ssize_t written = write(trainer->permits[1], all, kept + size);
    assert(written == (ssize_t)(kept + size)); /* an empty pipe has room for all that may be ahead */
}

/* The permits go first: whoever is woken by the stream finds them. */
void trainer_send(struct trainer *trainer)
{
    uint64_t permits[MOST_AHEAD];
    size_t size = trainer->waiting * sizeof *permits;
    if (!size)
        return;
    for (uint32_t i = 0; i < trainer->waiting; i++)
        permits[i] = ++trainer->permitted;
    trainer->waiting = 0;
    write_permits(trainer, permits, size);
    write_stream(trainer);
}

void trainer_recall(struct trainer *trainer)
{
    uint64_t permits[MOST_AHEAD];
    ssize_t length = read(trainer->permits[0], permits, sizeof permits);
    if (length > 0)
        trainer->runs -= (uint32_t)((size_t)length / sizeof *permits);
}

void trainer_listen(struct trainer *trainer)
{
    while (trainer->fd >= 0 && trainer->state != TRAINER_ENDING && frame_read(trainer->fd, &trainer->in) > 0)
        take_all(trainer);
}

void trainer_halt(struct trainer *trainer, const struct run *run, bool keep)
{
    if (!trainer->runs)
        return;
    struct msg msg = {.kind = MSG_HALT, .halt = {.trial = run->trial, .attempt = run->attempt, .keep = keep}};
    send_msg(trainer, &msg);
}

static void tell_left(void *context)
{
    struct trainer *trainer = context;
    trainer->leaving = NULL;
    on_exit_of(trainer, &(struct proc_exit){0});
}

/* Others stay in the process. That it is gone for us is told from the loop, as its end would be. */
static void leave_seat(struct trainer *trainer)
{
    close_stream(trainer);
    crew_leave(trainer->seat);
    trainer->seat = NULL;
    trainer->leaving = loop_timer(trainer->loop, 0, tell_left, trainer);
}

void trainer_end(struct trainer *trainer)
{
    bool idle = trainer->state == TRAINER_READY && !trainer->runs;
    trainer->state = TRAINER_ENDING;
    if (idle && trainer->seat) {
        leave_seat(trainer);
        return;
    }
    if (idle)
        close_stream(trainer); /* it ends by that alone */
    end_process(trainer, idle ? 1 : 0, true);
}

bool trainer_has_grown(struct trainer *trainer, uint64_t limit)
{
    enum { ROOM = 64 << 20 };
    double now = clock_monotonic();
    if (trainer->seat)
        return false; /* it grows with the trials that join, and there is never a time between two */
    if (trainer->memory_looked > 0 && now - trainer->memory_looked < 1)
        return false; /* looking takes as long as a very short run */
    trainer->memory_looked = now;
    unsigned long long memory = proc_memory(trainer->proc);
    if (!trainer->settled)
        trainer->settled = memory;
    bool doubled = memory > 2 * trainer->settled + ROOM;
    bool crowded = limit > trainer->settled && memory > trainer->settled + (limit - trainer->settled) / 2;
    return doubled || crowded;
}

pid_t trainer_pid(const struct trainer *trainer)
{
    return trainer->seat ? crew_pid(trainer->seat) : trainer->proc ? proc_pid(trainer->proc) : 0;
}

bool trainer_is_bystander(const struct trainer *trainer)
{
    return trainer->seat && crew_is_bystander(trainer->seat);
}

bool trainer_is_shared(const struct trainer *trainer)
{
    return trainer->seat != NULL;
}

const char *trainer_tail(struct trainer *trainer)
{
    return trainer->seat ? crew_tail(trainer->seat) : trainer->errout ? errout_lines(trainer->errout) : "";
}
