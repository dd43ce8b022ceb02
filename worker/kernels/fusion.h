/* What the two ways have in common in which trials take an epoch together (fusion.c): in the lanes of a processor's
 * vectors, and stacked in the memory of a device (fusion_stacked.c). */
#ifndef GANNET_WORKER_KERNELS_FUSION_H
#define GANNET_WORKER_KERNELS_FUSION_H

#include "worker/kernels/classifier.h"

/* An epoch of several trials. */
struct fused_trials {
    struct classifier *const *trials;
    struct kernel_report *const *reports; /* of each */
    size_t count;
};

/* Takes the epoch of up to STACK_MOST trials that match, in a device; the sums of each go to train and val. -1 with a
 * sentence when there is no memory: nothing has happened then. */
int fusion_step_stacked(const struct fused_trials *fused, struct epoch_loss *train, struct epoch_loss *val,
                        struct err *err);

/* Bytes of a device that a trial takes more among others. */
uint64_t fusion_room(const struct classifier *trial);

/* The phase that began at *then ends and the next one begins, for all trials alike; and the same of a pass over a
 * batch, which is an operation as well. */
void fusion_end_phase(const struct fused_trials *fused, enum phase phase, double *then);
void fusion_end_pass(const struct fused_trials *fused, enum phase phase, enum operation operation, double *then);

/* Sets the order of the examples of each trial's epoch. */
void fusion_shuffle(const struct fused_trials *fused);

/* Counts an update of each trial: its constants, the limit of its gradients' norm, and what is left of its mean. */
struct fused_constants {
    struct update updates[STACK_MOST];
    float limits[STACK_MOST], decays[STACK_MOST];
    bool clips, averages; /* any of them */
};
void fusion_count(const struct fused_trials *fused, struct fused_constants *out);

/* Whether any of them has a mean of its weights. */
bool fusion_averages(const struct fused_trials *fused);

#endif
