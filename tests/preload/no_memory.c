/* Memory that runs out at a drawn moment, preloaded into programs. A file of GANNET_TEST_POINTS (point.h) says when:
 *
 *     FIRST COUNT     the process's allocations FIRST to FIRST + COUNT - 1 fail
 *
 * `count` in its place: none fails, and `fired` gets how many there were when it ended.
 */
#include "tests/preload/point.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

/* The C library's own, by the names under which it has them beside ours. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long first, most;    /* none: 0 */
static bool counted;        /* they are */
static atomic_long calls;   /* of this process, from when it took its file */
static atomic_bool started; /* it did */

__attribute__((constructor)) static void take_point(void)
{
    char line[64];
    if (!point_take(line, sizeof line))
        return;
    counted = strncmp(line, "count", 5) == 0;
    sscanf(line, "%ld %ld", &first, &most);
    atomic_store(&started, true);
}

__attribute__((destructor)) static void tell_count(void)
{
    char what[64];
    snprintf(what, sizeof what, "allocated %ld times", atomic_load(&calls));
    if (counted)
        point_note(what);
}

/* Which library asked is told with the first. */
static void note_failure(long call, const void *caller)
{
    char what[256];
    Dl_info info;
    bool known = dladdr(caller, &info) && info.dli_fname;
    const char *slash = known ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(what, sizeof what, "no memory at %ld, %ld times, for %s", call, most, slash ? slash + 1 : "?");
    if (call == first)
        point_note(what);
}

static bool fails(const void *caller)
{
    if (!atomic_load(&started))
        return false;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (call < first || call >= first + most)
        return false;
    note_failure(call, caller);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
    if (made)
        *memory = made;
    return made ? 0 : ENOMEM;
}
