/* Sums of work on GPUs; see gpu_sums.h. */
#include "common/gpu_sums.h"

#include <string.h>

bool gpu_text_is_plain(const char *text, size_t longest)
{
    size_t length = 0;
    for (; text && text[length]; length++)
        if (length == longest || text[length] < ' ' || text[length] > '~' || strchr("\"\\", text[length]))
            return false;
    return length > 0;
}

bool gpu_sum_is_sane(const struct msg_gpu_sum *sum)
{
    return gpu_text_is_plain(sum->name, GPU_NAME_LONGEST) && sum->calls && sum->bytes >= 0 && sum->min >= 0 &&
           sum->min <= sum->max && sum->max <= sum->seconds;
}
