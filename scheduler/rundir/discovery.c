/* Where the living coordinator listens: coordinator.json and the directory of its sockets; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"
#include "common/proc.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST_DISCOVERY = 16 << 10, /* bytes; a real one has about 300 */
    LONGEST_SOCKET_DIRECTORY = 80 /* bytes: sun_path has 108, the sockets' names and "/" need at most 20 */
};

int discovery_write(const struct rundir *dir, const struct discovery *discovery, struct err *err)
{
    json_t *json = json_pack("{s:s, s:s, s:i, s:I, s:s, s:s, s:s, s:s, s:b}", "node", discovery->node, "host",
                             discovery->host, "pid", discovery->pid, "session", (json_int_t)discovery->session,
                             "workers", discovery->workers, "control", discovery->control, "remote", discovery->remote,
                             "public_key", discovery->public_key, "exclusive", (int)discovery->exclusive);
    if (!json)
        return err_set(err, "the coordinator's address is not UTF-8: %s", discovery->control);
    char *text = json_dumps(json, JSON_INDENT(2));
    int failed = path_write(dir->discovery, text, strlen(text), 0600, err);
    free(text);
    json_decref(json);
    return failed;
}

void discovery_remove(const struct rundir *dir)
{
    unlink(dir->discovery);
}

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
                take_text(json, "remote", out->remote, sizeof out->remote) &&
                take_text(json, "public_key", out->public_key, sizeof out->public_key);
    out->pid = (int)pid;
    out->session = (uint64_t)session;
    out->exclusive = json_is_true(json_object_get(json, "exclusive"));
    return good ? 0 : -1;
}

bool discovery_is_here(const struct discovery *discovery)
{
    char host[NODE_SIZE];
    return strcmp(node_host(host), discovery->host) == 0;
}

/* On our own node the truth is known: a coordinator that lives has the lock. */
static bool is_gone(const struct rundir *dir, const struct discovery *discovery)
{
    if (!discovery_is_here(discovery))
        return false;
    return !rundir_is_locked(dir) || !proc_lives(discovery->pid);
}

int discovery_read(const struct rundir *dir, struct discovery *out, struct err *err)
{
    *out = (struct discovery){0};
    struct buf text = {0};
    if (!path_exists(dir->discovery) || path_read(dir->discovery, &text, LARGEST_DISCOVERY, err)) {
        buf_fini(&text);
        return err_set(err, "no coordinator runs in %s", dir->path);
    }
    json_t *json = json_loadb(buf_str(&text), text.length, 0, NULL);
    int failed = decode_discovery(json, out);
    json_decref(json);
    buf_fini(&text);
    if (failed)
        return err_set(err, "%s is damaged; remove it when no coordinator runs there", dir->discovery);
    if (is_gone(dir, out))
        return err_set(err, "no coordinator runs in %s any more: process %d on this node is gone", dir->path, out->pid);
    return 0;
}

/* --- the directory of the sockets --- */

static char *sockets_below(const char *base, const struct rundir *dir)
{
    return mem_format("%s/gannet-%ld-%016llx", base, (long)getuid(), (unsigned long long)hash_text(dir->path));
}

static bool is_usable_base(const char *base)
{
    return base && *base == '/' &&
           strlen(base) + strlen("/gannet-4294967295-0123456789abcdef") < LONGEST_SOCKET_DIRECTORY &&
           access(base, W_OK | X_OK) == 0;
}

char *rundir_sockets(const struct rundir *dir, struct err *err)
{
    const char *bases[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    size_t chosen = 0;
    while (chosen < 2 && !is_usable_base(bases[chosen]))
        chosen++;
    char *path = sockets_below(bases[chosen], dir);
    if (path_make_directory(path, 0700, err) == 0 && path_check_private(path, err) == 0)
        return path;
    free(path);
    return NULL;
}
