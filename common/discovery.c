/* Where the coordinator listens; see discovery.h. */
#include "common/discovery.h"

#include "common/buf.h"
#include "common/lock.h"
#include "common/node.h"
#include "common/path.h"
#include "common/proc.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_DISCOVERY = 16 << 10 }; /* bytes; a real one has about 300 */

/* --- the file --- */

/* Copies a text member; false when it is missing, no text, or too long. */
static bool take_text(const json_t *json, const char *name, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text && snprintf(out, size, "%s", text) < (int)size;
}

static bool take_integer(const json_t *json, const char *name, json_int_t lowest, json_int_t highest, json_int_t *out)
{
    const json_t *member = json_object_get(json, name);
    *out = json_integer_value(member);
    return json_is_integer(member) && *out >= lowest && *out <= highest;
}

static int decode_discovery(const json_t *json, struct discovery *out)
{
    json_int_t pid = 0, session = 0;
    bool good = take_text(json, "node", out->node, sizeof out->node) &&
                take_text(json, "host", out->host, sizeof out->host) && take_integer(json, "pid", 1, INT32_MAX, &pid) &&
                take_integer(json, "session", 0, INT64_MAX, &session) &&
                take_text(json, "workers", out->workers, sizeof out->workers) &&
                take_text(json, "control", out->control, sizeof out->control) &&
                take_text(json, "public_key", out->public_key, sizeof out->public_key);
    out->pid = (int)pid;
    out->session = (uint64_t)session;
    out->exclusive = json_is_true(json_object_get(json, "exclusive"));
    return good ? 0 : -1;
}

/* The file's text, when nobody but the owner of the run directory can have written it; root may look at anybody's. */
static int read_own(const char *rundir, const char *path, struct buf *text, struct err *err)
{
    struct stat at;
    if (!path_exists(path) || stat(rundir, &at))
        return err_set(err, "no coordinator runs in %s", rundir);
    return path_check_ours(rundir, err) ? -1 : path_read_of(at.st_uid, path, text, LARGEST_DISCOVERY, err);
}

static int read_file(const char *rundir, struct discovery *out, struct err *err)
{
    struct buf text = {0};
    char *path = path_join(rundir, "coordinator.json");
    int failed = read_own(rundir, path, &text, err);
    json_t *json = failed ? NULL : json_loadb(buf_str(&text), text.length, 0, NULL);
    if (!failed && decode_discovery(json, out)) {
        *out = (struct discovery){0};
        failed = err_set(err, "%s is damaged; remove it when no coordinator runs there", path);
    }
    json_decref(json);
    buf_fini(&text);
    free(path);
    return failed;
}

/* --- belief --- */

bool discovery_is_here(const struct discovery *discovery)
{
    char host[NODE_SIZE];
    return strcmp(node_host(host), discovery->host) == 0;
}

int discovery_say_refused(const struct discovery *discovery, const char *file, struct err *err)
{
    return err_set(err,
                   "the coordinator (process %d on %s) refused the key in %s: it is another experiment's, or has "
                   "changed since that coordinator started; put back the one from then",
                   discovery->pid, discovery->node, file);
}

/* By an open lock file. */
static int check_holder(int fd, const char *rundir, const struct discovery *discovery, struct err *err)
{
    char holder[LOCK_TEXT], named[LOCK_TEXT];
    bool here = discovery_is_here(discovery);
    if (here && (!lock_is_held(fd) || !proc_lives(discovery->pid)))
        return err_set(err, "no coordinator runs in %s any more: process %d on this node is gone", rundir,
                       discovery->pid);
    if (strcmp(lock_read_text(fd, holder), lock_text(discovery->pid, discovery->node, named)))
        return err_set(err, "no coordinator can be found in %s: its coordinator.json names %s, the lock is that of %s",
                       rundir, named, *holder ? holder : "nobody");
    return 0;
}

static int check_lock(const char *rundir, const struct discovery *discovery, struct err *err)
{
    char *path = path_join(rundir, "coordinator.lock");
    int fd = lock_open(path);
    int failed = fd < 0 ? err_set(err, "no coordinator runs in %s: nobody has its lock", rundir)
                        : check_holder(fd, rundir, discovery, err);
    if (fd >= 0)
        close(fd);
    free(path);
    return failed;
}

int discovery_find(const char *rundir, struct discovery *out, struct err *err)
{
    *out = (struct discovery){0};
    return read_file(rundir, out, err) ? -1 : check_lock(rundir, out, err);
}
