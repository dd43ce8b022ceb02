/* YAML text to a tree: the one place where libyaml is used. What libyaml leaves to its users is done here: YAML 1.2
 * scalars, duplicate keys, limits on depth and aliases, its errors in our words. */
#ifndef GANNET_SCHEDULER_SPEC_LOAD_H
#define GANNET_SCHEDULER_SPEC_LOAD_H

#include "scheduler/spec/tree.h"

enum {
    LOAD_DEPTH = 64,     /* levels, aliases filled in: far deeper than any experiment, shallow enough for recursion */
    LOAD_NODES = 200000, /* nodes, aliases filled in: ten times the largest table of choices that makes sense */
    LOAD_ANCHORS = 1000,
    LOAD_BYTES = 4 << 20 /* of the file */
};

/* Where a text comes from. */
struct load_source {
    const char *option;    /* the override it is the end of; NULL: it is a file */
    uint32_t column_shift; /* characters of the override before it */
};

/* Reads `length` bytes, ended by a zero, into *tree, which the caller frees in any case with tree_fini. False when the
 * text is no YAML or goes beyond a limit; other problems are reported and the tree goes on without what they concern.
 */
bool load_tree(const char *text, size_t length, struct load_source source, struct tree *tree,
               struct problems *problems);

/* --- libyaml's complaints in words that say what to do (syntax.c) --- */

/* A complaint, or what libyaml was reading at the time, and where. */
struct syntax_place {
    const char *what; /* libyaml's words; "" when there are none */
    struct source_mark mark;
    char byte; /* of the text there; 0: behind its end */
};

/* Reports that a text is no YAML. `context` is what was being read when the problem came up. */
void syntax_report(struct problems *problems, struct syntax_place problem, struct syntax_place context);

#endif
