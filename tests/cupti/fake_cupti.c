/* A libcupti.so.13 for tests: hands out records as CUPTI does, and as a damaged one might. fake_play makes them, by a
 * word:
 *
 *     plain      kernels of two names (one of C++), copies in both directions, a memset
 *     damaged    what no CUPTI should hand out, with good records around it
 *     many       kernels of 400 names
 *     dropped    a good record, and three that were dropped
 *     threads    1,000 kernels from each of four threads
 *     late       a record that is handed out when the program ends
 *
 * FAKE_CUPTI_REFUSES=35 has cuptiActivityEnable refuse with that result. */
#include "worker/cupti/cupti.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records are as long as CUPTI's own, which have more behind what is read. */
enum { RECORD_BYTES = 208, UNKNOWN_KIND = 47 };

static cupti_request *request;
static cupti_complete *complete;
static size_t dropped_now;
static bool is_late, records_outside;
static int enabled[64];

int cuptiActivityRegisterCallbacks(cupti_request *asks, cupti_complete *takes);
int cuptiActivityEnable(int kind);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record);
int cuptiActivityFlushAll(uint32_t forced);
int cuptiActivityFlushPeriod(uint32_t milliseconds);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *records);
int cuptiGetResultString(int result, const char **text);
int fake_play(const char *what);

int cuptiActivityRegisterCallbacks(cupti_request *asks, cupti_complete *takes)
{
    request = asks;
    complete = takes;
    return 0;
}

int cuptiActivityEnable(int kind)
{
    const char *refuses = getenv("FAKE_CUPTI_REFUSES");
    enabled[kind & 63] = !refuses;
    return refuses ? atoi(refuses) : 0;
}

/* CUPTI_ERROR_MAX_LIMIT_REACHED at the end, as there. It does not look whether the last record is whole. */
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + RECORD_BYTES : buffer;
    if (records_outside)
        next = buffer + (1 << 24);
    else if (next >= buffer + used)
        return 12;
    *record = next;
    return 0;
}

int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    return milliseconds == 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *records)
{
    (void)context;
    (void)stream;
    *records = dropped_now;
    dropped_now = 0;
    return 0;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = "CUPTI_ERROR_\"OF_A_TEST\\\n";
    return result == 1000;
}

/* --- records --- */

struct batch {
    uint8_t *buffer;
    size_t bytes, used;
};

static void begin(struct batch *batch)
{
    size_t records;
    batch->used = 0;
    request(&batch->buffer, &batch->bytes, &records);
}

static uint8_t *next(struct batch *batch)
{
    uint8_t *at = batch->buffer + batch->used;
    memset(at, 0, RECORD_BYTES);
    batch->used += RECORD_BYTES;
    return at;
}

static void end(struct batch *batch)
{
    complete(NULL, 0, batch->buffer, batch->bytes, batch->used);
}

static void add_kernel(struct batch *batch, const char *name, uint64_t start, uint64_t stop)
{
    struct cupti_kernel kernel = {.kind = CUPTI_CONCURRENT_KERNEL, .start = start, .end = stop, .name = name};
    memcpy(next(batch), &kernel, sizeof kernel);
}

static void add_copy(struct batch *batch, uint8_t which, uint64_t bytes, uint64_t nanoseconds)
{
    struct cupti_copy copy = {
        .kind = CUPTI_COPY, .copy = which, .bytes = bytes, .start = 5000, .end = 5000 + nanoseconds};
    memcpy(next(batch), &copy, sizeof copy);
}

static void play_plain(void)
{
    struct batch batch;
    struct cupti_set set = {.kind = CUPTI_SET, .bytes = 4096, .start = 100, .end = 300};
    begin(&batch);
    add_kernel(&batch, "ampere_sgemm_128x64_nn", 1000000, 4000000);
    add_kernel(&batch, "ampere_sgemm_128x64_nn", 5000000, 6000000);
    add_kernel(&batch, "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEvi", 7000000, 7500000);
    add_copy(&batch, CUPTI_HOST_TO_DEVICE, 3000000, 400000);
    add_copy(&batch, CUPTI_DEVICE_TO_HOST, 8, 1000);
    memcpy(next(&batch), &set, sizeof set);
    end(&batch);
}

static void play_damaged(void)
{
    static char longest[5000];
    struct batch batch;
    uint32_t unknown = UNKNOWN_KIND;
    begin(&batch);
    end(&batch); /* none in it */
    begin(&batch);
    memcpy(next(&batch), &unknown, sizeof unknown);
    add_kernel(&batch, "good", 1000, 2000);
    add_kernel(&batch, "good", 0, 0);       /* its times are not known */
    add_kernel(&batch, "good", 2000, 1000); /* nor can these be */
    add_kernel(&batch, NULL, 1000, 1001);
    add_kernel(&batch, "evil\",1],[\"\x1b[31m\n\\u0000", 1000, 1002);
    memset(longest, 'x', sizeof longest - 1);
    add_kernel(&batch, longest, 1000, 1003);
    add_kernel(&batch, "_ZN99999999999999999999kernelEv", 1000, 1004);
    add_kernel(&batch, "short", 1000, 2000);
    batch.used -= RECORD_BYTES - 20; /* the last one is cut off */
    end(&batch);
    begin(&batch);
    add_kernel(&batch, "good", 1000, 2000);
    batch.used = batch.bytes * 2;
    end(&batch);
    begin(&batch);
    add_kernel(&batch, "good", 1000, 2000);
    records_outside = true;
    end(&batch);
    records_outside = false;
}

static void play_many(void)
{
    static char names[400][16];
    struct batch batch;
    begin(&batch);
    for (int i = 0; i < 400; i++) {
        snprintf(names[i], sizeof names[i], "kernel_%d", i);
        add_kernel(&batch, names[i], 1000, 2000 + (uint64_t)(400 - i));
    }
    end(&batch);
}

static void *play_thread(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        struct batch batch;
        begin(&batch);
        if (batch.buffer) {
            add_kernel(&batch, "threaded", 1000, 2000);
            end(&batch);
        }
    }
    return unused;
}

static void play_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, play_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int cuptiActivityFlushAll(uint32_t forced)
{
    struct batch batch;
    if (!is_late || !forced)
        return 0;
    begin(&batch);
    add_kernel(&batch, "late", 1000, 2000);
    end(&batch);
    return 0;
}

int fake_play(const char *what)
{
    if (!request || !enabled[CUPTI_CONCURRENT_KERNEL])
        return -1;
    if (strcmp(what, "plain") == 0)
        play_plain();
    else if (strcmp(what, "damaged") == 0)
        play_damaged();
    else if (strcmp(what, "many") == 0)
        play_many();
    else if (strcmp(what, "threads") == 0)
        play_threads();
    else if (strcmp(what, "late") == 0)
        is_late = true;
    else if (strcmp(what, "dropped") == 0) {
        dropped_now = 3;
        play_plain();
    } else
        return -1;
    return 0;
}
