/* Functions of which it is known how much of their variation each parameter causes; searched by a strategy for tests of
 * explanations. */
#ifndef GANNET_TESTS_KNOWN_H
#define GANNET_TESTS_KNOWN_H

#include "search/history/history.h"
#include "search/space.h"

enum { KNOWN_MOST = 8 };

struct known {
    const char *name;
    const char *space; /* as spaces_make takes it */
    double (*value)(const double *naturals);
    /* Shares of the variance over the space that a parameter causes by itself, and with all combinations that it is
     * part of (Sobol's first-order and total indices), in the order of the space's parameters. */
    double alone[KNOWN_MOST], together[KNOWN_MOST];
};

extern const struct known known_functions[];
extern const uint32_t known_count;

/* A function, and the trials of a search in it. */
struct known_search {
    struct space *space;
    struct gannet_problem *problem;
    struct history *history;
};

/* Searches with a built-in strategy; two trials are under way at a time. */
struct known_search known_search(const struct known *known, const char *strategy, uint64_t seed, uint32_t trials);
void known_search_end(struct known_search *search);

/* The value at a canonical point. */
double known_value(const struct known *known, const struct space *space, const double *unit);

#endif
