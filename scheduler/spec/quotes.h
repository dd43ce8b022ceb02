/* Placeholders that stand in quotes of a shell, "${params.c}", although their values are quoted when they are filled
 * in: the program would get a value with quotes of its own, or in pieces. */
#ifndef GANNET_SCHEDULER_SPEC_QUOTES_H
#define GANNET_SCHEDULER_SPEC_QUOTES_H

#include "scheduler/spec/problem.h"
#include "scheduler/spec/tree.h"

/* Warns of those in the text for a shell whose values, by the map `parameters`, would come out as others. */
void quotes_check(struct problems *problems, const struct node *text, const struct node *parameters);

#endif
