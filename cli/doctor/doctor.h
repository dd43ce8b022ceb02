/* What this machine is to gannet: libraries, cores, GPUs, filesystem, network, Slurm; each looked at, put into a
 * sentence, and where something is wrong with what to do about it. For people, and for tickets. */
#ifndef GANNET_CLI_DOCTOR_DOCTOR_H
#define GANNET_CLI_DOCTOR_DOCTOR_H

#include "cli/console.h"
#include "cli/look.h"
#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>

/* How well a thing is; a row: the word that people and programs read, and how it is shown. */
#define HEALTHS(X)                                                                                                     \
    X(OK, "ok", TINT_GOOD)                                                                                             \
    X(NOTE, "note", TINT_WARN)                                                                                         \
    X(PROBLEM, "problem", TINT_BAD)

enum health {
#define X(id, name, tint) HEALTH_##id,
    HEALTHS(X)
#undef X
};

struct doctor {
    json_t *checks; /* owned: an array of objects: name, health, text, advice */
    bool problem;   /* one of them is a problem */
};

void doctor_fini(struct doctor *doctor);

/* Draws what was found. */
void doctor_draw(const struct doctor *doctor, const struct look *look, struct buf *out);

/* Adds what was found. `advice` says what to do, a sentence without a full stop; NULL: nothing. */
void doctor_add(struct doctor *doctor, enum health health, const char *name, const char *advice, const char *format,
                ...) __attribute__((format(printf, 5, 6)));

/* What can be checked, a file each (doctor_*.c): gannet and its libraries; cores, GPUs and files; the names of this
 * machine; Slurm, which takes as long as its controller does not answer. */
void doctor_libraries(struct doctor *doctor);
void doctor_machine(struct doctor *doctor);
void doctor_network(struct doctor *doctor);
void doctor_slurm(struct doctor *doctor);

/* The experiment of this name: its coordinator, its workers, and nodes of its jobs that have none. 0, or the exit
 * status with a sentence. */
int doctor_experiment(struct doctor *doctor, struct console *console, const char *what, struct err *err);

/* Measures what this machine can do at most: in one thread and in one on each core, and in ranks, which takes a second
 * or two; and the disk of the current directory. */
void doctor_limits(struct doctor *doctor);

#endif
