/* Queues whose items have sizes; see fitqueue.h. */
#include "common/fitqueue.h"

#include "common/rng.h"

#include <assert.h>
#include <math.h>

void fitqueue_init(struct fitqueue *queue, uint64_t *visits)
{
    *queue = (struct fitqueue){.visits = visits};
    list_init(&queue->list);
}

static struct fitqueue_item *earlier_item(struct fitqueue_item *a, struct fitqueue_item *b)
{
    return !a || (b && b->place < a->place) ? b : a;
}

/* --- the tree --- */

static bool is_before(const struct fitqueue_item *a, const struct fitqueue_item *b)
{
    return a->size < b->size || (!(b->size < a->size) && a->place < b->place);
}

/* Any fixed function of the place that looks random keeps the tree flat. */
static uint64_t priority_of(const struct fitqueue_item *item)
{
    return rng_mix((uint64_t)item->place, 0);
}

static uint32_t count_of(const struct fitqueue_item *tree)
{
    return tree ? tree->count : 0;
}

/* The node after its children have changed. */
static struct fitqueue_item *refresh_node(struct fitqueue_item *node)
{
    struct fitqueue_item *left = node->left, *right = node->right;
    ++*node->queue->visits;
    node->count = 1 + count_of(left) + count_of(right);
    node->first = earlier_item(node, earlier_item(left ? left->first : NULL, right ? right->first : NULL));
    return node;
}

/* Divides the tree into what comes before the item and what comes behind it. */
static void split_tree(struct fitqueue_item *tree, const struct fitqueue_item *at, struct fitqueue_item **before,
                       struct fitqueue_item **behind)
{
    if (!tree) {
        *before = *behind = NULL;
    } else if (is_before(tree, at)) {
        *before = tree;
        split_tree(tree->right, at, &tree->right, behind);
        refresh_node(tree);
    } else {
        *behind = tree;
        split_tree(tree->left, at, before, &tree->left);
        refresh_node(tree);
    }
}

static struct fitqueue_item *merge_trees(struct fitqueue_item *left, struct fitqueue_item *right)
{
    if (!left || !right)
        return left ? left : right;
    if (priority_of(left) > priority_of(right)) {
        left->right = merge_trees(left->right, right);
        return refresh_node(left);
    }
    right->left = merge_trees(left, right->left);
    return refresh_node(right);
}

static struct fitqueue_item *insert_node(struct fitqueue_item *tree, struct fitqueue_item *item)
{
    if (!tree || priority_of(item) > priority_of(tree)) {
        split_tree(tree, item, &item->left, &item->right);
        return refresh_node(item);
    }
    struct fitqueue_item **side = is_before(item, tree) ? &tree->left : &tree->right;
    *side = insert_node(*side, item);
    return refresh_node(tree);
}

static struct fitqueue_item *remove_node(struct fitqueue_item *tree, const struct fitqueue_item *item)
{
    assert(tree);
    if (tree == item)
        return merge_trees(tree->left, tree->right);
    struct fitqueue_item **side = is_before(item, tree) ? &tree->left : &tree->right;
    *side = remove_node(*side, item);
    return refresh_node(tree);
}

/* --- the queue --- */

/* Puts an item that fits anywhere at one of the list's ends; false when its place is between others. */
static bool list_item(struct fitqueue *queue, struct fitqueue_item *item)
{
    const struct list_link *first = queue->list.after, *last = queue->list.before;
    bool empty = list_is_empty(&queue->list);
    if (empty || LIST_ITEM(last, const struct fitqueue_item, link)->place < item->place)
        list_append(&queue->list, &item->link);
    else if (LIST_ITEM(first, const struct fitqueue_item, link)->place > item->place)
        list_prepend(&queue->list, &item->link);
    else
        return false;
    return true;
}

void fitqueue_add(struct fitqueue *queue, struct fitqueue_item *item, double size, int64_t place)
{
    assert(!item->queue && !isnan(size));
    *item = (struct fitqueue_item){.queue = queue, .size = size, .place = place};
    ++*queue->visits;
    if (size > -INFINITY || !list_item(queue, item))
        queue->tree = insert_node(queue->tree, item);
    queue->count++;
}

void fitqueue_remove(struct fitqueue_item *item)
{
    struct fitqueue *queue = item->queue;
    if (!queue)
        return;
    ++*queue->visits;
    if (list_has(&item->link))
        list_remove(&item->link);
    else
        queue->tree = remove_node(queue->tree, item);
    queue->count--;
    *item = (struct fitqueue_item){0};
}

void fitqueue_resize(struct fitqueue_item *item, double size)
{
    struct fitqueue *queue = item->queue;
    int64_t place = item->place;
    if (!(size < item->size) && !(item->size < size))
        return;
    fitqueue_remove(item);
    fitqueue_add(queue, item, size, place);
}

/* --- questions --- */

static struct fitqueue_item *first_listed(const struct fitqueue *queue)
{
    struct list_link *first = list_first(&queue->list);
    return first ? LIST_ITEM(first, struct fitqueue_item, link) : NULL;
}

struct fitqueue_item *fitqueue_first(const struct fitqueue *queue, double capacity)
{
    struct fitqueue_item *best = first_listed(queue);
    for (struct fitqueue_item *node = queue->tree; node;) {
        ++*queue->visits;
        if (node->size <= capacity) {
            best = earlier_item(best, node);
            best = earlier_item(best, node->left ? node->left->first : NULL);
            node = node->right;
        } else {
            node = node->left;
        }
    }
    return best;
}

size_t fitqueue_count_above(const struct fitqueue *queue, double capacity)
{
    size_t count = 0;
    for (const struct fitqueue_item *node = queue->tree; node;) {
        ++*queue->visits;
        if (node->size <= capacity) {
            node = node->right;
        } else {
            count += 1 + count_of(node->right);
            node = node->left;
        }
    }
    return count;
}

struct fitqueue_item *fitqueue_smallest(const struct fitqueue *queue)
{
    struct fitqueue_item *least = first_listed(queue);
    for (struct fitqueue_item *node = least ? NULL : queue->tree; node; node = node->left) {
        ++*queue->visits;
        least = node;
    }
    return least;
}

struct fitqueue_item *fitqueue_largest(const struct fitqueue *queue)
{
    struct fitqueue_item *most = queue->tree ? NULL : first_listed(queue);
    for (struct fitqueue_item *node = queue->tree; node; node = node->right) {
        ++*queue->visits;
        most = node;
    }
    return most;
}
