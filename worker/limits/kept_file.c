/* Files of what was measured; see kept_file.h. */
#include "worker/limits/kept_file.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 4096 };

/* Nothing that we know does more in a second. */
static const double most_believed = 1e18;

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

json_t *kept_file_read(const char *key)
{
    struct err err;
    struct buf text = {0};
    char *path = path_of(key);
    json_t *json = path && path_read_of(geteuid(), path, &text, LARGEST_FILE, &err) == 0
                       ? json_loads(buf_str(&text), 0, NULL)
                       : NULL;
    const char *of = json_string_value(json_object_get(json, "of"));
    bool found = of && strcmp(of, key) == 0;
    if (!found)
        json_decref(json);
    buf_fini(&text);
    free(path);
    return found ? json : NULL;
}

double kept_number(const json_t *json, const char *member)
{
    double number;
    bool is_known = json_to_real(json_object_get(json, member), &number) && number > 0 && number < most_believed;
    return is_known ? number : NAN;
}

static int write_text(const char *path, const json_t *json, struct err *err)
{
    char *text = json_dumps(json, JSON_INDENT(1));
    int failed = path_write(path, text, strlen(text), 0600, err);
    free(text);
    return failed;
}

int kept_file_write(const char *key, json_t *json, struct err *err)
{
    char *path = path_of(key);
    json_object_set_new(json, "of", json_of_text(key));
    int failed = !path            ? err_set(err, "neither XDG_CACHE_HOME nor HOME names a directory to keep it in")
                 : make_way(path) ? err_set(err, "%s: %s", path, strerror(errno))
                                  : write_text(path, json, err);
    json_decref(json);
    free(path);
    return failed;
}

int kept_file_lock(void)
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
