/* An experiment file as a tree: what YAML said and where each word stood, nothing checked yet. */
#ifndef GANNET_SCHEDULER_SPEC_TREE_H
#define GANNET_SCHEDULER_SPEC_TREE_H

#include "scheduler/spec/problem.h"
#include "scheduler/spec/scalar.h"
#include "common/arena.h"
#include "common/value.h"

#include <jansson.h>

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

/* A part of the tree. Aliases share nodes, so a node may have several parents; nothing is its own descendant. */
struct node {
    enum node_kind kind;
    struct source_mark mark;
    const char *text;      /* SCALAR: without quotes and escapes; as written when `plain` */
    struct scalar scalar;  /* SCALAR: what it is */
    bool plain;            /* SCALAR: written without quotes */
    bool on_one_line;      /* SCALAR: `text` stands in the file as it is, from mark.column (plus 1 when quoted) on */
    struct entry *entries; /* LIST, MAP */
    uint32_t count;
    uint32_t height; /* levels below it */
    size_t weight;   /* nodes in it, itself included, shared ones each time */
};

/* One item of a list (without key) or one key of a map with its value. */
struct entry {
    const char *key;
    struct source_mark mark; /* of the key */
    struct node *node;
};

struct tree {
    struct arena memory;
    struct node *root; /* NULL: the text held nothing */
};

void tree_fini(struct tree *tree); /* {0} is fine */

/* The value of a key; NULL when the node is NULL, no map, or has no such key. */
struct node *node_find(const struct node *map, const char *key);
const struct entry *node_entry(const struct node *map, const char *key);

bool node_is(const struct node *node, enum scalar_kind kind);

/* An int or a real, and its value. */
bool node_number(const struct node *node, double *number);

/* What it is, for sentences: "a list", "the text 'many'", "the number 3". */
struct node_shown {
    char text[64];
};
struct node_shown node_show(const struct node *node);

/* A scalar, or a list of scalars and lists, as a value; -1 with a sentence for maps, infinities, NaN and whole numbers
 * that are too large. */
int node_value(const struct node *node, struct value *out, struct err *err);

/* The whole node as JSON; NULL with a sentence, and the node that can't be, for what JSON has no word for. */
json_t *node_json(const struct node *node, const struct node **culprit, struct err *err);

/* The mark of `length` characters from the character `index` (both in bytes of `text`) of a text; of the whole text
 * when its characters don't stand in the file as they are. */
struct source_mark node_mark_within(const struct node *node, size_t index, size_t length);

#endif
