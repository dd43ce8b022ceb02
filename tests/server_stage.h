/* A persistent program as its worker sees it: a test plays the program. */
#ifndef GANNET_TESTS_SERVER_STAGE_H
#define GANNET_TESTS_SERVER_STAGE_H

#include "common/buf.h"
#include "worker/program/server.h"

struct server_stage {
    struct loop *loop;
    struct stream_port *port;
    struct server *server;
    char *log;
    struct buf said; /* what was called, "began;ended 1 why;" */
    int client;
    struct buf answers;
    const char *awaited; /* in one of the two */
};

/* Setup and teardown of a test. */
int server_stage_enter(void **state);
int server_stage_leave(void **state);

/* Gives it a trial; the first one starts its process. Without words that is a process that does nothing. */
void server_stage_give_to(struct server_stage *stage, uint64_t trial, const char *const *argv, int fd3);
void server_stage_give(struct server_stage *stage, uint64_t trial);

/* A connection of a process of the program, which says who it is and `more`. */
int server_stage_knock(const struct server_stage *stage, const char *more);
void server_stage_say(const struct server_stage *stage, const char *text);
/* What was answered so far, without waiting for more. */
void server_stage_read(struct server_stage *stage);
/* Until these words are answered or were called. */
void server_stage_await(struct server_stage *stage, const char *what);
void server_stage_serve(struct server_stage *stage);

/* A server with trial 7 at work. */
void server_stage_begin(struct server_stage *stage);

#endif
