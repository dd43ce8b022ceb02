/* Which values of a parameter go with which verdicts: the one place at which a division of the trials says most about
 * what bounded them, by information gain (Quinlan 1986, "Induction of decision trees"). Pure. */
#ifndef GANNET_SCHEDULER_VERDICT_DIVISION_H
#define GANNET_SCHEDULER_VERDICT_DIVISION_H

#include "scheduler/verdict/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum { DIVISION_LEAST = 8 /* trials on each side */ };

/* A trial: what bounded it, and its value of a parameter; of a parameter of names the name's number. */
struct division_trial {
    enum verdict_kind verdict;
    double value;
};

struct division {
    double gain;                        /* bits */
    double value;                       /* `here` are values below it; of names those that are it */
    enum verdict_kind verdict;          /* whose share differs most between the sides */
    size_t here, there;                 /* trials on each side, */
    size_t bounded_here, bounded_there; /* and those with that verdict */
};

/* Sorts the trials by value. False: no division with DIVISION_LEAST trials a side says a tenth of a bit. */
bool division_find(struct division_trial *trials, size_t count, bool is_named, struct division *out);

#endif
