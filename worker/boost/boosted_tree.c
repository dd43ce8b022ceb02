/* See tree.h. */
#include "worker/boost/boosted_tree.h"

#include <stdlib.h>

void boosted_tree_fini(struct boosted_tree *tree)
{
    free(tree->nodes);
    free(tree->values);
    *tree = (struct boosted_tree){0};
}

float boosted_tree_value(const struct boosted_tree *tree, const struct bins *bins, size_t row)
{
    int32_t at = tree->leaves > 1 ? 0 : ~0;
    while (at >= 0) {
        const struct boosted_node *node = &tree->nodes[at];
        uint8_t bin = bins_at(bins, row, node->input);
        bool left = bins_is_missing(bins, node->input, bin) ? node->missing_left : bin <= node->bin;
        at = left ? node->left : node->right;
    }
    return tree->values[~at];
}

void boosted_tree_predict(const struct boosted_tree *tree, const struct bins *bins, float *out)
{
    for (size_t n = 0; n < bins->count; n++)
        out[n] += boosted_tree_value(tree, bins, n);
}

/* A child comes behind its parent, so a walk from the root ends. */
static bool is_child_sound(const struct boosted_tree *tree, int32_t parent, int32_t child)
{
    return child < 0 ? (uint32_t)~child < tree->leaves : child > parent && (uint32_t)child < tree->leaves - 1;
}

bool boosted_tree_is_sound(const struct boosted_tree *tree, const struct bins *bins)
{
    for (uint32_t i = 0; i + 1 < tree->leaves; i++) {
        const struct boosted_node *node = &tree->nodes[i];
        if (node->input >= bins->inputs || !is_child_sound(tree, (int32_t)i, node->left) ||
            !is_child_sound(tree, (int32_t)i, node->right))
            return false;
    }
    return tree->leaves > 0;
}
