/* Submitting a prepared experiment to Slurm, for the commands that do: gannet submit and gannet resume. */
#ifndef GANNET_CLI_SESSION_SUBMISSION_H
#define GANNET_CLI_SESSION_SUBMISSION_H

#include "cli/console.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/slurm/request.h"
#include "scheduler/spec/spec.h"

#include <stdbool.h>

/* Whether no job brings the coordinator: it runs where gannet submit is typed. */
bool submission_is_here(const struct spec *spec);

/* What is asked for. 0; or an exit status, and a sentence. `notes`: what gannet decided itself. */
int submission_request(const struct rundir *dir, const struct spec *spec, const char *comment,
                       struct slurm_request *out, struct buf *notes, struct err *err);

/* The same of what the coordinator will ask for: workers in jobs of their own, which not every shape has. */
bool submission_has_workers(const struct spec *spec);
int submission_workers(const struct rundir *dir, const struct spec *spec, const char *comment,
                       struct slurm_request *out, struct buf *notes, struct err *err);

/* Has Slurm look at what will be asked for workers, which would fail one by one when the coordinator runs. An exit
 * status, and everything said, when that can't be had; a Slurm that does not answer keeps nobody from going on. */
int submission_check(struct console *console, const struct rundir *dir, const struct spec *spec);

/* Writes slurm.json for jobs to come: the comment that they will have. */
int submission_begin(const struct rundir *dir, const struct spec *spec, struct err *err);

/* Submits it and writes slurm.json. `release`: not held, whatever the file says. 0 and the job's id; or an exit status,
 * and everything said. `unclear`: whether Slurm has taken it is not known, and the run directory must stay for it. */
int submission_send(struct console *console, const struct rundir *dir, const struct spec *spec, bool release,
                    uint32_t *id, bool *unclear);

/* Says that the job is submitted, and how to go on from here. `name`: target_handle. */
void submission_say(struct console *console, const struct rundir *dir, const char *name, uint32_t id);

/* Adds a request as a table: what was asked for, and by which key. */
void submission_draw(const struct slurm_request *request, const struct look *look, struct buf *out);

#endif
