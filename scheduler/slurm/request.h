/* From an experiment to what Slurm is asked for: the batch script, the environment and the description of a job for
 * each role (request.c, components.c, request_fill.c, script.c). */
#ifndef GANNET_SCHEDULER_SLURM_REQUEST_H
#define GANNET_SCHEDULER_SLURM_REQUEST_H

#include "common/buf.h"
#include "common/err.h"
#include "common/texts.h"
#include "scheduler/slurm/interface.h"
#include "scheduler/slurm/slurm_record.h"
#include "scheduler/spec/spec.h"

/* What a job is asked for on behalf of. Everything is only read. */
struct slurm_order {
    const struct spec *spec;
    const char *rundir;           /* the run directory, absolute */
    const char *programs;         /* the directory of gannet and gannet-worker, absolute; NULL: this program's */
    const char *comment;          /* of the record */
    const char *const *variables; /* "NAME=value" of whoever submits, NULL at the end; NULL: our own */
    double now;                   /* seconds since 1970 */
};

/* Puts into the spec what sbatch's options say of keys that others go by, too (slurm.time), and has the end announced
 * no earlier than a job of this length can bear. -1 with a sentence: an option can't be given. */
int slurm_settle(struct spec *spec, double now, struct err *err);

/* Fills in a request (slurm_request_fini it). `elements` above 0, for role WORKER: an array of so many. `notes`: adds a
 * line for each thing that gannet decided itself, for the person; NULL: not wanted. -1 with a sentence: an option under
 * slurm.sbatch_args can't be given. */
int slurm_request_make(const struct slurm_order *order, enum slurm_role role, uint32_t elements,
                       struct slurm_request *out, struct buf *notes, struct err *err);

/* Adds the name of a file for Slurm to write, which takes a percent sign for the beginning of a pattern. */
void slurm_add_file_name(struct buf *out, const char *path);

/* The batch script. free() it. */
char *slurm_script(const struct slurm_order *order, enum slurm_role role);

/* Adds what of the submitter's environment goes along: paths and places, no secrets; and what sbatch would add.
 * `exported`: the value of sbatch's --export, or NULL: ALL, NONE, or names and NAME=value between commas. */
void slurm_environment(const struct slurm_order *order, const struct slurm_request *request, const char *exported,
                       struct texts *out);

/* How many GPUs a node it asks for, as gpus_per_node ("2", "a100:2") or gres ("gpu:2,foo:1", "gpu:a100:4") say. */
uint32_t slurm_count_gpus(const struct slurm_request *request);

#endif
