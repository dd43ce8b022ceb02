/* Test functions with choices and conditions among their coordinates, for the table in test_functions.c. A choice is a
 * whole number from 0; what lies beyond is taken as the nearest. */
#ifndef GANNET_COMMON_TEST_FUNCTIONS_MIXED_H
#define GANNET_COMMON_TEST_FUNCTIONS_MIXED_H

#include "common/test_functions.h"

#define CAMEL_LEAST -1.0316284534898774 /* the least value of six_hump_camel */

/* Sums of functions that x1 and x2 choose; of x3 and x4. */
double choices2(const double *x, size_t d);
extern const struct function_range choices2_ranges[];
extern const double choices2_at[];

/* The same with a third choice, which weighs most; of x4 and x5. */
double choices3(const double *x, size_t d);
extern const struct function_range choices3_ranges[];
extern const double choices3_at[];

/* A tree of conditions: x1 chooses between x2 and x3, and these between x4, x5 and x6, x7; x8 counts when x1 is 0, x9
 * when it is 1. */
double tree(const double *x, size_t d);
extern const struct function_range tree_ranges[];
extern const double tree_at[];

/* The choice of one of four algorithms with its own parameters: x1 = 0: x2 and x3; 1: x4 to x6; 2: x7 to x10; 3: x11 to
 * x13. */
double algorithms(const double *x, size_t d);
extern const struct function_range algorithms_ranges[];
extern const double algorithms_at[];

#endif
