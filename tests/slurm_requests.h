/* Requests to Slurm as gannet makes them of experiment files, for tests. */
#ifndef GANNET_TESTS_SLURM_REQUESTS_H
#define GANNET_TESTS_SLURM_REQUESTS_H

#include "scheduler/slurm/request.h"
#include "tests/claims.h"

#define REQUESTS_NOW 1795190400.0 /* 2026-11-20T16:00:00Z */

/* An experiment file that has these keys, too; an order of it by Ada, whose environment has secrets and a job's
 * variables. */
struct spec *requests_spec(const char *keys);
struct slurm_order requests_order(const struct spec *spec);

/* The request for a role; with what gannet decided itself in *notes, if it is wanted. */
struct slurm_request requests_make(const char *keys, enum slurm_role role, uint32_t elements, struct buf *notes);
struct slurm_request requests_make_job(const char *keys);

/* Whether it hands on this variable with this value. */
bool requests_has(const struct slurm_request *request, const char *variable);

#endif
