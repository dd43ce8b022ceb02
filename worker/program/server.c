/* Persistent programs; see server.h.
 *
 * What it says is taken note of where its connection is read, and acted on in the next turn: those who are told may
 * give it another trial, or read what the last one said on connections that are being read just then. */
#include "worker/program/server.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/proc_stat.h"
#include "common/share.h"
#include "worker/profile/tree.h"
#include "worker/program/stream_line.h"
#include "worker/program/process_tree.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One that is to exit has so long to run what stands behind gannet.serve and at its exit. */
#define CLOSE_SECONDS 5.0
#define LAST_SECONDS  2.0 /* between SIGTERM and SIGKILL then */

enum { LONGEST_DETAIL = 1000 };

struct server {
    struct loop *loop;
    struct stream *stream; /* NULL: there is no socket */
    char *log;             /* a file, or NULL */
    struct proc *proc;     /* NULL: not started */
    bool serves;           /* it has said so */
    bool is_ending, is_gone;
    bool left_early; /* it is gone, and had not read of the trial that it was given after others */
    char *trouble;
    struct loop_watch *closing; /* when one that is to exit is ended; NULL: it is not */
    struct loop_watch *later;   /* acts on what it has said */

    const struct server_calls *calls; /* of the trial that it has; NULL: none */
    void *context;
    void (*idle_gone)(void *context);
    void *idle_context;
    json_t *line; /* what it is told of the trial when it serves; NULL: it was told */
    uint64_t trial;
    uint32_t attempt;
    bool has_end; /* of that trial, not acted on yet */
    int status;
    char *detail;

    uint64_t trials;  /* that it has ended */
    double cpu_told;  /* processor seconds of those */
    uint64_t settled; /* bytes it had when the first of them ended */

    struct tree_looks looks;    /* at what it and its children use */
    struct run_counters before; /* what they had used when the trial began, */
    double told;                /* and when that was */
};

/* --- what it costs --- */

/* Lets the kernel's record of the most that was resident begin anew, where we may. */
static void reset_peak(const struct server *server)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)server_pid(server));
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, "5", 1);
    (void)written; /* where it may not be, the peak is that of all its trials so far */
    close(fd);
}

/* Its own to the nanosecond, its waited-for children's to a tick. */
static double cpu_so_far(const struct server *server)
{
    clockid_t clock;
    struct timespec own = {0};
    pid_t pid = server_pid(server);
    if (clock_getcpuclockid(pid, &clock) == 0)
        clock_gettime(clock, &own);
    return (double)own.tv_sec + (double)own.tv_nsec * 1e-9 + proc_stat_read(pid).children_cpu;
}

/* Of `now` seconds in all, those of the present trial. */
static double take_cpu(struct server *server, double now)
{
    double used = fmax(now - server->cpu_told, 0);
    server->cpu_told += used;
    return used;
}

static void look_at_tree(struct server *server)
{
    struct process_tree tree = {0};
    process_tree_tree(server_pid(server), &tree);
    tree_looks_take(&server->looks, "/proc", tree.pids, tree.count);
    process_tree_fini(&tree);
}

static void begin_count(struct server *server)
{
    server->told = clock_monotonic();
    if (tree_looks_due(&server->looks, server->told))
        look_at_tree(server);
    server->before = server->looks.last;
}

static void end_count(struct server *server, struct run_counters *out)
{
    run_counters_clear(out);
    if (server->is_gone || !(server->told > 0) || clock_monotonic() - server->told < TREE_SHORTEST)
        return;
    look_at_tree(server);
    run_counters_since(&server->before, &server->looks.last, out);
}

bool server_is_worn(struct server *server, const struct task *task, uint64_t limit)
{
    pid_t pid = server_pid(server);
    uint64_t used = process_tree_memory(pid, false), most = task->persistent_growth;
    bool is_first = !server->settled;
    if (is_first)
        server->settled = used;
    if (limit > server->settled && (limit - server->settled) / 2 < most)
        most = (limit - server->settled) / 2;
    if (task->persistent_trials && server->trials >= task->persistent_trials)
        return true;
    return !is_first && used > server->settled + most && process_tree_memory(pid, true) > server->settled + most;
}

/* --- trials --- */

static void drop_trial(struct server *server)
{
    json_decref(server->line);
    server->line = NULL;
    server->calls = NULL;
    server->context = NULL;
    server->has_end = false;
}

static void end_trial(struct server *server, double cpu, uint64_t peak)
{
    const struct server_calls *calls = server->calls;
    void *context = server->context;
    struct server_end end = {
        .status = server->status, .detail = server->detail, .cpu = take_cpu(server, cpu), .peak = peak};
    end_count(server, &end.counters);
    server->trials++;
    drop_trial(server);
    calls->ended(context, &end);
}

static void end_for(struct server *server, const char *trouble)
{
    if (!server->trouble && !server->is_ending)
        server->trouble = mem_text(trouble);
    server_end(server, LAST_SECONDS);
}

static void end_deaf(void *context)
{
    struct server *server = context;
    server->closing = NULL;
    end_for(server, "it has closed its connection to the worker");
}

/* Usually because its process is ending, which is told in a moment. One that was told to end has its time for that. */
static void on_left(void *context)
{
    struct server *server = context;
    if (!server->is_ending && !server->closing)
        server->closing = loop_timer(server->loop, LAST_SECONDS, end_deaf, server);
}

static void tell_trial(struct server *server)
{
    if (server->trials)
        reset_peak(server);
    begin_count(server);
    if (stream_tell(server->stream, server->line)) {
        json_decref(server->line);
        server->line = NULL;
        server->calls->began(server->context);
    } else if (server->trials) {
        on_left(server);
    } else {
        end_for(server, "it did not listen when it was to be given the trial");
    }
}

static void act_later(void *context)
{
    struct server *server = context;
    server->later = NULL;
    if (server->has_end)
        end_trial(server, cpu_so_far(server), process_tree_peak(server_pid(server)));
    else if (server->line && server->serves && !server->is_ending)
        tell_trial(server);
}

static void act_soon(struct server *server)
{
    if (!server->later)
        server->later = loop_timer(server->loop, 0, act_later, server);
}

/* --- what it says --- */

static void on_serves(void *context)
{
    struct server *server = context;
    server->serves = true;
    act_soon(server);
}

static int on_ended(void *context, const struct stream_end *end, struct err *err)
{
    struct server *server = context;
    bool is_its = server->calls && !server->line && !server->has_end && (uint64_t)end->trial == server->trial &&
                  end->attempt == (int64_t)server->attempt;
    if (!is_its)
        return err_set(err, "trial %lld, attempt %lld, is not what this program runs", (long long)end->trial,
                       (long long)end->attempt);
    server->has_end = true;
    server->status = end->status;
    free(server->detail);
    server->detail = end->detail ? mem_text_n(end->detail, strnlen(end->detail, LONGEST_DETAIL)) : mem_text("");
    act_soon(server);
    return 0;
}

static const struct stream_serve_calls stream_calls = {on_serves, on_ended, on_left};

/* --- its process --- */

static void remove_empty_log(const struct server *server)
{
    struct stat at;
    if (server->log && stat(server->log, &at) == 0 && S_ISREG(at.st_mode) && at.st_size == 0)
        unlink(server->log);
}

/* Ends what it started outside of any trial: that has its token in the environment. What its trials started has
 * theirs, and goes with the orphans of a trial that has ended. */
static void sweep_others(const struct server *server)
{
    struct texts env = {0};
    stream_env(server->stream, 0, &env);
    proc_sweep(env.items[1]);
    texts_fini(&env);
}

/* What it said last counts. */
static void on_exit_of(void *context, const struct proc_exit *how)
{
    struct server *server = context;
    struct proc_exit rest = *how;
    double cpu = how->user + how->system;
    server->is_gone = server->is_ending = true;
    stream_drain(server->stream);
    loop_remove(server->closing);
    loop_remove(server->later);
    server->closing = server->later = NULL;
    remove_empty_log(server);
    sweep_others(server);
    const struct server_calls *calls = server->calls;
    void *trial = server->context;
    server->left_early =
        calls && !server->has_end && server->trials && (server->line || stream_left_unread(server->stream));
    if (calls && server->has_end) {
        end_trial(server, cpu, how->peak_memory);
    } else if (calls) {
        rest.user = take_cpu(server, cpu);
        rest.system = 0;
        drop_trial(server);
        calls->gone(trial, &rest);
    } else {
        server->idle_gone(server->idle_context);
    }
}

static void make_log(const struct server *server)
{
    int fd =
        server->log ? open(server->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    share_file(fd, server->log);
    close(fd);
}

int server_begin(struct server *server, const struct proc_setup *setup, uint64_t trial, uint32_t attempt,
                 const json_t *line, const struct server_calls *calls, void *context, struct err *err)
{
    if (!server->stream)
        return err_set(err, "a persistent program needs a socket, which this worker could not make (its log says why)");
    if (!server->proc) {
        make_log(server);
        server->proc = proc_start(server->loop, setup, on_exit_of, server, err);
    }
    if (!server->proc)
        return -1;
    server->calls = calls;
    server->context = context;
    server->trial = trial;
    server->attempt = attempt;
    server->line = json_incref((json_t *)line);
    act_soon(server);
    return 0;
}

void server_forget(struct server *server)
{
    if (!server->calls)
        return;
    drop_trial(server);
    if (!server->is_ending)
        server_end(server, 0);
}

/* --- life --- */

struct server *server_create(struct loop *loop, struct stream_port *port, const char *log,
                             void (*idle_gone)(void *context), void *context)
{
    struct server *server = MEM_NEW(struct server);
    server->loop = loop;
    server->log = log ? mem_text(log) : NULL;
    server->idle_gone = idle_gone;
    server->idle_context = context;
    server->stream = port ? stream_create_serving(port, log, &stream_calls, server) : NULL;
    return server;
}

void server_destroy(struct server *server)
{
    if (!server)
        return;
    proc_destroy(server->proc);
    remove_empty_log(server);
    loop_remove(server->closing);
    loop_remove(server->later);
    stream_destroy(server->stream);
    drop_trial(server);
    tree_looks_fini(&server->looks);
    free(server->detail);
    free(server->trouble);
    free(server->log);
    free(server);
}

void server_env(const struct server *server, struct texts *env)
{
    stream_env(server->stream, 0, env);
    texts_add(env, mem_format("GANNET_SERVE=%d", STREAM_SERVE_VERSION));
    texts_add(env, mem_text("GANNET_TRIAL=")); /* of a trial around this worker */
}

void server_look(struct server *server)
{
    stream_read(server->stream);
    proc_look(server->proc);
}

bool server_has_end(const struct server *server)
{
    return server->has_end;
}

void server_signal(struct server *server, int signal)
{
    proc_signal(server->proc, signal);
}

void server_end(struct server *server, double grace)
{
    server->is_ending = true;
    loop_remove(server->closing);
    server->closing = NULL;
    if (server->proc && !server->is_gone)
        proc_end(server->proc, grace);
}

static void close_late(void *context)
{
    struct server *server = context;
    server->closing = NULL;
    server_end(server, LAST_SECONDS);
}

void server_close(struct server *server)
{
    if (server->is_ending || !server->proc)
        return;
    server->is_ending = true;
    stream_dismiss(server->stream);
    if (!server->closing) /* else it has left by itself, and is ended sooner */
        server->closing = loop_timer(server->loop, server->serves ? CLOSE_SECONDS : 0, close_late, server);
}

bool server_is_ending(const struct server *server)
{
    return server->is_ending;
}

bool server_is_gone(const struct server *server)
{
    return server->is_gone;
}

bool server_has_served(const struct server *server)
{
    return server->serves;
}

bool server_left_early(const struct server *server)
{
    return server->left_early;
}

const char *server_trouble(const struct server *server)
{
    return server->trouble;
}

pid_t server_pid(const struct server *server)
{
    return server->proc ? proc_pid(server->proc) : 0;
}
