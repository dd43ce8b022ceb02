/* Training that ends by itself; see patience.h. */
#include "worker/nn/patience.h"

/* What is saved. */
struct saved_patience {
    double best;
    int64_t since, seen;
};

bool patience_ends(struct patience *patience, double value)
{
    bool better = !patience->seen || (patience->larger ? value > patience->best : value < patience->best);
    patience->seen = true;
    patience->best = better ? value : patience->best;
    patience->since = better ? 0 : patience->since + 1;
    return patience->epochs > 0 && patience->since >= patience->epochs;
}

void patience_save(const struct patience *patience, struct pack_writer *out)
{
    struct saved_patience saved = {patience->best, patience->since, patience->seen};
    pack_add_bytes(out, &saved, sizeof saved);
}

void patience_load(struct patience *patience, struct pack_reader *in)
{
    struct saved_patience saved = {0};
    if (!pack_take_bytes(in, &saved, sizeof saved))
        return;
    in->torn |= saved.since < 0;
    patience->best = saved.best;
    patience->seen = saved.seen != 0;
    patience->since = patience->epochs > 0 && saved.since >= patience->epochs ? 0 : saved.since;
}
