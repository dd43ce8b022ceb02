/* Counting stacks; see stacks.h. */
#include "cli/flame/stacks.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* No deeper than STACKS_DEEPEST. */
static void free_nodes(struct stack_node *node)
{
    while (node) {
        struct stack_node *next = node->next;
        free_nodes(node->child);
        free(node->name);
        free(node);
        node = next;
    }
}

void stacks_fini(struct stacks *stacks)
{
    free_nodes(stacks->root.child);
    *stacks = (struct stacks){0};
}

/* The node of a function below its caller, a new one when it was not called before; NULL: there are enough. */
static struct stack_node *find_child(struct stacks *stacks, struct stack_node *caller, const struct stack_frame *frame)
{
    for (struct stack_node *node = caller->child; node; node = node->next)
        if (node->kind == frame->kind && strcmp(node->name, frame->name) == 0)
            return node;
    if (stacks->nodes == STACKS_MOST_NODES)
        return NULL;
    struct stack_node *node = mem_zero(1, sizeof *node);
    *node = (struct stack_node){.name = mem_text(frame->name), .kind = frame->kind, .next = caller->child};
    caller->child = node;
    stacks->nodes++;
    return node;
}

void stacks_add(struct stacks *stacks, const struct stack_frame *frames, size_t count)
{
    struct stack_node *node = &stacks->root, *next;
    node->total++;
    for (size_t i = 0; i < count && i < STACKS_DEEPEST && (next = find_child(stacks, node, &frames[i])); i++) {
        node = next;
        node->total++;
    }
    node->self++;
}

static uint32_t measure_depth(const struct stack_node *node)
{
    uint32_t deepest = 0;
    for (const struct stack_node *child = node->child; child; child = child->next) {
        uint32_t depth = 1 + measure_depth(child);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

uint32_t stacks_depth(const struct stacks *stacks)
{
    return measure_depth(&stacks->root);
}

/* A semicolon ends a frame, and a line break a stack. */
static void add_folded_name(const char *name, struct buf *out)
{
    for (; *name; name++) {
        char letter = *name;
        if (letter == ';')
            letter = ':';
        else if ((unsigned char)letter < ' ' || letter == 0x7f)
            letter = '?';
        buf_add(out, &letter, 1);
    }
}

static void write_node(const struct stack_node *node, struct buf *path, struct buf *out)
{
    size_t before = path->length;
    if (path->length)
        buf_text(path, ";");
    add_folded_name(node->name, path);
    if (node->self)
        buf_format(out, "%s %" PRIu64 "\n", buf_str(path), node->self);
    for (const struct stack_node *child = node->child; child; child = child->next)
        write_node(child, path, out);
    path->length = before;
    path->data[before] = '\0';
}

void stacks_write_folded(const struct stacks *stacks, struct buf *out)
{
    struct buf path = {0};
    for (const struct stack_node *child = stacks->root.child; child; child = child->next)
        write_node(child, &path, out);
    buf_fini(&path);
}
