/* From records to sums; see records.h. */
#include "worker/cupti/records.h"

#include <string.h>

/* What a call took; a record without times, or with times that can't be, is lost. */
static void add_call(struct cupti_sums *sums, const char *name, uint64_t start, uint64_t end, uint64_t bytes)
{
    const uint64_t longest = UINT64_C(1) << 60, largest = UINT64_C(1) << 60;
    if (!start || end < start || end - start > longest || bytes > largest)
        sums->lost++;
    else
        sums_add(sums, name, end - start, bytes);
}

static const char *copy_name(uint32_t kind, uint8_t copy)
{
    if (kind == CUPTI_PEER_COPY || copy == CUPTI_PEER_TO_PEER)
        return "copy between GPUs";
    switch (copy) {
    case CUPTI_HOST_TO_DEVICE:
    case CUPTI_HOST_TO_ARRAY:
        return "copy to GPU";
    case CUPTI_DEVICE_TO_HOST:
    case CUPTI_ARRAY_TO_HOST:
        return "copy from GPU";
    case CUPTI_DEVICE_TO_DEVICE:
    case CUPTI_ARRAY_TO_ARRAY:
    case CUPTI_ARRAY_TO_DEVICE:
    case CUPTI_DEVICE_TO_ARRAY:
        return "copy within GPU";
    default:
        return "copy";
    }
}

static void add_kernel(const uint8_t *record, struct cupti_sums *sums)
{
    struct cupti_kernel kernel;
    char name[SHORT_NAME_LONGEST + 1];
    memcpy(&kernel, record, sizeof kernel);
    short_name(kernel.name, name);
    add_call(sums, name, kernel.start, kernel.end, 0);
}

static void add_copy(const uint8_t *record, struct cupti_sums *sums)
{
    struct cupti_copy copy;
    memcpy(&copy, record, sizeof copy);
    add_call(sums, copy_name(copy.kind, copy.copy), copy.start, copy.end, copy.bytes);
}

static void add_set(const uint8_t *record, struct cupti_sums *sums)
{
    struct cupti_set set;
    memcpy(&set, record, sizeof set);
    add_call(sums, "memset", set.start, set.end, set.bytes);
}

/* By the kind of a record: how long its beginning is, and what adds it. */
static const struct record_reader {
    uint32_t kind;
    size_t bytes;
    void (*add)(const uint8_t *record, struct cupti_sums *sums);
} readers[] = {
    {CUPTI_CONCURRENT_KERNEL, sizeof(struct cupti_kernel), add_kernel},
    {CUPTI_KERNEL, sizeof(struct cupti_kernel), add_kernel},
    {CUPTI_COPY, sizeof(struct cupti_copy), add_copy},
    {CUPTI_PEER_COPY, sizeof(struct cupti_copy), add_copy},
    {CUPTI_SET, sizeof(struct cupti_set), add_set},
};

/* false: it is damaged. */
static bool add_record(const uint8_t *record, size_t room, struct cupti_sums *sums)
{
    uint32_t kind;
    if (room < sizeof kind)
        return false;
    memcpy(&kind, record, sizeof kind);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].kind == kind) {
            if (room < readers[i].bytes)
                return false;
            readers[i].add(record, sums);
        }
    return true;
}

void records_add(const struct cupti *cupti, uint8_t *buffer, size_t used, struct cupti_sums *sums)
{
    void *record = NULL;
    const uint8_t *last = NULL, *end = buffer + used;
    while (used && cupti->next_record(buffer, used, &record) == 0) {
        const uint8_t *at = record;
        bool is_in = at >= buffer && at < end && (!last || at > last);
        if (!is_in || !add_record(at, (size_t)(end - at), sums)) {
            sums->lost++;
            return;
        }
        last = at;
    }
}
