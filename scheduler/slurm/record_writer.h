/* Writes slurm.json for the coordinator, in a thread of its own: a disk that is slow, or a lock that somebody holds,
 * keeps the search from nothing. Changes are made in the order in which they are given. What can't be written is
 * logged. */
#ifndef GANNET_SCHEDULER_SLURM_RECORD_WRITER_H
#define GANNET_SCHEDULER_SLURM_RECORD_WRITER_H

#include "common/loop.h"
#include "scheduler/slurm/slurm_record.h"

#include <stddef.h>

/* One change of the record; what is 0 or NULL stays as it is. */
struct record_writer_change {
    uint32_t id, elements;         /* a worker was submitted, or an array of so many (0: it is none) */
    double time;                   /* seconds since 1970: when this was known */
    const struct slurm_jobs *jobs; /* what Slurm says */
    bool whole;                    /* `jobs` are all that have not ended */
    const char *note;
};

/* Makes the change in a record in memory: the thread does so with that of the file, the coordinator with its own. */
void record_writer_apply(const struct record_writer_change *change, struct slurm_record *record);

struct record_writer;

struct record_writer *record_writer_start(struct loop *loop, const struct rundir *dir, struct err *err);
void record_writer_write(struct record_writer *record_writer,
                         const struct record_writer_change *change); /* copies it; never waits */
void record_writer_stop(struct record_writer *record_writer);        /* when all is written; NULL is fine */

#endif
