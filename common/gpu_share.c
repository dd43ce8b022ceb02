/* Parts of GPUs; see gpu_share.h. */
#include "common/gpu_share.h"

#include <math.h>
#include <stdio.h>

uint32_t gpu_share_slots(double gpus)
{
    static const double rounding = 1e-9; /* of 1 / 0.01 */
    if (!(gpus >= 0) || gpus > UINT32_MAX)
        return 0;
    if (gpus == floor(gpus))
        return 1;
    double slots = floor(1 / gpus + rounding);
    return slots >= 2 && slots <= GPU_SHARE_MOST ? (uint32_t)slots : 0;
}

const char *gpu_share_words(uint32_t slots, char *out, size_t size)
{
    if (slots > 3)
        snprintf(out, size, "1/%u of ", slots);
    else
        snprintf(out, size, "%s", slots == 3 ? "a third of " : slots == 2 ? "half of " : "");
    return out;
}
