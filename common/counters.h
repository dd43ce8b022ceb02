/* Counters of a process. A module declares what it counts as the rows of a table and gets a plain struct of numbers,
 * which it adds to; the process hangs the structs into a tree; status, the log and tests read the tree. Counting is an
 * addition: no call, no lock. The numbers of a tree belong to the thread that reads it.
 *
 *     #define LISTENER_COUNTS(X)                                             \
 *         X(U64, opened, "times", "the listener was opened")                 \
 *         X(F64, longest, "seconds", "the longest that it was open")
 *     struct listener_counts { LISTENER_COUNTS(COUNTER_FIELD) };
 *     #define ROW(type, name, unit, help) COUNTER_ROW(struct listener_counts, type, name, unit, help)
 *     static const struct counter rows[] = {LISTENER_COUNTS(ROW)};
 *     counters_add(tree, COUNTERS_NODE("coordinator.listener", rows, &listener->counts)); */
#ifndef GANNET_COMMON_COUNTERS_H
#define GANNET_COMMON_COUNTERS_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER_TYPE_U64 uint64_t
#define COUNTER_TYPE_F64 double

#define COUNTER_FIELD(type, name, unit, help) COUNTER_TYPE_##type name;
#define COUNTER_ROW(owner, type_, name_, unit_, help_)                                                                 \
    {.name = #name_, .unit = (unit_), .help = (help_), .type = COUNTER_##type_, .offset = offsetof(owner, name_)},

enum counter_type { COUNTER_U64, COUNTER_F64 };

/* One number. */
struct counter {
    const char *name, *unit, *help;
    enum counter_type type;
    size_t offset; /* in the struct of values */
};

/* The numbers of one module. */
struct counters_node {
    const char *path; /* "store", "core.events" */
    const struct counter *rows;
    size_t count;
    const void *values;             /* the struct */
    void (*refresh)(void *context); /* called before the numbers are read, where some have to be fetched; or NULL */
    void *context;
};

#define COUNTERS_NODE(path_, rows_, values_)                                                                           \
    (&(struct counters_node){                                                                                          \
        .path = (path_), .rows = (rows_), .count = sizeof(rows_) / sizeof *(rows_), .values = (values_)})

/* The tree: nodes in the order in which they were added. {0} is an empty one. Several nodes may have the same path;
 * one of the path "core.events" lies within "core". What a node points at lives as long as the tree. */
struct counters {
    struct counters_node *nodes;
    size_t count, capacity;
};

void counters_fini(struct counters *tree);
void counters_add(struct counters *tree, const struct counters_node *node);

/* The tree as JSON: {"store": {"commits": 12, ...}, "core": {"events": {...}}}. */
json_t *counters_encode(const struct counters *tree);

/* Calls `visit` with a line for people for each node, without its zeros: "store: commits 12, longest_commit 0.004". */
void counters_print(const struct counters *tree, void (*visit)(const char *line));

#endif
