/* Searches for tests. */
#ifndef GANNET_TESTS_SEARCHES_H
#define GANNET_TESTS_SEARCHES_H

#include "search/searcher.h"
#include "tests/spaces.h"

/* What spaces_make takes, and how it is searched. */
struct search {
    const char *space, *constraint; /* the constraint may be NULL */
    const char *strategy;           /* a built-in one, or the name of a plug-in of plugins/ or tests/plugins/ */
    const char *options;            /* JSON with ' for ", or NULL */
    const char *start[4];           /* start points, likewise */
    bool repeat;
    const struct searcher_past *past; /* trials of earlier experiments, ended by one without params, or NULL */
    uint32_t objectives, limits;
    uint64_t max_steps;
    bool can_continue;
};

/* Where the build put the plug-in of that name; valid until the next call. */
const char *searches_plugin(const char *name);

/* A searcher on a space made already; the seed is given too. NULL with a sentence. */
struct searcher *searches_try(const struct search *search, const struct space *space, uint64_t seed, struct err *err);

/* The same; the test fails when it can't be made. */
struct searcher *searches_make(const struct search *search, const struct space *space, uint64_t seed);

/* The proposal for a trial as JSON with ' for ", or "no more", "later" or "broken: sentence". free() it. */
char *searches_ask(struct searcher *searcher, uint64_t trial);

/* The point of the proposal for a trial; the test fails when there is none, or none of the space. */
void searches_point(struct searcher *searcher, const struct space *space, uint64_t trial, double *unit);

#endif
