/* Limits in the user's cache directory, $XDG_CACHE_HOME/gannet/limits (~/.cache): a file for each key, which says whole
 * what it was measured of. What stands there was written by us or is not believed. */
#include "worker/limits/limits.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/processor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LARGEST_FILE = 4096 };

/* Nothing that we know does more in a second. */
static const double most_believed = 1e18;

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
static char *make_key(int threads)
{
    struct processor processor;
    struct utsname system = {0};
    int allowed = count_allowed();
    uname(&system);
    processor_here(&processor, "");
    return mem_format("%s, %s, %ld processors, caches of %ld, %ld and %ld bytes, Linux %s, %d threads on %d processors",
                      processor.model, processor.vector, sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_LEVEL1_DCACHE_SIZE),
                      sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE), system.release, threads,
                      allowed < threads ? allowed : threads);
}

/* free() it; NULL: there is no home. */
static char *cache_directory(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    return base && *base == '/' ? mem_text(base) : home && *home == '/' ? path_join(home, ".cache") : NULL;
}

/* free() it; NULL: there is no home. */
static char *path_of(const char *key)
{
    char *above = cache_directory();
    char *path = above ? mem_format("%s/gannet/limits/%016" PRIx64 ".json", above, hash_text(key)) : NULL;
    free(above);
    return path;
}

/* Each directory on the way to the file. -1 with errno. */
static int make_way(const char *path)
{
    char *part = mem_text(path);
    int failed = 0;
    for (char *slash = strchr(part + 1, '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        failed = mkdir(part, 0700) && errno != EEXIST;
        *slash = '/';
    }
    free(part);
    return failed ? -1 : 0;
}

static double believed(const json_t *object, const char *member)
{
    double number;
    bool is_known = json_to_real(json_object_get(object, member), &number) && number > 0 && number < most_believed;
    return is_known ? number : NAN;
}

static struct limits read_limits(const json_t *json, int threads)
{
    struct limits limits = {
        .threads = threads, .flops = believed(json, "flops"), .flops_bf16 = believed(json, "flops_bf16"), .load = NAN};
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        limits.bandwidth[i] = believed(json_object_get(json, "bandwidth"), level_names[i]);
    json_to_real(json_object_get(json, "load"), &limits.load);
    return limits;
}

bool limits_load(int threads, struct limits *out)
{
    struct err err;
    struct buf text = {0};
    char *key = make_key(threads), *path = path_of(key);
    json_t *json = path && path_read_of(geteuid(), path, &text, LARGEST_FILE, &err) == 0
                       ? json_loads(buf_str(&text), 0, NULL)
                       : NULL;
    const char *of = json_string_value(json_object_get(json, "of"));
    bool found = of && strcmp(of, key) == 0;
    *out = found ? read_limits(json, threads) : limits_unknown(threads);
    json_decref(json);
    buf_fini(&text);
    free(path);
    free(key);
    return found;
}

int limits_lock(void)
{
    char *above = cache_directory(), *path = above ? path_join(above, "gannet/limits/lock") : NULL;
    int fd = path && make_way(path) == 0 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    free(path);
    free(above);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

json_t *limits_json(const struct limits *limits)
{
    json_t *bandwidth = json_object();
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        json_object_set_new(bandwidth, level_names[i], json_of_real(limits->bandwidth[i]));
    return json_pack("{s:i, s:o, s:o, s:o, s:o}", "threads", limits->threads, "flops", json_of_real(limits->flops),
                     "flops_bf16", json_of_real(limits->flops_bf16), "bandwidth", bandwidth, "load",
                     json_of_real(limits->load));
}

static int write_file(const char *path, const char *key, const struct limits *limits, struct err *err)
{
    json_t *json = limits_json(limits);
    json_object_set_new(json, "of", json_of_text(key));
    char *text = json_dumps(json, JSON_INDENT(1));
    int failed = path_write(path, text, strlen(text), 0600, err);
    free(text);
    json_decref(json);
    return failed;
}

int limits_keep(const struct limits *limits, struct err *err)
{
    char *key = make_key(limits->threads), *path = path_of(key);
    int failed = !path            ? err_set(err, "neither XDG_CACHE_HOME nor HOME names a directory to keep it in")
                 : make_way(path) ? err_set(err, "%s: %s", path, strerror(errno))
                                  : write_file(path, key, limits, err);
    free(path);
    free(key);
    return failed;
}
