/* Which implementation of the operations a build uses, and how the processor is set; see ops.h. */
#include "worker/kernels/ops.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

const struct ops *ops_best(void)
{
#ifdef HAVE_ONEDNN
    return &ops_dnnl;
#else
    return &ops_ref;
#endif
}

void ops_flush_tiny(void)
{
#if defined(__SSE2__)
    enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 }; /* of results; of operands */
    _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#elif defined(__aarch64__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ul << 24)); /* FZ, both at once */
#endif
}
