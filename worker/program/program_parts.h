/* The insides of a program, for its own files: program.c (what it says, its end) and program_launch.c (how it is
 * started). */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_PARTS_H
#define GANNET_WORKER_PROGRAM_PROGRAM_PARTS_H

#include "common/json.h"
#include "worker/hardware/numbers.h"
#include "worker/program/printed.h"
#include "worker/program/program.h"
#include "worker/program/ranks.h"
#include "worker/program/reading.h"

#include <sys/stat.h>

struct program {
    struct loop *loop;
    const struct program_calls *calls;
    void *context;
    struct ranks *ranks;   /* its own processes; NULL: it has a server */
    struct server *server; /* the persistent program that runs it, not ours; NULL: it has processes of its own */
    char *words;           /* of a persistent program that ended it and lives on: what it said of the end; else NULL */
    uint64_t peak;         /* memory that its server was seen to have */
    uint32_t first_rank;   /* of those on this node, among all of the gang */
    uint32_t count;        /* of those */
    char *directory;       /* the trial's */
    uint32_t attempt;
    double begun;
    struct printed *printed;
    int outputs[PRINTED_ERR + 1];   /* the files that it writes, for reading too; -1: not open */
    off_t taken[PRINTED_ERR + 1];   /* how far these were read */
    bool tells[PHASES_COUNT];       /* the phases that it can tell of */
    struct metrics_file *file;      /* of its own, with its metrics; NULL: it prints them */
    struct stream *stream;          /* what it says of itself; NULL: it can't */
    bool asks;                      /* it has asked there whether to stop */
    double watched;                 /* when its memory was last looked at; 0: never */
    struct loop_watch *first_watch; /* looks at its memory for the first time */
    bool has_ended, went_on;
    struct proc_exit how;
    struct run_counters counters; /* what it used, once it has ended */
    uint32_t counts;              /* the rank of the process whose end is that of the program */
    bool has_failed;              /* that one failed, of several */
    struct numbers stayed;        /* ranks that did not end by themselves */
    struct loop_watch *more;      /* goes on reading in the next turn */
    struct loop_watch *asked;     /* when SIGTERM follows its own signal; NULL: that was not sent */
    double last;                  /* seconds from that SIGTERM to SIGKILL */
    bool counts_gpu;              /* what it does on GPUs is to be counted */
    const char *gpu_obstacle;     /* why that can't be; NULL: it is */
    char *checkpoint;             /* its file of checkpoints */
    struct stat found;            /* the file of checkpoints at the start; zeros: it was not there */
};

/* Everything between a program that is allocated and one that runs; -1 with a sentence, and how the run ends then. */
int program_launch(struct program *program, const struct program_setup *setup, const json_t *params,
                   enum ending *ending, struct err *err);

/* It has ended: reads the rest, then tells that. */
void program_ended(struct program *program, const struct proc_exit *how);

#endif
