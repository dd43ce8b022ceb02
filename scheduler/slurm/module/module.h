/* What the files of the module share: the functions of the interface, a file for each kind, and Slurm's errors in
 * words. Only these files know libslurm. */
#ifndef GANNET_SCHEDULER_SLURM_MODULE_MODULE_H
#define GANNET_SCHEDULER_SLURM_MODULE_MODULE_H

#include "scheduler/slurm/interface.h"

#include <slurm/slurm.h>

/* What later versions spell otherwise is told apart by these. */
#define SLURM_HAS(major, minor) (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))

/* A job's number where libslurm wants it, and where it puts it: from 26.05 on in the struct that names steps, too. */
#if SLURM_HAS(26, 5)
#define JOB_NUMBER(id)       ((slurm_step_id_t){.job_id = (id), .step_id = NO_VAL, .step_het_comp = NO_VAL})
#define JOB_NUMBER_OF(place) ((place)->step_id.job_id)
#else
#define JOB_NUMBER(id)       (id)
#define JOB_NUMBER_OF(place) ((place)->job_id)
#endif

/* How generic resources are spelt: the words of `--gres`, gpu:a100:2, become gres:gpu:a100:2. */
#if SLURM_HAS(23, 11)
#define GRES_PREFIX "gres/"
#else
#define GRES_PREFIX "gres:"
#endif

/* further.c: puts the options that are handed on into the description. Texts that it makes are in *memory, which the
 * caller frees when the description is not used any more, also after -1. */
struct further_memory {
    char *texts[8];
    unsigned count;
};
int module_further(const char *further, job_desc_msg_t *job, struct further_memory *memory, struct slurm_error *error);
void module_further_fini(struct further_memory *memory);

/* submit.c. A description of a job that says nothing yet. */
void module_begin_job(job_desc_msg_t *job);
int module_submit(const struct slurm_request *request, uint32_t *id, struct slurm_error *error);
int module_check(const struct slurm_request *request, struct slurm_error *error);

/* jobs.c */
int module_job(uint32_t id, struct slurm_jobs *out, struct slurm_error *error);
int module_find(const char *comment, struct slurm_jobs *out, struct slurm_error *error);

/* cores.c: as in struct slurm_jobs; NULL: not known. */
char *module_cores(const slurm_job_info_t *info);

/* cancelled.c: "by NAME", or "" when nobody says. */
void module_cancelled(uint32_t id, char *out, size_t size);

/* gpus.c: as in struct slurm_jobs; NULL: not known, or none. */
char *module_gpus(const slurm_job_info_t *info);

/* words.c: what a call returned: 0, or its number, Slurm's words for it and, where we know, what to do. Calls return -1
 * and set errno, or return the number itself. 0 or -1. */
int words_result(int returned, struct slurm_error *error);
int words_number(int returned); /* the number alone */

#endif
