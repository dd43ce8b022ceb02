/* How weights follow their gradients; and the mean of weights over time. What each optimizer does to a weight is said
 * with enum update_kind. P is the number of weights of a network. */
#ifndef GANNET_WORKER_NN_OPTIMIZER_H
#define GANNET_WORKER_NN_OPTIMIZER_H

#include "worker/nn/network.h"

/* The words of the kernels' tables, in this order. */
#define OPTIMIZERS "sgd|adam|adamw|rmsprop|adadelta|lars"
enum optimizer_kind {
    OPTIMIZER_SGD,
    OPTIMIZER_ADAM,
    OPTIMIZER_ADAMW,
    OPTIMIZER_RMSPROP,
    OPTIMIZER_ADADELTA,
    OPTIMIZER_LARS
};

/* What a configuration says of it. */
struct optimizer_rule {
    enum optimizer_kind kind;
    float momentum;     /* of sgd, rmsprop and lars; 0: none */
    bool nesterov;      /* of sgd with momentum */
    float beta1, beta2; /* of Adam: of the means of gradients and of their squares */
    float rho;          /* of rmsprop and adadelta: of the means of squares */
    float trust;        /* of lars: the share of a layer's size that a step of rate 1 is */
    float epsilon;
    float weight_decay; /* part of the gradient; of adamw: of the weights themselves */
    float clip;         /* the largest norm of all gradients together; 0: any */
};

struct optimizer {
    struct optimizer_rule rule;
    struct network *network;
    int64_t steps;               /* done */
    struct tensor first, second; /* [P]: what the rule keeps; at NULL: not needed */
};

/* -1 with a sentence when there is no memory. The network must outlive it. */
int optimizer_init(struct optimizer *optimizer, const struct optimizer_rule *rule, struct network *network,
                   struct err *err);
void optimizer_fini(struct optimizer *optimizer); /* {0} is fine */

/* One step: changes the network's weights by their gradients with the learning rate lr. */
void optimizer_update(struct optimizer *optimizer, double lr);

/* Counts a step whose weights somebody else changes: its constants. */
struct update optimizer_count(struct optimizer *optimizer, double lr);

/* Of checkpoints, as network.h has them. */
void optimizer_save(const struct optimizer *optimizer, struct pack_writer *out);
void optimizer_load(struct optimizer *optimizer, struct pack_reader *in);

/* The exponential mean of a network's weights (Polyak and Juditsky 1992; Tarvainen and Valpola 2017):
 *     mean = decay mean + (1 - decay) weights, after each update, with min(decay, (1 + t) / (10 + t)) at the t-th,
 * so that the first weights are soon forgotten. */
struct average {
    struct network *network;
    double decay;       /* 0: there is none */
    int64_t steps;      /* done */
    struct tensor mean; /* [P] */
    struct tensor kept; /* [P]: the weights, while the mean stands in their place */
};

int average_init(struct average *average, double decay, struct network *network, struct err *err);
void average_fini(struct average *average); /* {0} is fine */
void average_update(struct average *average);

/* Counts an update that somebody else makes: the share of the mean that is left. */
double average_count(struct average *average);

/* Puts the mean in the place of the weights, and back: around an evaluation. */
void average_enter(struct average *average);
void average_leave(struct average *average);

void average_save(const struct average *average, struct pack_writer *out);
void average_load(struct average *average, struct pack_reader *in);

#endif
