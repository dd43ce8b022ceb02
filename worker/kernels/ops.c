/* Which implementation of the operations a build uses; see ops.h. */
#include "worker/kernels/ops.h"

const struct ops *ops_best(void)
{
#ifdef HAVE_ONEDNN
    return &ops_dnnl;
#else
    return &ops_ref;
#endif
}
