/* Trainers; see trainer.h. */
#include "worker/program/trainer.h"
#include "common/clock.h"
#include "common/frame.h"
#include "common/mem.h"
#include "worker/program/errout.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum trainer_state { TRAINER_STARTING, TRAINER_IDLE, TRAINER_BUSY, TRAINER_ENDING };

struct trainer {
    struct loop *loop;
    const struct trainer_calls *calls;
    void *context;
    enum trainer_state state;
    struct proc *proc;
    int fd; /* our end of the stream */
    struct loop_watch *readable, *writable;
    struct buf in, out;
    struct errout *errout;
    char *trouble, *nonsense;
    clockid_t clock;            /* of the processor time it uses, */
    double cpu_total;           /* all of it, once it has ended; */
    double cpu_asked;           /* and how much it was when it was last asked for */
    double memory_looked;       /* when its memory was last looked at; 0: never */
    unsigned long long settled; /* bytes resident after its first run */
};

/* --- the stream --- */

static void close_stream(struct trainer *trainer)
{
    loop_remove(trainer->readable);
    loop_remove(trainer->writable);
    trainer->readable = trainer->writable = NULL;
    if (trainer->fd >= 0)
        close(trainer->fd);
    trainer->fd = -1;
}

static void kill_process(struct trainer *trainer)
{
    trainer->state = TRAINER_ENDING;
    proc_end(trainer->proc, 0);
}

/* It broke the rules. */
static void refuse_message_program(struct trainer *trainer, const char *why)
{
    if (trainer->state == TRAINER_ENDING)
        return;
    trainer->nonsense = mem_text(why);
    close_stream(trainer);
    kill_process(trainer);
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

static void take_msg(struct trainer *trainer, const struct msg *msg)
{
    if (msg->kind == MSG_READY && trainer->state == TRAINER_STARTING) {
        trainer->state = TRAINER_IDLE;
        trainer->trouble = mem_text(msg->ready.trouble);
        trainer->calls->ready(trainer->context);
    } else if (msg->kind == MSG_STEP && trainer->state == TRAINER_BUSY) {
        trainer->calls->step(trainer->context, &msg->step);
    } else if (msg->kind == MSG_ENDED && trainer->state == TRAINER_BUSY && msg->ended.ending < ENDINGS_COUNT) {
        trainer->state = TRAINER_IDLE;
        trainer->calls->ended(trainer->context, &msg->ended);
    } else {
        struct buf words = {0};
        msg_print(msg, &words);
        buf_format(&words, " makes no sense here");
        refuse_message_program(trainer, buf_str(&words));
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
        take_msg(trainer, &msg);
        msg_fini(&msg);
    }
    if (result < 0)
        refuse_message_program(trainer, err.text);
}

static void read_stream(void *context)
{
    struct trainer *trainer = context;
    int result = frame_read(trainer->fd, &trainer->in);
    take_all(trainer);
    if (result >= 0 || trainer->fd < 0)
        return;
    /* It closed the stream: it has ended, or it is of no more use. */
    close_stream(trainer);
    trainer->state = TRAINER_ENDING;
    proc_end(trainer->proc, 1);
}

/* --- the process --- */

static double cpu_now(const struct trainer *trainer)
{
    struct timespec used;
    if (trainer->cpu_total > 0 || clock_gettime(trainer->clock, &used))
        return trainer->cpu_total;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* What it said before its end still counts. */
static void take_last_words(struct trainer *trainer)
{
    while (trainer->fd >= 0 && trainer->state != TRAINER_ENDING && frame_read(trainer->fd, &trainer->in) > 0)
        take_all(trainer);
}

static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct trainer *trainer = context;
    take_last_words(trainer);
    close_stream(trainer);
    trainer->state = TRAINER_ENDING;
    trainer->cpu_total = how->user + how->system;
    trainer->calls->gone(trainer->context, how, trainer->nonsense);
}

static int start_process(struct trainer *trainer, const struct trainer_setup *setup, struct err *err)
{
    int ends[2], errout;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return err_errno(err, "can't make a stream for the trainer");
    trainer->fd = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    trainer->errout = errout_open(trainer->loop, &errout, err);
    if (trainer->errout) {
        struct proc_setup proc = {
            .argv = setup->argv, .env = setup->env, .fd0 = -1, .fd1 = errout, .fd2 = errout, .fd3 = ends[1]};
        pin_apply(setup->pin, &proc);
        trainer->proc = proc_start(trainer->loop, &proc, on_exit_of, trainer, err);
        close(errout);
    }
    close(ends[1]);
    return trainer->proc ? 0 : -1;
}

struct trainer *trainer_start(struct loop *loop, const struct trainer_setup *setup, const struct trainer_calls *calls,
                              void *context, struct err *err)
{
    struct trainer *trainer = MEM_NEW(struct trainer);
    trainer->loop = loop;
    trainer->calls = calls;
    trainer->context = context;
    trainer->fd = -1;
    if (start_process(trainer, setup, err)) {
        trainer_destroy(trainer);
        return NULL;
    }
    clock_getcpuclockid(proc_pid(trainer->proc), &trainer->clock);
    trainer->readable = loop_read(loop, trainer->fd, read_stream, trainer);
    struct msg msg = {.kind = MSG_SETUP, .setup = {.task = setup->task, .threads = pin_threads(setup->pin)}};
    send_msg(trainer, &msg);
    return trainer;
}

void trainer_destroy(struct trainer *trainer)
{
    if (!trainer)
        return;
    proc_destroy(trainer->proc);
    close_stream(trainer);
    errout_close(trainer->errout);
    buf_fini(&trainer->in);
    buf_fini(&trainer->out);
    free(trainer->trouble);
    free(trainer->nonsense);
    free(trainer);
}

/* --- what is asked of it --- */

bool trainer_is_idle(const struct trainer *trainer)
{
    return trainer->state == TRAINER_IDLE;
}

bool trainer_is_ending(const struct trainer *trainer)
{
    return trainer->state == TRAINER_ENDING;
}

const char *trainer_trouble(const struct trainer *trainer)
{
    return trainer->trouble ? trainer->trouble : "";
}

void trainer_run(struct trainer *trainer, const struct run *run, const struct task *task, const char *directory,
                 const char *origin)
{
    assert(trainer->state == TRAINER_IDLE);
    trainer->state = TRAINER_BUSY;
    struct buf file = {0};
    buf_format(&file, run->attempt > 1 ? "%s/stderr.%u" : "%s/stderr", directory, run->attempt);
    errout_begin(trainer->errout, buf_str(&file));
    buf_clear(&file);
    if (task->checkpoint)
        buf_format(&file, "%s/" RUN_CHECKPOINT, directory);
    struct msg msg = {.kind = MSG_RUN,
                      .run = {.trial = run->trial,
                              .attempt = run->attempt,
                              .seed = run->seed,
                              .params = run->params,
                              .directory = directory,
                              .until = run->until,
                              .reached = run->reached,
                              .known = run->known,
                              .checkpoint = buf_str(&file),
                              .keep = task->keep,
                              .origin = origin}};
    send_msg(trainer, &msg);
    buf_fini(&file);
}

void trainer_halt(struct trainer *trainer, const struct run *run, bool keep)
{
    if (trainer->state != TRAINER_BUSY)
        return;
    struct msg msg = {.kind = MSG_HALT, .halt = {.trial = run->trial, .attempt = run->attempt, .keep = keep}};
    send_msg(trainer, &msg);
}

void trainer_end(struct trainer *trainer)
{
    bool idle = trainer->state == TRAINER_IDLE;
    trainer->state = TRAINER_ENDING;
    if (idle)
        close_stream(trainer); /* it ends by that alone */
    proc_end(trainer->proc, idle ? 1 : 0);
}

bool trainer_has_grown(struct trainer *trainer, uint64_t limit)
{
    enum { ROOM = 64 << 20 };
    double now = clock_monotonic();
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

double trainer_cpu(struct trainer *trainer)
{
    double now = cpu_now(trainer), used = now - trainer->cpu_asked;
    trainer->cpu_asked = now;
    return used > 0 ? used : 0;
}

pid_t trainer_pid(const struct trainer *trainer)
{
    return proc_pid(trainer->proc);
}

const char *trainer_tail(struct trainer *trainer)
{
    return errout_lines(trainer->errout);
}
