/* Test functions for minimisers, with domain and known minimum: what the kernel synth computes. */
#ifndef GANNET_COMMON_TEST_FUNCTIONS_H
#define GANNET_COMMON_TEST_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Where a coordinate lies. */
struct function_range {
    double low, high;
    bool whole; /* integers: numbers of choices, mostly */
};

/* One function of the coordinates x1 .. xd. */
struct function {
    const char *name;
    size_t least, most;                  /* how many coordinates it takes */
    double low, high;                    /* the usual domain of every coordinate */
    const struct function_range *ranges; /* that of each, `most` of them, where they differ; else NULL */
    bool gaps; /* coordinates that don't count at the others' values may be missing, and are NaN */
    double (*value)(const double *x, size_t d);
    const double *at;   /* where the minimum is, `most` coordinates; NULL: at `all` in every coordinate */
    double all;         /* used when `at` is NULL */
    double minimum;     /* the least value; NaN: what value() is there */
    double minimum_per; /* added to the minimum for each coordinate */
    const char *source; /* who proposed it */
};

/* All functions; a row without a name ends them. */
extern const struct function function_list[];

/* The function of that name, or NULL. */
const struct function *function_find(const char *name);

/* The usual domain of coordinate i, from 0. */
struct function_range function_domain(const struct function *function, size_t i);

/* The least value in d dimensions; its coordinates into x[d]. */
double function_minimum(const struct function *function, size_t d, double *x);

#endif
