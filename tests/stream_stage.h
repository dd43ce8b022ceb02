/* A stream of a run, what was called of it, and one client: where tests of streams begin. */
#ifndef GANNET_TESTS_STREAM_STAGE_H
#define GANNET_TESTS_STREAM_STAGE_H

#include "common/buf.h"
#include "common/loop.h"
#include "worker/program/stream.h"

struct stream_stage {
    struct loop *loop;
    struct stream_port *port;
    struct stream *stream;
    struct buf said; /* what was called, "loss@4=0.3;" */
    struct stream_stop stop;
    int client;
    struct buf answers;
    const char *awaited; /* in one of the two */
};

/* Set-up and tear-down of a test. */
int stream_stage_enter(void **state);
int stream_stage_leave(void **state);

/* The value of a variable that programs get; free() it. */
char *stream_stage_variable(const struct stream_stage *stage, const char *name);

/* Another connection to the stream's socket. */
int stream_stage_knock(const struct stream_stage *stage);

/* Connects the client, whose first line has the token and `more`. */
void stream_stage_greet(struct stream_stage *stage, const char *more);
void stream_stage_say(const struct stream_stage *stage, const char *text);

/* Runs the loop until this text is among the calls or the answers. */
void stream_stage_await(struct stream_stage *stage, const char *what);

/* Whether the client's connection has ended; context: the stage. */
bool stream_stage_is_put_out(void *context);

#endif
