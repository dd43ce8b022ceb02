/* Evidence of a run by the names of its fields, for claims about verdicts. */
#ifndef GANNET_TESTS_VERDICT_GIVEN_H
#define GANNET_TESTS_VERDICT_GIVEN_H

#include "scheduler/verdict/verdict.h"

enum { MOST_GIVEN = 24 };

/* As {"data", 7}: a phase, or a number of struct verdict_evidence. The last one's name is NULL. */
struct given {
    const char *name;
    double value;
};

/* The verdict. Phases that are not named took no time, of other numbers nothing is known. */
struct verdict given_find(const struct given *given);

#endif
