/* The options of gannet-worker. */
#ifndef GANNET_WORKER_AGENT_WORKER_OPTIONS_H
#define GANNET_WORKER_AGENT_WORKER_OPTIONS_H

#include "common/err.h"
#include "worker/hardware/slots.h"

#include <stdbool.h>
#include <stdint.h>

struct worker_options_share {
    uint32_t part, parts; /* part from 1 */
};

/* What the command line says. */
struct worker_options {
    const char *rundir, *connect, *node, *topology, *only_cores, *only_gpus, *job_cores, *trainer;
    struct worker_options_share share;
    double give_up, idle_exit; /* idle_exit 0: not given */
    int log_level;
    bool rescue, shared, show_slots, json, help, version;
    struct slot_request request;
};

/* Reads the command line over the defaults. -1 with a sentence. Texts are those of `words`. */
int worker_options_read(int count, char *const *words, struct worker_options *out, struct err *err);

/* Adds the help text, made of the table of options. */
void worker_options_help(struct buf *out);

#endif
