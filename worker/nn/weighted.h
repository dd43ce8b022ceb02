/* What dense and conv have in common: weights w, a bias b unless the setting says there is none, and an activation of
 * the sums.
 *
 *     z = x * w + b    the kind's own operation, into weighted_sums
 *     y = f(z)         where the slope of f needs z, which is kept then; else the operation has made y of it already */
#ifndef GANNET_WORKER_NN_WEIGHTED_H
#define GANNET_WORKER_NN_WEIGHTED_H

#include "worker/nn/layer.h"

/* Whether the activation lets about half of the sums through, which weights make up for that begin larger (BEGINS_HE).
 */
bool weighted_rectifies(const struct layer_setting *setting);

/* Plans w, which has so many inputs and outputs for each of its numbers, b of O, y, whose type
 * is the network's, and the gradient of x. */
void weighted_plan(struct layer *layer, struct plan *plan, const struct tensor *w, enum beginning beginning,
                   size_t inputs, size_t outputs, const struct tensor *y);

/* b and its gradient; NULL: there is none. */
const struct tensor *weighted_bias(const struct layer *layer);
struct tensor *weighted_bias_gradient(struct layer *layer);

/* Where the operation writes, and with which activation. */
struct tensor *weighted_sums(struct layer *layer, enum activation *activation);

/* Behind the operation: makes y, unless it is there. Before the operations of the way back: makes dz of dy, in its
 * place. */
void weighted_activate(struct layer *layer, const struct pass *pass);
void weighted_activate_back(struct layer *layer, const struct pass *pass, const struct tensor *dy);

#endif
