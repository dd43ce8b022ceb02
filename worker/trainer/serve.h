/* The trainer as the worker's child: it runs the trials that come over a socket, one after the other. */
#ifndef GANNET_WORKER_TRAINER_SERVE_H
#define GANNET_WORKER_TRAINER_SERVE_H

#include "common/err.h"

/* Speaks with the worker on fd until it closes its end: 0. -1 with a sentence when what came was no conversation. */
int serve_runs(int fd, struct err *err);

/* The same for several of them, each with a stream of its own that comes over `arrivals`, a socket of packets. Their
 * runs go on side by side, and train together where their kernel can. */
int serve_seats(int arrivals, struct err *err);

#endif
