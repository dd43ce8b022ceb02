/* Loss scaling (Micikevicius et al. 2018, section 3.2): the way back computes with gradients that are some thousand
 * times as large, so that small ones are not lost in a type with few exponents, as fp16; they are made what they are
 * before the optimizer sees them. Whether any of them became infinite on the way is known then: such a step is skipped.
 *
 *     static     the factor stays
 *     dynamic    the factor is halved after each overflow, and doubled after `interval` steps without one
 *
 * Gradients that several processes share are averaged between the way back and loss_scale_undo: what one of them had
 * infinite is so in the average, and all skip the same step. */
#ifndef GANNET_WORKER_NN_LOSS_SCALE_H
#define GANNET_WORKER_NN_LOSS_SCALE_H

#include "worker/nn/network.h"

/* The words of the kernels' tables, in this order. */
#define LOSS_SCALES "none|static|dynamic"
enum loss_scale_kind { LOSS_SCALE_NONE, LOSS_SCALE_STATIC, LOSS_SCALE_DYNAMIC };

/* So many steps in a row that overflow are no accident: 64 halvings take any factor below all that helps. */
enum { LOSS_SCALE_MOST_SKIPPED = 64 };

struct loss_scale_rule {
    enum loss_scale_kind kind;
    double factor;    /* of dynamic: the first */
    int64_t interval; /* of dynamic: steps */
};

struct loss_scale {
    struct loss_scale_rule rule;
    struct network *network;
    double factor;        /* the present one */
    int64_t good;         /* steps since the factor changed or a step was skipped */
    int64_t skipped;      /* the last steps, as far as all of them were skipped */
    struct tensor finite; /* in the backend: whether all gradients were; at NULL: nobody asks */
};

/* -1 with a sentence when there is no memory. The network must outlive it. */
int loss_scale_init(struct loss_scale *scale, const struct loss_scale_rule *rule, struct network *network,
                    struct err *err);
void loss_scale_fini(struct loss_scale *scale); /* {0} is fine */

/* After each way back: makes the gradients what they are, and the factor ready for the next step. False: some were not
 * finite, and the step is to be skipped. Waits for the backend, unless the rule is none. */
bool loss_scale_undo(struct loss_scale *scale);

/* -1 with a sentence when the last LOSS_SCALE_MOST_SKIPPED steps were all skipped. */
int loss_scale_check(const struct loss_scale *scale, struct err *err);

/* Of checkpoints, as network.h has them. */
void loss_scale_save(const struct loss_scale *scale, struct pack_writer *out);
void loss_scale_load(struct loss_scale *scale, struct pack_reader *in);

#endif
