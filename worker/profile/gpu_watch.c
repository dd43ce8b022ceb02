/* The thread that looks at GPUs; see gpu_watch.h.
 *
 *     worker                                thread
 *     create                                (there is none)
 *     want            -- starts it, or wakes it -->   opens the driver's library, finds the GPUs, looks, looks, ...
 *     read            <-- the last look of each --
 *     destroy         -- stop -->           ends; one that hangs in the driver is left behind */
#include "worker/profile/gpu_watch.h"
#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALL_OF_IT = 100 };     /* per cent */
#define MOST_MEMORY    0x1p50 /* bytes: no GPU has more */
#define WANTED_SECONDS 2.0    /* ticks come ten times a second while there are runs */
#define STOP_SECONDS   2.0

struct gpu_watch {
    char **uuids;
    size_t count;
    bool (*open)(struct nvml *nvml);
    struct nvml nvml; /* the thread's own, as all up to the lock */
    void *events;     /* of the driver; NULL: it has none */
    bool is_open;
    double opened;  /* when the library was opened last, or was to be */
    void **devices; /* NULL: such a GPU was not found */
    struct gpu_reading *looked;
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    struct gpu_reading *readings; /* published */
    double wanted;                /* until when looks are wanted */
    bool stops;
};

/* --- a look --- */

static void add_value(struct gpu_sum *sum, double value, double seconds)
{
    sum->sum += value * seconds;
    sum->seconds += seconds;
}

static void look_at_clocks(const struct nvml *nvml, void *device, double seconds, struct gpu_reading *reading)
{
    unsigned megahertz;
    unsigned long long reasons;
    if (nvml->device_clock && nvml->device_clock(device, NVML_CLOCK_SM, &megahertz) == 0)
        add_value(&reading->clock, megahertz, seconds);
    if (nvml->device_clock_most && nvml->device_clock_most(device, NVML_CLOCK_SM, &megahertz) == 0)
        reading->clock_most = megahertz;
    if (nvml->device_reasons && nvml->device_reasons(device, &reasons) == 0) {
        add_value(&reading->hot, (reasons & (NVML_SOFT_HEAT | NVML_HARD_HEAT)) != 0, seconds);
        add_value(&reading->capped, (reasons & (NVML_POWER_CAP | NVML_POWER_BRAKE)) != 0, seconds);
    }
}

/* --- what is wrong --- */

/* Whether a call succeeded; keeps what it says of the GPU. */
static bool is_answered(struct gpu_reading *reading, int code)
{
    struct gpu_fault fault = {GPU_SIGN_CODE, (unsigned)code};
    if (code && gpu_fault_blame(fault) == GPU_BLAME_GPU)
        reading->said = fault;
    return code == 0;
}

static void note_event(struct gpu_reading *reading, struct gpu_fault fault)
{
    bool is_worse = gpu_fault_blame(fault) >= gpu_fault_blame(reading->event);
    if (gpu_fault_blame(fault) == GPU_BLAME_NOBODY || !is_worse)
        return;
    reading->event = fault;
    reading->event_at = clock_monotonic();
}

/* Errors that an event has told of already are not told again. */
static void look_at_errors(const struct nvml *nvml, void *device, struct gpu_reading *reading)
{
    unsigned long long count;
    double before = reading->errors;
    if (!nvml->device_errors ||
        !is_answered(reading, nvml->device_errors(device, NVML_UNCORRECTED, NVML_SINCE_RESET, &count)))
        return;
    reading->errors = (double)count;
    if (reading->errors > before && gpu_fault_blame(reading->event) < GPU_BLAME_RUN)
        note_event(reading, (struct gpu_fault){GPU_SIGN_ECC, (unsigned)fmin(reading->errors - before, UINT32_MAX)});
}

/* What it counts from its reset on has become less, or it did not answer and does again. */
static bool was_reset(const struct gpu_reading *before, const struct gpu_reading *now)
{
    bool answers_again = before->said.sign != GPU_SIGN_NONE && now->said.sign == GPU_SIGN_NONE;
    return answers_again || now->errors < before->errors || now->energy < before->energy;
}

static void look_at_numbers(const struct nvml *nvml, void *device, double seconds, struct gpu_reading *reading)
{
    struct nvml_use use = {0};
    struct nvml_memory memory = {0};
    unsigned milliwatts;
    unsigned long long millijoules;
    reading->energy = reading->clock_most = reading->memory = NAN;
    if (nvml->device_use && is_answered(reading, nvml->device_use(device, &use)) && use.gpu <= ALL_OF_IT)
        add_value(&reading->use, use.gpu / 100.0, seconds);
    if (nvml->device_memory && is_answered(reading, nvml->device_memory(device, &memory)) &&
        (double)memory.used <= MOST_MEMORY)
        reading->memory = (double)memory.used;
    if (nvml->device_power && is_answered(reading, nvml->device_power(device, &milliwatts)) &&
        milliwatts / 1000.0 <= GPU_MOST_WATTS)
        add_value(&reading->power, milliwatts / 1000.0, seconds);
    if (nvml->device_energy && is_answered(reading, nvml->device_energy(device, &millijoules)))
        reading->energy = (double)millijoules / 1000;
    look_at_clocks(nvml, device, seconds, reading);
}

void gpu_look(const struct nvml *nvml, void *device, double seconds, struct gpu_reading *reading)
{
    struct gpu_reading before = *reading;
    bool is_first = !(before.at > 0);
    if (is_first)
        before.errors = before.energy = reading->errors = NAN;
    reading->said = (struct gpu_fault){GPU_SIGN_NONE, 0};
    look_at_numbers(nvml, device, seconds, reading);
    look_at_errors(nvml, device, reading);
    if (!is_first && was_reset(&before, reading))
        reading->event = (struct gpu_fault){GPU_SIGN_NONE, 0};
}

struct gpu_fault gpu_reading_fault(const struct gpu_reading *reading)
{
    if (gpu_fault_blame(reading->event) == GPU_BLAME_GPU)
        return reading->event;
    return reading->said;
}

/* --- the thread --- */

/* The driver's events of all devices. */
static void open_events(struct gpu_watch *watch)
{
    const struct nvml *nvml = &watch->nvml;
    watch->events = NULL;
    if (!nvml->events_create || !nvml->device_events || !nvml->events_wait || nvml->events_create(&watch->events))
        return;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->devices[i])
            nvml->device_events(watch->devices[i], NVML_XID_EVENT, watch->events);
}

static bool open_library(struct gpu_watch *watch)
{
    watch->opened = clock_monotonic();
    watch->is_open = watch->open(&watch->nvml);
    if (!watch->is_open)
        return false;
    for (size_t i = 0; i < watch->count; i++) {
        int code = watch->nvml.device_named ? watch->nvml.device_named(watch->uuids[i], &watch->devices[i]) : 0;
        if (!watch->nvml.device_named || code)
            watch->devices[i] = NULL;
        if (!watch->devices[i])
            is_answered(&watch->looked[i], code);
    }
    open_events(watch);
    return true;
}

static void close_library(struct gpu_watch *watch)
{
    if (!watch->is_open)
        return;
    if (watch->events && watch->nvml.events_free)
        watch->nvml.events_free(watch->events);
    nvml_close(&watch->nvml);
    watch->is_open = false;
    watch->events = NULL;
    memset(watch->devices, 0, watch->count * sizeof *watch->devices);
}

/* What the driver has told since the look before. */
static void take_events(struct gpu_watch *watch)
{
    enum { MOST_AT_ONCE = 64 };
    struct nvml_event event = {0};
    for (int n = 0; watch->events && n < MOST_AT_ONCE; n++) {
        if (watch->nvml.events_wait(watch->events, &event, 0))
            return;
        for (size_t i = 0; i < watch->count; i++)
            if (watch->devices[i] == event.device && event.type == NVML_XID_EVENT)
                note_event(&watch->looked[i], (struct gpu_fault){GPU_SIGN_XID, (unsigned)event.data});
    }
}

/* A GPU that was lost is found again only by a library that was opened after that. */
static void find_again(struct gpu_watch *watch, double now)
{
    static const double often = 5;
    bool any = !watch->is_open;
    for (size_t i = 0; i < watch->count; i++)
        any |= watch->looked[i].said.sign != GPU_SIGN_NONE;
    if (!any || now - watch->opened < often)
        return;
    close_library(watch);
    open_library(watch);
}

static void look_at_all(struct gpu_watch *watch)
{
    take_events(watch);
    for (size_t i = 0; i < watch->count; i++) {
        struct gpu_reading *looked = &watch->looked[i];
        double now = clock_monotonic();
        if (watch->devices[i])
            gpu_look(&watch->nvml, watch->devices[i], looked->at > 0 ? now - looked->at : 0, looked);
        else
            looked->energy = looked->clock_most = looked->memory = NAN;
        if (watch->devices[i] || looked->said.sign != GPU_SIGN_NONE)
            looked->at = now;
    }
}

static struct timespec time_of(double seconds)
{
    double whole = floor(seconds);
    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
}

/* Waits, with the lock, until it is time for another look and one is wanted; false: it is to stop. */
static bool wait_for_look(struct gpu_watch *watch, double earliest)
{
    struct timespec until = time_of(earliest);
    while (!watch->stops) {
        double now = clock_monotonic();
        if (now >= watch->wanted)
            pthread_cond_wait(&watch->changed, &watch->lock);
        else if (now < earliest)
            pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
        else
            return true;
    }
    return false;
}

static void *run_thread(void *context)
{
    static const double share = 0.005, longest = 5;
    struct gpu_watch *watch = context;
    double earliest = 0;
    bool has_driver = open_library(watch);
    pthread_mutex_lock(&watch->lock);
    while (has_driver && wait_for_look(watch, earliest)) {
        pthread_mutex_unlock(&watch->lock);
        double began = clock_monotonic();
        find_again(watch, began);
        look_at_all(watch);
        double cost = clock_monotonic() - began;
        earliest = began + fmin(fmax(GPU_OFTEN, cost / share), longest);
        pthread_mutex_lock(&watch->lock);
        memcpy(watch->readings, watch->looked, watch->count * sizeof *watch->looked);
    }
    pthread_mutex_unlock(&watch->lock);
    close_library(watch);
    return NULL;
}

/* Signals are the worker's own. Without a thread nothing is known. */
static void start_thread(struct gpu_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watch->is_started = pthread_create(&watch->thread, NULL, run_thread, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- its life --- */

struct gpu_watch *gpu_watch_create(const char *const *uuids, size_t count, bool (*open)(struct nvml *nvml))
{
    struct gpu_watch *watch = MEM_NEW(struct gpu_watch);
    pthread_condattr_t clock;
    watch->count = count;
    watch->open = open;
    watch->uuids = MEM_ARRAY(char *, count + 1);
    watch->devices = MEM_ARRAY(void *, count + 1);
    watch->looked = mem_zero(count + 1, sizeof *watch->looked);
    watch->readings = mem_zero(count + 1, sizeof *watch->readings);
    for (size_t i = 0; i < count; i++)
        watch->uuids[i] = mem_text(uuids[i]);
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &clock);
    pthread_condattr_destroy(&clock);
    return watch;
}

static bool stop_thread(struct gpu_watch *watch)
{
    struct timespec until;
    pthread_mutex_lock(&watch->lock);
    watch->stops = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)STOP_SECONDS;
    if (pthread_timedjoin_np(watch->thread, NULL, &until) == 0)
        return true;
    pthread_detach(watch->thread);
    return false;
}

void gpu_watch_destroy(struct gpu_watch *watch)
{
    if (!watch || (watch->is_started && !stop_thread(watch)))
        return; /* the thread still has it */
    for (size_t i = 0; i < watch->count; i++)
        free(watch->uuids[i]);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch->uuids);
    free(watch->devices);
    free(watch->looked);
    free(watch->readings);
    free(watch);
}

void gpu_watch_want(struct gpu_watch *watch)
{
    double now = clock_monotonic();
    pthread_mutex_lock(&watch->lock);
    bool sleeps = now >= watch->wanted;
    watch->wanted = now + WANTED_SECONDS;
    if (sleeps)
        pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    if (!watch->is_started)
        start_thread(watch);
}

void gpu_watch_read(struct gpu_watch *watch, size_t gpu, struct gpu_reading *out)
{
    pthread_mutex_lock(&watch->lock);
    *out = watch->readings[gpu];
    pthread_mutex_unlock(&watch->lock);
}
