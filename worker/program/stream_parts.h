/* What the files of streams share: stream.c has the socket, the connections and their lines, stream_take.c what a line
 * says; nobody else. */
#ifndef GANNET_WORKER_PROGRAM_STREAM_PARTS_H
#define GANNET_WORKER_PROGRAM_STREAM_PARTS_H

#include "common/list.h"
#include "common/sockets.h"
#include "worker/program/stream.h"
#include "worker/program/stream_said.h"

#include <sys/types.h>

enum { STREAM_TOKEN_BYTES = 16 };

struct stream_port {
    struct loop *loop;
    struct sockets directory;
    char *path; /* of the socket */
    int fd;
    struct loop_watch *in;
    struct loop_watch *again;   /* takes connections again; NULL: it does take some */
    struct list_link streams;   /* all of them */
    struct list_link strangers; /* connections that have not said whose they are, oldest first */
    uint32_t stranger_count, connections, most;
};

struct stream {
    struct stream_port *port;
    struct list_link link;
    uint64_t trial;
    uint32_t attempt;
    uint32_t ranks;  /* processes that the run is made of */
    int64_t told_on; /* of several processes: the highest step at which one was told to go on; -1: none was */
    char token[2 * STREAM_TOKEN_BYTES + 1];
    const struct stream_calls *calls;             /* NULL: it is a persistent program's */
    const struct stream_serve_calls *serve_calls; /* NULL: it is a trial's */
    void *context;
    char *log;                 /* of a persistent program, or NULL */
    struct connection *server; /* by which a persistent program hears of trials; or NULL */
    bool left_unread;          /* it has closed that before it had read all that it was told */
    struct list_link connections;
    uint32_t count;
    double period;           /* when the present period began */
    size_t taken;            /* bytes in it */
    struct loop_watch *rest; /* until the next period nothing is read; NULL: it is */
    struct stream_said said; /* metrics and phases that were spoken of */
};

struct connection {
    struct list_link link; /* of its stream's, or the strangers */
    struct stream_port *port;
    struct stream *stream; /* NULL: a stranger */
    int fd;
    struct loop_watch *in, *patience; /* patience: until its first line has come */
    struct buf line;                  /* the beginning of a line */
    struct buf answers;               /* to what was read last; they go out together */
    size_t said;                      /* bytes so far */
    bool is_cut;                      /* the present line was too long: its rest is passed over */
    bool is_gone;                     /* it has ended, or was put out: to be closed by whoever reads it */
    int64_t rank;                     /* what its first line said */
    uint32_t token_rank;              /* what its token says, which is sure; 0: that it is the first, or nothing */
    uint32_t mistakes;
};

/* Takes a line of a connection, and answers it when it is to be answered. */
void stream_take_line(struct connection *connection, const char *text, size_t length);

/* Adds a line to the answers, which is given up. */
void stream_answer(struct connection *connection, json_t *json);

/* Sends the answers; who does not read is put out. */
void stream_send_answers(struct connection *connection);

/* Answers a line that can't be taken; who asks and waits is always answered, and goes on. */
void stream_answer_mistake(struct connection *connection, const char *sentence, bool asks);

#endif
