/* The trainer as the worker's child: it runs the trials that come over a socket, one after the other. */
#ifndef GANNET_WORKER_TRAINER_SERVE_H
#define GANNET_WORKER_TRAINER_SERVE_H

#include "common/err.h"

/* Speaks with the worker on fd until it closes its end: 0. -1 with a sentence when what came was no conversation. */
int serve_runs(int fd, struct err *err);

#endif
