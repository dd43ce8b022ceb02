/* One run: a kernel takes a trial through its steps, and what it reports is kept. */
#ifndef GANNET_WORKER_TRAINER_TRAINING_H
#define GANNET_WORKER_TRAINER_TRAINING_H

#include "common/msg.h"
#include "worker/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rank_gang;

/* A kernel that was opened for a task. */
struct opened_kernel {
    const struct kernel *kernel;
    void *self;
    const char *metric;     /* the objective's name */
    struct rank_gang *gang; /* the processes that run it together (trainer/gang.h); NULL: this one alone */
};

/* Where a run begins and where it pauses; {0}: it runs from beginning to end and leaves no checkpoint. Texts live as
 * long as the run. */
struct training_plan {
    const char *checkpoint; /* the file that its checkpoints are written to, and gone on from; NULL or "": none */
    const char *origin;     /* another trial's, to start from while there is none of its own; likewise */
    uint64_t until;         /* the step after which it pauses; 0: none */
    uint64_t reached;       /* the step that the trial came to before: a checkpoint should be there */
    uint64_t known;         /* the step up to which its samples are recorded: later ones are reported again */
    bool fresh;             /* nothing of it has run before: no checkpoint of its own is looked for */
    bool keep;              /* save one at the end, too */
    uint64_t most;          /* it is complete at this step; 0: when it has taken all its steps */
};

/* Used for one run after the other, so that a short one allocates next to nothing. {0} is ready for use. */
struct training {
    /* Set by the caller, optional: asked after each step but the last whether to end the run; may take samples away. */
    bool (*halt)(void *context, struct training *training);
    void *context;
    struct training_plan plan;
    struct operation_choice choice; /* what is timed of the operations */
    bool goes_on;                   /* set by `halt` when the run that it ends may go on later: a checkpoint is saved */

    /* Of the present or last run. */
    double started;              /* clock_monotonic() */
    uint64_t resumed;            /* the step behind which its samples begin; 0: the beginning */
    double launch;               /* seconds from there to the first step */
    struct kernel_report report; /* with the profile */
    struct msg_sample *samples;  /* reported and not taken away */
    uint32_t sample_count;
    enum ending ending;
    struct err detail; /* the sentence about the ending; may be empty */

    /* Of training.c. */
    struct phase_sketch *sketches; /* of the phases of the report */
    const struct opened_kernel *opened;
    size_t sample_capacity;
    int64_t step, steps;     /* the present one, of so many */
    int64_t first_step;      /* of this run */
    double entered;          /* when the present step began */
    uint64_t trained;        /* examples up to then */
    double validated;        /* seconds of validation up to then */
    bool breaks_down;        /* whether the kernel says where its time goes */
    bool valued, diverged;   /* the objective was reported; and was no finite number */
    bool valued_now;         /* it was reported in the present step */
    int64_t base;            /* steps of the trial that it started from */
    double worked;           /* seconds that its steps took, those before its checkpoint included */
    double saved;            /* when the last checkpoint was */
    double save_took;        /* seconds that it took */
    struct msg_sample *past; /* what its checkpoints say was reported, all of them */
    uint32_t past_count;
    size_t past_capacity;
    char **names; /* of all metrics seen: samples point at them */
    size_t name_count, name_capacity;
};

/* Runs a trial to its end, whatever that is. */
void training_run(struct training *training, const struct opened_kernel *opened, const struct kernel_trial *trial);

/* The same step by step: begin, then steps while there is one to take, then end. A step is training_step, or what
 * others take together with it (struct kernel_fusion) between enter, and leave with what came of it. */
bool training_begin(struct training *training, const struct opened_kernel *opened, const struct kernel_trial *trial);
bool training_step(struct training *training);
void training_enter(struct training *training);
bool training_leave(struct training *training, enum ending ending);
void training_end(struct training *training);

/* The same for one that can't even begin: ends with this. */
void training_refuse(struct training *training, enum ending ending, const char *detail);

void training_fini(struct training *training);

#endif
