/* The backends of gannet-trainer. Programs with more of them have a list of their own, with which this one is not
 * linked: worker/backend/cuda/list.c. */
#include "worker/backend/backend.h"

const struct backend_kind *const backend_list[] = {
#ifdef HAVE_ONEDNN
    &backend_onednn,
#endif
    &backend_ref,
    NULL,
};
