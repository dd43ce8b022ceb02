/* The program gannet-trainer, and a test at the other end of its socket, as its worker is. */
#ifndef GANNET_TESTS_TRAINER_CLIENT_H
#define GANNET_TESTS_TRAINER_CLIENT_H

#include "common/buf.h"
#include "common/endings.h"
#include "common/msg.h"

#include <sys/types.h>

/* A trainer and our end of the conversation. */
struct trainer {
    pid_t pid;      /* 0: reaped */
    int fd, errors; /* the socket; the read end of its error output */
    int permit_to;  /* the write end of its permits */
    struct buf in, out;
    struct msg msg; /* the last one received */
};

/* Setup and teardown of a test: *state is the struct trainer. */
int client_start(void **state);
int client_stop(void **state);

/* Waits for its end; what waitpid says. */
int client_reap(struct trainer *trainer);

void client_tell(struct trainer *trainer, const struct msg *msg);
/* The kind of the next message, which is in trainer->msg; MSG_NONE when it closed the socket. */
enum msg_kind client_next(struct trainer *trainer);
/* The next line of its error output into `line`. */
void client_read_error(struct trainer *trainer, char *line, size_t size);

/* Says SETUP for a kernel with these options and takes READY; its trouble. */
const char *client_set_up(struct trainer *trainer, const char *kernel, const char *metric, const char *options);
void client_run(struct trainer *trainer, uint64_t trial, const char *params);
void client_halt(struct trainer *trainer, uint64_t trial);
/* Takes STEPs until ENDED; its ending. */
enum ending client_ended(struct trainer *trainer);

#endif
