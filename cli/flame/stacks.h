/* Stacks that were seen and how often: a tree whose root is the whole, each node a function that those above it called.
 * Names come from anywhere and are kept as they are; who writes them makes them harmless. */
#ifndef GANNET_CLI_FLAME_STACKS_H
#define GANNET_CLI_FLAME_STACKS_H

#include "common/buf.h"

#include <stdint.h>

/* What a frame is, each with its colour: X(id, words of the legend, colour). The colours are told apart by people who
 * see red and green alike (Okabe and Ito). */
#define FRAME_KINDS(X)                                                                                                 \
    X(PROCESS, "process", "#bbbbbb")                                                                                   \
    X(PROGRAM, "program", "#e69f00")                                                                                   \
    X(LIBRARY, "library", "#f0e442")                                                                                   \
    X(PYTHON, "Python", "#56b4e9")                                                                                     \
    X(UNKNOWN, "no name", "#dddddd")

enum frame_kind {
#define X(id, words, colour) FRAME_##id,
    FRAME_KINDS(X)
#undef X
        FRAME_KINDS_COUNT
};

enum {
    STACKS_DEEPEST = 512,      /* frames of a stack that are kept, from the root */
    STACKS_MOST_NODES = 100000 /* 10 MB; beyond these a stack counts for the last frame that has a node */
};

struct stack_frame {
    const char *name;
    enum frame_kind kind;
};

struct stack_node {
    char *name;
    enum frame_kind kind;
    uint64_t self, total;            /* samples that ended here; and those of what it called with them */
    struct stack_node *child, *next; /* the first function that it called; the next that its caller called */
};

struct stacks {
    struct stack_node root; /* "all", without a name */
    uint32_t nodes;
};

/* {0} is empty. */
void stacks_fini(struct stacks *stacks);

/* Counts a stack, its outermost frame first. */
void stacks_add(struct stacks *stacks, const struct stack_frame *frames, size_t count);

/* How many rows of frames there are above the root. */
uint32_t stacks_depth(const struct stacks *stacks);

/* Adds the form that other tools of flame graphs read: "process;main;work 12" a line. */
void stacks_write_folded(const struct stacks *stacks, struct buf *out);

#endif
