/* Limits of cores in the user's cache directory; see limits.h. */
#include "worker/limits/kept_file.h"
#include "worker/limits/limits.h"

#include "common/json.h"
#include "common/mem.h"
#include "common/processor.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const level_names[] = {
#define X(id, name) name,
    LIMITS_LEVELS(X)
#undef X
};

/* The processors that this process may use. */
static int count_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}

/* What a measurement holds for; free() it. */
static char *make_key(int threads, int allowed)
{
    struct processor processor;
    struct utsname system = {0};
    uname(&system);
    processor_here(&processor, "");
    return mem_format("%s, %s, %ld processors, caches of %ld, %ld and %ld bytes, Linux %s, %d threads on %d processors",
                      processor.model, processor.vector, sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_LEVEL1_DCACHE_SIZE),
                      sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE), system.release, threads,
                      allowed < threads ? allowed : threads);
}

static struct limits read_limits(const json_t *json, int threads)
{
    struct limits limits = {.threads = threads,
                            .flops = kept_number(json, "flops"),
                            .flops_bf16 = kept_number(json, "flops_bf16"),
                            .allreduce = kept_number(json, "allreduce"),
                            .allreduce_seconds = kept_number(json, "allreduce_seconds"),
                            .load = NAN};
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        limits.bandwidth[i] = kept_number(json_object_get(json, "bandwidth"), level_names[i]);
    json_to_real(json_object_get(json, "load"), &limits.load);
    return limits;
}

bool limits_load_on(int cores, int threads, struct limits *out)
{
    char *key = make_key(threads, cores);
    json_t *json = kept_file_read(key);
    *out = json ? read_limits(json, threads) : limits_unknown(threads);
    free(key);
    json_decref(json);
    return json != NULL;
}

bool limits_load(int threads, struct limits *out)
{
    return limits_load_on(count_allowed(), threads, out);
}

int limits_lock(void)
{
    return kept_file_lock();
}

json_t *limits_json(const struct limits *limits)
{
    json_t *bandwidth = json_object();
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        json_object_set_new(bandwidth, level_names[i], json_of_real(limits->bandwidth[i]));
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "threads", limits->threads, "flops",
                     json_of_real(limits->flops), "flops_bf16", json_of_real(limits->flops_bf16), "bandwidth",
                     bandwidth, "allreduce", json_of_real(limits->allreduce), "allreduce_seconds",
                     json_of_real(limits->allreduce_seconds), "load", json_of_real(limits->load));
}

int limits_keep(const struct limits *limits, struct err *err)
{
    char *key = make_key(limits->threads, count_allowed());
    int failed = kept_file_write(key, limits_json(limits), err);
    free(key);
    return failed;
}
