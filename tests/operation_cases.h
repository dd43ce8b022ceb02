/* Every operation on random shapes: what a backend is compared by. */
#ifndef GANNET_TESTS_OPERATION_CASES_H
#define GANNET_TESTS_OPERATION_CASES_H

#include "tests/tensors.h"

struct operation_case {
    const char *name;
    /* Draws shapes and numbers from the tensors' seed, runs the operations and adds their results. `type` is that of
     * the tensors that may be BF16. */
    void (*run)(struct tensors *tensors, enum tensor_type type);
    bool narrow;   /* may be BF16 */
    double within; /* largest difference from the reference beside numbers of size 1, with F32 */
};

/* NULL names end it. */
extern const struct operation_case operation_cases[];

#endif
