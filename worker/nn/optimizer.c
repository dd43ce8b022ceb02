/* Optimizers; see optimizer.h. All but lars take all weights of a network in one operation. */
#include "worker/nn/optimizer.h"

#include <math.h>

static bool needs_first(const struct optimizer_rule *rule)
{
    return (rule->kind != OPTIMIZER_SGD && rule->kind != OPTIMIZER_RMSPROP) || rule->momentum > 0 ||
           rule->kind == OPTIMIZER_RMSPROP;
}

static bool needs_second(const struct optimizer_rule *rule)
{
    return rule->kind != OPTIMIZER_SGD && rule->kind != OPTIMIZER_LARS;
}

/* Zeros of the weights' size, or none. */
static int allocate_like(struct network *network, bool needed, struct tensor *out, struct err *err)
{
    struct backend *backend = network->backend;
    *out = network->weights;
    out->at = needed ? backend_allocate(backend, tensor_bytes(out), err) : NULL;
    return needed && !out->at ? -1 : 0;
}

static void release_tensor(struct network *network, struct tensor *tensor)
{
    if (network)
        network->backend->kind->release(network->backend->self, tensor->at);
}

int optimizer_init(struct optimizer *optimizer, const struct optimizer_rule *rule, struct network *network,
                   struct err *err)
{
    *optimizer = (struct optimizer){.rule = *rule, .network = network};
    return allocate_like(network, needs_first(rule), &optimizer->first, err) ||
                   allocate_like(network, needs_second(rule), &optimizer->second, err)
               ? -1
               : 0;
}

void optimizer_fini(struct optimizer *optimizer)
{
    release_tensor(optimizer->network, &optimizer->first);
    release_tensor(optimizer->network, &optimizer->second);
    *optimizer = (struct optimizer){0};
}

/* The constants of the t-th step. */
static struct update constants_of(const struct optimizer_rule *rule, double lr, double t)
{
    static const enum update_kind kinds[] = {
        [OPTIMIZER_SGD] = UPDATE_SGD,         [OPTIMIZER_ADAM] = UPDATE_ADAM,         [OPTIMIZER_ADAMW] = UPDATE_ADAM,
        [OPTIMIZER_RMSPROP] = UPDATE_RMSPROP, [OPTIMIZER_ADADELTA] = UPDATE_ADADELTA, [OPTIMIZER_LARS] = UPDATE_LARS};
    bool decoupled = rule->kind == OPTIMIZER_ADAMW, adam = decoupled || rule->kind == OPTIMIZER_ADAM;
    return (struct update){
        .kind = kinds[rule->kind],
        .lr = (float)(adam ? lr / (1 - pow((double)rule->beta1, t)) : lr),
        .l2 = decoupled ? 0 : rule->weight_decay,
        .keep = decoupled ? (float)(1 - lr * (double)rule->weight_decay) : 1,
        .momentum = rule->momentum,
        .beta1 = rule->beta1,
        .beta2 = adam ? rule->beta2 : rule->rho,
        .epsilon = rule->epsilon,
        .scale = adam ? (float)(1 / sqrt(1 - pow((double)rule->beta2, t))) : 1,
        .trust = rule->trust,
        .nesterov = rule->nesterov,
    };
}

struct update optimizer_count(struct optimizer *optimizer, double lr)
{
    return constants_of(&optimizer->rule, lr, (double)++optimizer->steps);
}

/* Layer by layer: each has a norm of its own. Biases and normalisations follow plain momentum without decay, as in the
 * paper's experiments. */
static void update_layers(struct optimizer *optimizer, const struct update *update)
{
    const struct network *network = optimizer->network;
    for (size_t i = 0; i < network->plan.parameter_count; i++) {
        const struct parameter *parameter = network->plan.parameters[i];
        struct tensor first = parameter->w;
        struct update own = *update;
        first.at = (char *)optimizer->first.at + ((char *)parameter->w.at - (char *)network->weights.at);
        if (!parameter->decays) {
            own.kind = UPDATE_SGD;
            own.l2 = 0;
            own.momentum = update->momentum > 0 ? update->momentum : 0;
        }
        op_update(network->backend, &own, &parameter->w, &parameter->dw, &first, NULL);
    }
}

void optimizer_update(struct optimizer *optimizer, double lr)
{
    struct network *network = optimizer->network;
    struct update update = optimizer_count(optimizer, lr);
    if (optimizer->rule.clip > 0)
        op_clip(network->backend, optimizer->rule.clip, &network->gradients);
    if (update.kind == UPDATE_LARS)
        update_layers(optimizer, &update);
    else
        op_update(network->backend, &update, &network->weights, &network->gradients,
                  optimizer->first.at ? &optimizer->first : NULL, optimizer->second.at ? &optimizer->second : NULL);
}

/* --- checkpoints --- */

/* More steps than any trial takes; a count beyond it is no count of ours. */
static const int64_t most_steps = (int64_t)1 << 50;

/* Whose arrays they are: those of adam are adamw's, too. */
static uint32_t kept_kind(const struct optimizer *optimizer)
{
    enum optimizer_kind kind = optimizer->rule.kind;
    return kind == OPTIMIZER_ADAMW ? OPTIMIZER_ADAM : kind;
}

void optimizer_save(const struct optimizer *optimizer, struct pack_writer *out)
{
    uint32_t kept = kept_kind(optimizer);
    pack_add_bytes(out, &kept, sizeof kept);
    pack_add_bytes(out, &optimizer->steps, sizeof optimizer->steps);
    stored_add(optimizer->network->backend, &optimizer->first, out);
    stored_add(optimizer->network->backend, &optimizer->second, out);
}

void optimizer_load(struct optimizer *optimizer, struct pack_reader *in)
{
    uint32_t kept = 0;
    pack_take_bytes(in, &kept, sizeof kept);
    in->torn |= kept != kept_kind(optimizer);
    pack_take_bytes(in, &optimizer->steps, sizeof optimizer->steps);
    in->torn |= optimizer->steps < 0 || optimizer->steps > most_steps;
    stored_take(optimizer->network->backend, &optimizer->first, in);
    stored_take(optimizer->network->backend, &optimizer->second, in);
}

/* --- the mean of weights --- */

int average_init(struct average *average, double decay, struct network *network, struct err *err)
{
    *average = (struct average){.network = network, .decay = decay};
    if (allocate_like(network, decay > 0, &average->mean, err) ||
        allocate_like(network, decay > 0, &average->kept, err))
        return -1;
    if (decay > 0)
        op_copy(network->backend, &network->weights, &average->mean);
    return 0;
}

void average_fini(struct average *average)
{
    release_tensor(average->network, &average->mean);
    release_tensor(average->network, &average->kept);
    *average = (struct average){0};
}

double average_count(struct average *average)
{
    double t = (double)average->steps++;
    return fmin(average->decay, (1 + t) / (10 + t));
}

void average_update(struct average *average)
{
    double decay = average_count(average);
    if (average->mean.at)
        op_mix(average->network->backend, (float)(1 - decay), &average->network->weights, (float)decay, &average->mean);
}

void average_enter(struct average *average)
{
    if (!average->mean.at)
        return;
    op_copy(average->network->backend, &average->network->weights, &average->kept);
    op_copy(average->network->backend, &average->mean, &average->network->weights);
    network_weights_changed(average->network);
}

void average_leave(struct average *average)
{
    if (!average->mean.at)
        return;
    op_copy(average->network->backend, &average->kept, &average->network->weights);
    network_weights_changed(average->network);
}

void average_save(const struct average *average, struct pack_writer *out)
{
    pack_add_bytes(out, &average->steps, sizeof average->steps);
    stored_add(average->network->backend, &average->mean, out);
}

void average_load(struct average *average, struct pack_reader *in)
{
    pack_take_bytes(in, &average->steps, sizeof average->steps);
    in->torn |= average->steps < 0 || average->steps > most_steps;
    stored_take(average->network->backend, &average->mean, in);
}
