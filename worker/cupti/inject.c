/* What NVIDIA's driver loads into a person's program that CUDA_INJECTION64_PATH names (worker/program/gpu_work.h), and
 * what then sums the program's kernels and copies on GPUs.
 *
 *     driver, in cuInit     -- InitializeInjection -->    finds CUPTI, asks it for records
 *     any thread            -- request -->                a buffer of ours, as long as there are not too many
 *     CUPTI's thread        -- complete -->               the records are added up; once a second the sums are written
 *     exit                  -- atexit -->                 what is left is flushed, added and written
 *
 * It is a guest: without CUPTI, without memory, refused by the driver, it does nothing but say why. A process that is
 * killed has told what there was up to a second before it, in buffers that were full. Nothing is subscribed to, so that
 * a profiler that the program starts by itself works; from then on that one has the records, and what was counted up to
 * then stands. */
#include "worker/cupti/cupti.h"
#include "worker/cupti/records.h"
#include "worker/cupti/tell.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A record of a kernel has some 200 bytes: a buffer is full after a thousand. Those beyond the most are records that
 * CUPTI drops, which is said: they come faster than a thread adds them, at some ten million a second. */
enum { BUFFER_BYTES = 256 * 1024, BUFFERS_MOST = 32, BUFFERS_KEPT = 4, FLUSH_MILLISECONDS = 1000, TELL_SECONDS = 1 };

struct cupti_guest {
    struct cupti cupti;
    pid_t pid;            /* a child that was forked has no part in this */
    char path[4096];      /* of the file that the worker reads */
    pthread_mutex_t lock; /* guards all below */
    struct cupti_sums sums;
    uint8_t *kept[BUFFERS_KEPT]; /* buffers that are free */
    uint32_t kept_count;
    uint32_t out;       /* buffers that CUPTI has */
    uint64_t dropped;   /* records, by CUPTI */
    time_t told;        /* when the file was last written */
    char why[TELL_WHY]; /* nothing is known for that; empty: it is */
    char text[TELL_BYTES];
};

static struct cupti_guest *guest; /* CUPTI's callbacks have no place for it; set once, before they are registered */

/* --- the file --- */

/* What is not known, although something is. */
static void find_gap(const struct cupti_guest *own, char *out, size_t size)
{
    uint64_t lost = own->sums.lost + own->dropped;
    out[0] = '\0';
    if (own->why[0])
        snprintf(out, size, "%s", own->why);
    else if (lost)
        snprintf(out, size, "%llu records were lost: this is the sum of the others", (unsigned long long)lost);
}

static void tell_sums(struct cupti_guest *own)
{
    char gap[TELL_WHY];
    find_gap(own, gap, sizeof gap);
    tell(own->path, &own->sums, gap, own->text);
}

static void tell_now_and_then(struct cupti_guest *own)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - own->told < TELL_SECONDS)
        return;
    own->told = now.tv_sec;
    tell_sums(own);
}

/* --- what CUPTI calls --- */

static uint8_t *take_buffer(struct cupti_guest *own)
{
    void *buffer = NULL;
    if (own->kept_count)
        buffer = own->kept[--own->kept_count];
    else if (own->out < BUFFERS_MOST && posix_memalign(&buffer, 16, BUFFER_BYTES) != 0)
        buffer = NULL;
    own->out += buffer != NULL;
    return buffer;
}

static void request_buffer(uint8_t **buffer, size_t *bytes, size_t *records)
{
    int error = errno; /* of the program's thread */
    pthread_mutex_lock(&guest->lock);
    *buffer = take_buffer(guest);
    pthread_mutex_unlock(&guest->lock);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *records = 0;
    errno = error;
}

static void give_back(struct cupti_guest *own, uint8_t *buffer)
{
    own->out -= own->out > 0;
    if (own->kept_count < BUFFERS_KEPT)
        own->kept[own->kept_count++] = buffer;
    else
        free(buffer);
}

static void complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t used)
{
    int error = errno;
    size_t dropped = 0;
    if (!buffer)
        return;
    if (guest->cupti.dropped && guest->cupti.dropped(context, stream, &dropped) != 0)
        dropped = 0;
    pthread_mutex_lock(&guest->lock);
    guest->dropped += dropped;
    if (used > bytes || used > BUFFER_BYTES)
        guest->sums.lost++;
    else
        records_add(&guest->cupti, buffer, used, &guest->sums);
    give_back(guest, buffer);
    tell_now_and_then(guest);
    pthread_mutex_unlock(&guest->lock);
    errno = error;
}

static void finish_records(void)
{
    if (getpid() != guest->pid)
        return;
    guest->cupti.flush(1);
    pthread_mutex_lock(&guest->lock);
    tell_sums(guest);
    pthread_mutex_unlock(&guest->lock);
}

/* --- its start --- */

static bool enable_kinds(const struct cupti *cupti, char *why, size_t size)
{
    static const int kinds[] = {CUPTI_CONCURRENT_KERNEL, CUPTI_COPY, CUPTI_SET};
    int result = cupti->register_callbacks(request_buffer, complete_buffer);
    for (size_t i = 0; !result && i < sizeof kinds / sizeof *kinds; i++)
        result = cupti->enable(kinds[i]);
    if (result)
        cupti_explain(cupti, result, why, size);
    else
        (void)cupti->enable(CUPTI_PEER_COPY); /* which few programs make */
    return !result;
}

/* Of several processes of a trial the first one's work is told, as of kernels: a launcher of the program's own tells
 * each of its processes which one it is. */
static bool is_first(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *launch = getenv("GANNET_LAUNCH");
    size_t count = launch && strcmp(launch, "first") == 0 ? 5 : 2; /* else they may be the worker's among workers */
    for (size_t i = 0; i < count; i++) {
        const char *rank = getenv(names[i]);
        if (rank && *rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

/* NULL: there is nobody to tell, or no memory. */
static struct cupti_guest *create_guest(void)
{
    const char *path = getenv("GANNET_GPU_FILE");
    struct cupti_guest *own = path && *path && is_first() ? calloc(1, sizeof *own) : NULL;
    if (!own)
        return NULL;
    own->pid = getpid();
    if (snprintf(own->path, sizeof own->path, "%s.%ld", path, (long)own->pid) >= (int)sizeof own->path ||
        pthread_mutex_init(&own->lock, NULL) != 0) {
        free(own);
        return NULL;
    }
    return own;
}

/* The driver calls it by this name, once in each process that starts CUDA. 1: all is well; the driver goes on anyway.
 */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    int error = errno;
    if (guest || !(guest = create_guest()))
        return 1;
    if (cupti_find(&guest->cupti, guest->why, sizeof guest->why) &&
        enable_kinds(&guest->cupti, guest->why, sizeof guest->why)) {
        if (guest->cupti.flush_period)
            (void)guest->cupti.flush_period(FLUSH_MILLISECONDS);
        atexit(finish_records);
    }
    pthread_mutex_lock(&guest->lock);
    tell_sums(guest);
    pthread_mutex_unlock(&guest->lock);
    errno = error;
    return 1;
}
