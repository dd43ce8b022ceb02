/* The backend of GPUs beside the plain loops, on the pretended CUDA: the claims of tests/kernels/t_backend.c with fewer
 * shapes a case, since each load and store of device code is checked, which takes a hundred times as long. */
#define ROUNDS   2
#define REPEATS  2
#define ODD_ONES 3
#include "tests/kernels/t_backend.c"
