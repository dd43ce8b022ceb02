/* An allocator with a made-up Slurm and a made-up clock, for tests. */
#ifndef GANNET_TESTS_ALLOCATOR_STAGE_H
#define GANNET_TESTS_ALLOCATOR_STAGE_H

#include "scheduler/slurm/allocator.h"

/* An allocator, what time it is for it, and how the search stands. */
struct stage {
    struct allocator *allocator;
    double now;
    struct allocator_view view;
    struct allocator_worker workers[32];
    struct allocator_order order; /* the last question */
};

/* With workers of their own jobs, or of one array; it has seen the search once. */
struct stage stage_elastic(uint32_t workers, uint32_t backlog, uint64_t wanted);
struct stage stage_array(uint32_t workers, uint64_t wanted);

/* What the search looks like, told to it. */
void stage_update(struct stage *stage);
void stage_join(struct stage *stage, uint32_t job, uint32_t element, uint32_t slots);
void stage_leave(struct stage *stage); /* the worker that joined last */
void stage_want(struct stage *stage, uint64_t wanted);

/* Takes the next question: whether it is this one, or none. */
bool stage_asks(struct stage *stage, enum allocator_question question);
bool stage_asks_nothing(struct stage *stage);

/* Submits and answers with this id. */
void stage_submit(struct stage *stage, uint32_t id);

/* Goes on to when it wants to ask, and takes that question. */
void stage_await(struct stage *stage, enum allocator_question question);

/* The same, answered with these jobs. */
void stage_find(struct stage *stage, struct slurm_job *jobs, uint32_t count);
void stage_inspect(struct stage *stage, struct slurm_job *jobs, uint32_t count);

struct allocator_state stage_state(const struct stage *stage);
struct slurm_job single_job(uint32_t id, enum slurm_state state);
struct slurm_job element_job(uint32_t array, uint32_t element, enum slurm_state state);

void stage_end(struct stage *stage); /* destroys it */

#endif
