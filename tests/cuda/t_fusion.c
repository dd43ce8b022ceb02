/* Trials that train together on a GPU, on the pretended CUDA: each does what it does alone, to rounding. The claims of
 * tests/kernels/t_fusion.c, with a data set of a few examples, since each load and store of device code is checked. */
#define FEW_EXAMPLES
#include "tests/kernels/t_fusion.c"
