/* The rows of operation_cases that are about several networks at once (struct backend_stack). */
#ifndef GANNET_TESTS_STACK_CASES_H
#define GANNET_TESTS_STACK_CASES_H

#include "tests/tensors.h"

void stack_cases_dense(struct tensors *t, enum tensor_type type);
void stack_cases_batch(struct tensors *t, enum tensor_type type);  /* dropout and losses */
void stack_cases_update(struct tensors *t, enum tensor_type type); /* clipping, optimizers, the mean of weights */

#endif
