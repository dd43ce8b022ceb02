/* A persistent program: a process of a person's own that runs one trial after the other, its interpreter and imports
 * warm (trial.persistent; docs/trial.md has what is said).
 *
 *     none --first trial--> starting --it serves--> idle <----> busy        gone: its process has ended, however
 *                               |                     |          |
 *                               '---------------------'----------'--server_end, server_close--> ending --> gone
 *
 * A trial that it has not ended when its process is gone goes with it; no other does. One that it had not read of has
 * not begun (server_left_early), unless its process has not ended any. Whatever it says of trials that it was not given
 * is answered as a mistake. */
#ifndef GANNET_WORKER_PROGRAM_SERVER_H
#define GANNET_WORKER_PROGRAM_SERVER_H

#include "common/loop.h"
#include "common/proc.h"
#include "common/run_counters.h"
#include "common/task.h"
#include "worker/program/stream.h"

struct server;

/* How a trial ended that the process lives on after. */
struct server_end {
    int status;                   /* as a process exits */
    const char *detail;           /* in the program's own words, or "" */
    double cpu;                   /* processor seconds of this trial alone */
    struct run_counters counters; /* of this trial alone, of one that lasted TREE_SHORTEST; else unknown */
    uint64_t peak; /* bytes that it had resident at most, since the trial began where the kernel resets that */
};

/* Called from the loop for the trial that it has; none within a function of server.h but server_look. All but `began`
 * may destroy the server. */
struct server_calls {
    void (*began)(void *context); /* it serves, and has heard of the trial */
    void (*ended)(void *context, const struct server_end *end);
    void (*gone)(void *context, const struct proc_exit *how); /* with the trial */
};

/* One whose process starts with its first trial. `log` is the file for what is printed between trials, made when it is
 * started and removed when it is empty. `idle_gone` is called when its process has ended without a trial. */
struct server *server_create(struct loop *loop, struct stream_port *port, const char *log,
                             void (*idle_gone)(void *context), void *context);
void server_destroy(struct server *server); /* kills it; no call follows. NULL is fine */

/* The variables of its process that speak of the server: GANNET_SOCKET, GANNET_TOKEN, GANNET_SERVE; it has no
 * GANNET_TRIAL. */
void server_env(const struct server *server, struct texts *env);

/* Gives it a trial; `line` is what it is told, `setup` how to start it if it was not. It has none, and is not ending.
 * -1 with a sentence. */
int server_begin(struct server *server, const struct proc_setup *setup, uint64_t trial, uint32_t attempt,
                 const json_t *line, const struct server_calls *calls, void *context, struct err *err);
void server_forget(struct server *server); /* no call for its trial follows; one that has not ended is given up */

/* Takes what it has said by now, and looks whether its process has ended. */
void server_look(struct server *server);

/* Whether it has said how its trial ended, which is told in the next turn. */
bool server_has_end(const struct server *server);

void server_signal(struct server *server, int signal);

/* SIGTERM, SIGKILL after `grace` seconds. It gets no other trial. */
void server_end(struct server *server, double grace);

/* Lets an idle one exit by itself, and ends it when it does not. */
void server_close(struct server *server);

bool server_is_ending(const struct server *server); /* or gone */
bool server_is_gone(const struct server *server);
bool server_has_served(const struct server *server); /* it has said so */
/* It has ended trials, and is gone without having read of the last one that it was given: that has not begun. */
bool server_left_early(const struct server *server);
const char *server_trouble(const struct server *server); /* why it was ended by us though nobody asked, or NULL */
pid_t server_pid(const struct server *server);

/* Whether it should be replaced now that it is idle: it has run as many trials as the task allows a process, or holds
 * more memory than after its first one by more than that allows. `limit` is what a trial may use, 0 when that is not
 * limited. */
bool server_is_worn(struct server *server, const struct task *task, uint64_t limit);

#endif
