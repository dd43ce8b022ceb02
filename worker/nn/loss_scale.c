/* Loss scaling; see loss_scale.h. */
#include "worker/nn/loss_scale.h"

#include <float.h>
#include <math.h>

/* A dynamic factor stays between them: beyond the first, gradients in F32 or BF16 would never overflow and the factor
 * grow until it does; below the second nothing is left of them. */
static const double most_factor = 16777216, least_factor = 1 / 16777216.0;

/* What is saved. */
struct saved_loss_scale {
    double factor;
    int64_t kind; /* enum loss_scale_kind */
    int64_t good, skipped;
};

static void set_factor(struct loss_scale *scale, double factor)
{
    scale->factor = factor;
    scale->network->larger = (float)factor;
}

int loss_scale_init(struct loss_scale *scale, const struct loss_scale_rule *rule, struct network *network,
                    struct err *err)
{
    struct backend *backend = network->backend;
    *scale = (struct loss_scale){.rule = *rule, .network = network, .finite = tensor_vector(TENSOR_I32, 1)};
    set_factor(scale, rule->kind == LOSS_SCALE_NONE ? 1 : rule->factor);
    if (rule->kind == LOSS_SCALE_NONE)
        return 0;
    scale->finite.at = backend_allocate(backend, tensor_bytes(&scale->finite), err);
    return scale->finite.at ? 0 : -1;
}

void loss_scale_fini(struct loss_scale *scale)
{
    if (scale->network)
        scale->network->backend->kind->release(scale->network->backend->self, scale->finite.at);
    *scale = (struct loss_scale){0};
}

/* Of dynamic. A factor changed less than `interval` steps ago stays. */
static void adapt_factor(struct loss_scale *scale, bool finite)
{
    if (!finite)
        set_factor(scale, fmax(scale->factor / 2, least_factor));
    else if (scale->good >= scale->rule.interval && scale->factor < most_factor)
        set_factor(scale, scale->factor * 2);
    else
        return;
    scale->good = 0;
}

bool loss_scale_undo(struct loss_scale *scale)
{
    struct network *network = scale->network;
    int32_t finite = 1;
    if (scale->rule.kind == LOSS_SCALE_NONE)
        return true;
    op_scale(network->backend, (float)(1 / scale->factor), &network->gradients, &scale->finite);
    op_download(network->backend, &scale->finite, &finite);
    scale->good = finite ? scale->good + 1 : 0;
    scale->skipped = finite ? 0 : scale->skipped + 1;
    if (scale->rule.kind == LOSS_SCALE_DYNAMIC)
        adapt_factor(scale, finite);
    return finite;
}

int loss_scale_check(const struct loss_scale *scale, struct err *err)
{
    if (scale->skipped < LOSS_SCALE_MOST_SKIPPED)
        return 0;
    return err_set(err,
                   "gradients were not finite in %lld batches in a row, the last with a loss scale of %g; a smaller "
                   "loss_scale_factor, learning rate or clip may help",
                   (long long)scale->skipped, scale->factor);
}

/* --- checkpoints --- */

void loss_scale_save(const struct loss_scale *scale, struct pack_writer *out)
{
    struct saved_loss_scale saved = {scale->factor, (int64_t)scale->rule.kind, scale->good, scale->skipped};
    pack_add_bytes(out, &saved, sizeof saved);
}

/* A trial that goes on with another rule begins it anew. */
void loss_scale_load(struct loss_scale *scale, struct pack_reader *in)
{
    struct saved_loss_scale saved = {0};
    if (!pack_take_bytes(in, &saved, sizeof saved))
        return;
    in->torn |= !(saved.factor >= least_factor && saved.factor <= (double)FLT_MAX);
    if (in->torn || saved.kind != (int64_t)scale->rule.kind)
        return;
    if (scale->rule.kind == LOSS_SCALE_DYNAMIC)
        set_factor(scale, saved.factor);
    scale->good = saved.good;
    scale->skipped = saved.skipped;
}
