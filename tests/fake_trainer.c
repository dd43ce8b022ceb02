/* A trainer that does as it is told; see fake_trainer.h. */
#include "tests/fake_trainer.h"
#include "common/endings.h"
#include "common/frame.h"
#include "common/mem.h"
#include "common/phases.h"

#include <jansson.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STREAM = 3 };

struct stream {
    struct buf in;
    uint64_t permit;       /* the last that was read */
    struct msg runs[1000]; /* RUNs that came while another one went on */
    size_t first, count;   /* of these */
};

/* The next message; the process ends with the stream. */
static void receive(struct stream *stream, struct msg *msg)
{
    while (frame_take(&stream->in, msg, NULL) != 1)
        if (frame_read(STREAM, &stream->in) < 0)
            exit(0);
}

/* Waits for a run's permit; false when a later one comes: the run was recalled. */
static bool may_begin(struct stream *stream, uint64_t permit)
{
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = STREAM, .events = POLLIN}};
    while (stream->permit < permit) {
        uint64_t next;
        if (read(STDIN_FILENO, &next, sizeof next) == (ssize_t)sizeof next)
            stream->permit = next;
        else if (poll(ready, 2, -1) > 0 && ready[1].revents && frame_read(STREAM, &stream->in) < 0)
            exit(0);
    }
    return stream->permit == permit;
}

static void say(const struct msg *msg)
{
    struct buf out = {0};
    frame_put(&out, msg);
    if (frame_write(STREAM, &out) < 0)
        exit(0);
    buf_fini(&out);
}

static void hang(void)
{
    for (;;)
        pause();
}

static void end_run(enum ending ending, const char *detail, struct msg_sample *samples, uint32_t count)
{
    struct msg_phase phase = {.phase = PHASE_FORWARD, .seconds = 0.25, .count = 2, .min = 0.1, .max = 0.15};
    struct msg msg = {.kind = MSG_ENDED,
                      .ended = {.ending = ending,
                                .detail = detail,
                                .launch = 0.001,
                                .peak_memory = 12345678,
                                .samples = samples,
                                .samples_count = count,
                                .phases = &phase,
                                .phases_count = 1}};
    say(&msg);
}

static void step(struct msg_sample *samples, uint32_t count)
{
    struct msg msg = {.kind = MSG_STEP, .step = {.samples = samples, .samples_count = count}};
    say(&msg);
}

static void complete(double value, const char *detail)
{
    struct msg_sample samples[] = {{"pid", 1, (double)getpid(), 0.5}, {"value", 1, value, 0.5}};
    end_run(ENDING_COMPLETED, detail, samples, 2);
}

static void report_steps(int count, int batch)
{
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, (size_t)batch);
    for (int done = 0; done < count;) {
        int now = count - done < batch ? count - done : batch;
        for (int i = 0; i < now; i++)
            samples[i] = (struct msg_sample){"value", done + i + 1, done + i + 1, 0.1};
        step(samples, (uint32_t)now);
        done += now;
    }
    free(samples);
    end_run(ENDING_COMPLETED, "", NULL, 0);
}

static void take_memory(int megabytes)
{
    size_t size = (size_t)megabytes << 20;
    char *memory = mem_zero(size, 1);
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1;
}

static void tell_place(void)
{
    cpu_set_t cpus;
    struct buf text = {0};
    const char *gpus = getenv("CUDA_VISIBLE_DEVICES"), *threads = getenv("OMP_NUM_THREADS");
    const char *set = getenv("SET_BY_TASK");
    sched_getaffinity(0, sizeof cpus, &cpus);
    buf_format(&text, "gpus '%s' threads %s cores %d set '%s'", gpus ? gpus : "none", threads ? threads : "none",
               CPU_COUNT(&cpus), set ? set : "");
    complete(1, buf_str(&text));
    buf_fini(&text);
}

static void wait_for_halt(struct stream *stream)
{
    struct msg msg;
    struct msg_sample sample = {"value", 1, 3, 0.1};
    step(&sample, 1);
    for (receive(stream, &msg); msg.kind == MSG_RUN; receive(stream, &msg))
        stream->runs[(stream->first + stream->count++) % 1000] = msg;
    msg_fini(&msg);
    end_run(ENDING_STOPPED_EARLY, "", NULL, 0);
}

static void fall(int number)
{
    fprintf(stderr, "first line\nabout to fall\n");
    fflush(stderr);
    signal(number, SIG_DFL); /* a sanitizer has its own handler */
    raise(number);
}

static void do_as_told(struct stream *stream, const char *what, int number, const json_t *params)
{
    struct msg ready = {.kind = MSG_READY};
    if (strcmp(what, "wait") == 0)
        wait_for_halt(stream);
    else if (strcmp(what, "hang") == 0)
        hang();
    else if (strcmp(what, "steps") == 0)
        report_steps((int)json_integer_value(json_object_get(params, "count")),
                     (int)json_integer_value(json_object_get(params, "batch")));
    else if (strcmp(what, "signal") == 0)
        fall(number);
    else if (strcmp(what, "exit") == 0)
        exit(number);
    else if (strcmp(what, "end") == 0)
        end_run((enum ending)number, "as it was told", NULL, 0);
    else if (strcmp(what, "garbage") == 0)
        (void)!write(STREAM, "\377\377\377\177 no message", 15);
    else if (strcmp(what, "wrong") == 0)
        say(&ready);
    else if (strcmp(what, "leak") == 0 || strcmp(what, "swell") == 0)
        take_memory(number);
    else if (strcmp(what, "place") == 0)
        tell_place();
    else if (strcmp(what, "sleep") == 0)
        nanosleep(&(struct timespec){number / 1000, number % 1000 * 1000000L}, NULL);
    if (strcmp(what, "leak") == 0 || strcmp(what, "sleep") == 0 || strcmp(what, "shy") == 0)
        complete(1, "");
    if (strcmp(what, "swell") == 0 || strcmp(what, "garbage") == 0 || strcmp(what, "wrong") == 0)
        hang();
}

static void run(struct stream *stream, const struct msg_run *run)
{
    json_t *params = json_loads(run->params, 0, NULL);
    const char *what = json_string_value(json_object_get(params, "do"));
    const json_t *value = json_object_get(params, "value");
    if (what)
        do_as_told(stream, what, (int)json_integer_value(json_object_get(params, "number")), params);
    else
        complete(value ? json_number_value(value) : 1, "");
    json_decref(params);
}

static void set_up(const struct msg_setup *setup)
{
    struct msg ready = {.kind = MSG_READY, .ready = {.memory = 1 << 20}};
    json_t *task = json_loads(setup->task, 0, NULL);
    const char *how = json_string_value(json_object_get(json_object_get(task, "options"), "setup"));
    if (how && strcmp(how, "exit") == 0)
        exit(3);
    if (how && strcmp(how, "hang") == 0)
        hang();
    if (how && strcmp(how, "swell") == 0) {
        take_memory(300);
        hang();
    }
    if (how && strcmp(how, "trouble") == 0)
        ready.ready.trouble = "the data are missing";
    say(&ready);
    json_decref(task);
}

static void die_unbegun(const struct msg_run *run)
{
    json_t *params = json_loads(run->params, 0, NULL);
    const char *what = json_string_value(json_object_get(params, "do"));
    const char *times = json_string_value(json_object_get(params, "times"));
    FILE *file = what && strcmp(what, "shy") == 0 ? fopen(times, "a") : NULL;
    if (file && !fseek(file, 0, SEEK_END) && ftell(file) < json_integer_value(json_object_get(params, "number"))) {
        fputc('x', file);
        fclose(file);
        raise(SIGKILL);
    } else if (file) {
        fclose(file);
    }
    json_decref(params);
}

static void take_next(struct stream *stream, struct msg *msg)
{
    if (!stream->count) {
        receive(stream, msg);
        return;
    }
    *msg = stream->runs[stream->first];
    stream->first = (stream->first + 1) % 1000;
    stream->count--;
}

int fake_trainer(void)
{
    static struct stream stream = {.permit = 0};
    for (;;) {
        struct msg msg;
        take_next(&stream, &msg);
        if (msg.kind == MSG_RUN)
            die_unbegun(&msg.run);
        if (msg.kind == MSG_SETUP)
            set_up(&msg.setup);
        else if (msg.kind == MSG_RUN && may_begin(&stream, msg.run.permit))
            run(&stream, &msg.run);
        msg_fini(&msg);
    }
}
