/* Whether what worker/cupti/cupti.h declares is what NVIDIA's headers do: compiled alone, where these are (t379). */
#if __has_include(<cupti.h>)
#include <cupti.h>
#include <stddef.h>

#include "worker/cupti/cupti.h"

#define AT(theirs, field, ours, own)                                                                                   \
    _Static_assert(offsetof(theirs, field) == offsetof(struct ours, own), #theirs ": " #field);                        \
    _Static_assert(sizeof((theirs){0}.field) == sizeof((struct ours){0}.own), #theirs ": the size of " #field)

#define KERNEL(theirs)                                                                                                 \
    AT(theirs, kind, cupti_kernel, kind);                                                                              \
    AT(theirs, registersPerThread, cupti_kernel, registers);                                                           \
    AT(theirs, start, cupti_kernel, start);                                                                            \
    AT(theirs, end, cupti_kernel, end);                                                                                \
    AT(theirs, deviceId, cupti_kernel, device);                                                                        \
    AT(theirs, correlationId, cupti_kernel, correlation);                                                              \
    AT(theirs, gridId, cupti_kernel, grid_id);                                                                         \
    AT(theirs, name, cupti_kernel, name);                                                                              \
    _Static_assert(sizeof(theirs) >= sizeof(struct cupti_kernel), #theirs " is shorter")

#define COPY(theirs)                                                                                                   \
    AT(theirs, kind, cupti_copy, kind);                                                                                \
    AT(theirs, copyKind, cupti_copy, copy);                                                                            \
    AT(theirs, bytes, cupti_copy, bytes);                                                                              \
    AT(theirs, start, cupti_copy, start);                                                                              \
    AT(theirs, end, cupti_copy, end);                                                                                  \
    _Static_assert(sizeof(theirs) >= sizeof(struct cupti_copy), #theirs " is shorter")

#define SET(theirs)                                                                                                    \
    AT(theirs, kind, cupti_set, kind);                                                                                 \
    AT(theirs, bytes, cupti_set, bytes);                                                                               \
    AT(theirs, start, cupti_set, start);                                                                               \
    AT(theirs, end, cupti_set, end);                                                                                   \
    _Static_assert(sizeof(theirs) >= sizeof(struct cupti_set), #theirs " is shorter")

KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
COPY(CUpti_ActivityMemcpy);
COPY(CUpti_ActivityMemcpy3);
COPY(CUpti_ActivityMemcpy4);
COPY(CUpti_ActivityMemcpy5);
COPY(CUpti_ActivityMemcpyPtoP);
COPY(CUpti_ActivityMemcpyPtoP2);
COPY(CUpti_ActivityMemcpyPtoP3);
COPY(CUpti_ActivityMemcpyPtoP4);
SET(CUpti_ActivityMemset);
SET(CUpti_ActivityMemset2);
SET(CUpti_ActivityMemset3);
SET(CUpti_ActivityMemset4);
#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
COPY(CUpti_ActivityMemcpy6);
#endif

#define SAME(theirs, ours) _Static_assert((int)theirs == (int)ours, #theirs)

SAME(CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_COPY);
SAME(CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_SET);
SAME(CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_KERNEL);
SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_CONCURRENT_KERNEL);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_PEER_COPY);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_HOST_TO_DEVICE);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_DEVICE_TO_HOST);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, CUPTI_HOST_TO_ARRAY);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, CUPTI_ARRAY_TO_HOST);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, CUPTI_ARRAY_TO_ARRAY);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, CUPTI_ARRAY_TO_DEVICE);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, CUPTI_DEVICE_TO_ARRAY);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_DEVICE_TO_DEVICE);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CUPTI_HOST_TO_HOST);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, CUPTI_PEER_TO_PEER);
SAME(CUPTI_ERROR_NOT_COMPATIBLE, 14);
SAME(CUPTI_ERROR_NOT_INITIALIZED, 15);
SAME(CUPTI_ERROR_DISABLED, 23);
SAME(CUPTI_ERROR_NOT_SUPPORTED, 27);
SAME(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35);
SAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39);
SAME(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, 40);

/* Each function takes what ours takes, and gives as much. Enumerations are unsigned or int there, and as wide. */
#define TAKES(theirs, ...) static inline CUptiResult call_##theirs __VA_ARGS__
TAKES(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t used, void **record))
{
    return cuptiActivityGetNextRecord(buffer, used, (CUpti_Activity **)record);
}
TAKES(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *records))
{
    return cuptiActivityGetNumDroppedRecords(context, stream, records);
}
TAKES(cuptiActivityFlushAll, (uint32_t forced))
{
    return cuptiActivityFlushAll(forced);
}
TAKES(cuptiActivityFlushPeriod, (uint32_t milliseconds))
{
    return cuptiActivityFlushPeriod(milliseconds);
}
TAKES(cuptiGetResultString, (int result, const char **text))
{
    return cuptiGetResultString((CUptiResult)result, text);
}
static inline void take_callbacks(void)
{
    extern cupti_request ours;
    CUpti_BuffersCallbackRequestFunc theirs = ours;
    (void)theirs;
    (void)call_cuptiActivityGetNextRecord;
    (void)call_cuptiActivityGetNumDroppedRecords;
    (void)call_cuptiActivityFlushAll;
    (void)call_cuptiActivityFlushPeriod;
    (void)call_cuptiGetResultString;
}
_Static_assert(sizeof(CUptiResult) == sizeof(int) && sizeof(CUpti_ActivityKind) == sizeof(int), "enumerations");

__attribute__((unused)) static inline int use_all(void)
{
    take_callbacks();
    return 0;
}
#endif
