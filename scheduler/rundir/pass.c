/* Passes; see pass.h. In the keys' directory, pass.key is the pass's key pair and pass.group the number of the group:
 * who can't read that directory does not know more than what the pass says. */
#include "scheduler/rundir/pass.h"

#include "common/buf.h"
#include "common/dump.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_PASS = 16 << 10 }; /* bytes; a real one has about 500 */

char *pass_path(const struct rundir *dir)
{
    return mem_format("%s.pass", dir->path);
}

bool pass_is_name(const char *path)
{
    static const char end[] = ".pass";
    size_t length = strlen(path);
    return length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0;
}

bool pass_is(const struct rundir *dir)
{
    return path_is_file(dir->path);
}

static char *group_file(const struct rundir *dir)
{
    return path_join(dir->keys, "pass.group");
}

bool pass_group(const struct rundir *dir, gid_t *group)
{
    char *file = group_file(dir), *end = NULL;
    struct buf text = {0};
    bool known = path_read_of(geteuid(), file, &text, 32, NULL) == 0 && text.length;
    errno = 0;
    unsigned long number = known ? strtoul(buf_str(&text), &end, 10) : 0;
    known = known && !errno && (*end == '\n' || !*end) && number < (gid_t)-1;
    *group = (gid_t)number;
    buf_fini(&text);
    free(file);
    return known;
}

/* --- the file --- */

static json_t *encode_pass(const struct key_pair *pair, const struct discovery *at)
{
    json_t *json =
        json_pack("{s:s, s:{s:s, s:s}}", "gannet", "pass", "key", "public", pair->public, "secret", pair->secret);
    if (!at)
        return json;
    json_t *where = json_pack("{s:s, s:s, s:i, s:I, s:s, s:s}", "node", at->node, "host", at->host, "pid", at->pid,
                              "session", (json_int_t)at->session, "control", at->control, "public_key", at->public_key);
    json_object_set_new(json, "coordinator", where ? where : json_null());
    return json;
}

static bool take_text(const json_t *json, const char *name, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(json, name));
    return text && snprintf(out, size, "%s", text) < (int)size;
}

static bool decode_where(const json_t *json, struct discovery *out)
{
    json_int_t pid = json_integer_value(json_object_get(json, "pid"));
    json_int_t session = json_integer_value(json_object_get(json, "session"));
    out->pid = pid > 0 && pid <= INT32_MAX ? (int)pid : 0;
    out->session = session > 0 ? (uint64_t)session : 0;
    out->exclusive = true;
    return out->pid && take_text(json, "node", out->node, sizeof out->node) &&
           take_text(json, "host", out->host, sizeof out->host) &&
           take_text(json, "control", out->control, sizeof out->control) &&
           take_text(json, "public_key", out->public_key, sizeof out->public_key) &&
           strncmp(out->control, "tcp://", 6) == 0;
}

/* The run directory that a pass of this name stands beside; NULL: its name is another one. free() it. */
static char *directory_beside(const char *path)
{
    return pass_is_name(path) ? mem_text_n(path, strlen(path) - strlen(".pass")) : NULL;
}

/* Whether the run directory that it stands beside was removed or moved; says so. */
static bool is_left_behind(const char *path, struct err *err)
{
    char *directory = directory_beside(path);
    bool gone = directory && !path_exists(directory);
    if (gone)
        err_write(err, "the run directory %s is gone, removed or moved, so its pass shows nothing; remove that: rm %s",
                  directory, path);
    free(directory);
    return gone;
}

/* Who may write beside somebody's run directory could lead its viewers elsewhere. -1 with a sentence. */
static int check_neighbour(const char *path, uid_t owner, struct err *err)
{
    struct stat at;
    char *directory = directory_beside(path);
    bool is_strange = directory && stat(directory, &at) == 0 && at.st_uid != owner;
    if (is_strange)
        err_write(err,
                  "the pass '%s' is user %u's, and the run directory beside it user %u's: it is not followed; the "
                  "owner of the experiment gives one with gannet share",
                  path, (unsigned)owner, (unsigned)at.st_uid);
    free(directory);
    return is_strange ? -1 : 0;
}

/* NULL with a sentence: there is no pass of that name, or not one that its owner alone can have written. */
static json_t *read_pass(const char *path, struct err *err)
{
    struct stat at;
    struct buf text = {0};
    dump_forbid();
    if (stat(path, &at)) {
        err_write_errno(err, "can't look at '%s'", path);
        return NULL;
    }
    json_t *json = path_read_of(at.st_uid, path, &text, LARGEST_PASS, err)
                       ? NULL
                       : json_loadb(buf_str(&text), text.length, 0, NULL);
    const char *kind = json_string_value(json_object_get(json, "gannet"));
    bool good = kind && strcmp(kind, "pass") == 0;
    if (text.length && !good)
        err_write(err, "'%s' is no pass that gannet share has written", path);
    if (text.length)
        explicit_bzero(text.data, text.length);
    buf_fini(&text);
    if (good && check_neighbour(path, at.st_uid, err) == 0)
        return json;
    json_decref(json);
    return NULL;
}

/* Nobody else has the key for a moment: the group comes before its right to read. */
static int fill_pass(int fd, gid_t group, const char *text, const char *path, struct err *err)
{
    struct stat at;
    if (fchown(fd, (uid_t)-1, group) || fchmod(fd, 0640) || fstat(fd, &at))
        return err_errno(err, "can't give '%s' to the group", path);
    if (at.st_gid != group || (at.st_mode & 0777) != 0640)
        return err_set(err, "'%s' does not keep its group and mode; share needs another file system", path);
    return path_write_all(fd, text, strlen(text)) || fsync(fd) ? err_errno(err, "can't write '%s'", path) : 0;
}

static int replace_pass(const char *path, gid_t group, const char *text, struct err *err)
{
    char *made = mem_format("%s.new-%ld", path, (long)getpid());
    unlink(made);
    int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int failed = fd < 0 ? err_errno(err, "can't make '%s'", made) : fill_pass(fd, group, text, made, err);
    if (fd >= 0)
        close(fd);
    if (!failed && rename(made, path))
        failed = err_errno(err, "can't write '%s'", path);
    if (failed && fd >= 0)
        unlink(made);
    free(made);
    return failed;
}

/* What a person keeps there under that name is not ours. */
static int check_place(const char *path, struct err *err)
{
    json_t *there = path_exists(path) ? read_pass(path, err) : json_null();
    json_decref(there);
    return there ? 0 : err_prefix(err, "the pass has no room");
}

int pass_write(const struct rundir *dir, const struct discovery *at, struct err *err)
{
    gid_t group;
    struct key_pair pair = {0};
    if (!pass_group(dir, &group))
        return err_set(err, "%s is shared with nobody", dir->path);
    char *path = pass_path(dir);
    int failed = check_place(path, err) || rundir_read_key(dir, PASS_KEY, &pair, err) ? -1 : 0;
    json_t *json = failed ? NULL : encode_pass(&pair, at);
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    if (!failed)
        failed = text ? replace_pass(path, group, text, err) : err_set(err, "%s can't be written in UTF-8", path);
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
    json_decref(json);
    keys_wipe(&pair);
    free(path);
    return failed;
}

/* --- its owner's side --- */

static int forget_pass(char *path, struct err *err)
{
    int failed = unlink(path) && errno != ENOENT && errno != ENOTDIR ? err_errno(err, "can't remove '%s'", path) : 0;
    free(path);
    return failed;
}

int pass_give(const struct rundir *dir, gid_t group, struct err *err)
{
    gid_t was;
    char text[32];
    if (path_check_ours(dir->path, err))
        return -1;
    bool goes_on = pass_group(dir, &was) && was == group;
    if (!goes_on && pass_withdraw(dir, err))
        return -1;
    char *file = group_file(dir);
    int length = snprintf(text, sizeof text, "%lu\n", (unsigned long)group);
    int failed = rundir_make_key(dir, PASS_KEY, err) || path_write(file, text, (size_t)length, 0600, err) ? -1 : 0;
    free(file);
    return failed;
}

void pass_forget(const struct rundir *dir)
{
    char *path = pass_path(dir);
    json_t *there = path_exists(path) ? read_pass(path, NULL) : NULL;
    if (there)
        unlink(path);
    json_decref(there);
    free(path);
}

size_t pass_each_left(const char *directory, void (*visit)(void *context, const char *path), void *context)
{
    size_t count = 0;
    DIR *opened = opendir(directory);
    for (const struct dirent *entry; opened && (entry = readdir(opened));) {
        struct err err;
        char *path = path_join(directory, entry->d_name);
        json_t *json = pass_is_name(entry->d_name) && is_left_behind(path, &err) ? read_pass(path, NULL) : NULL;
        if (json) {
            visit(context, path);
            count++;
        }
        json_decref(json);
        free(path);
    }
    if (opened)
        closedir(opened);
    return count;
}

/* The group first: whoever begins meanwhile writes none. */
int pass_withdraw(const struct rundir *dir, struct err *err)
{
    char *path = pass_path(dir);
    json_t *there = path_exists(path) ? read_pass(path, NULL) : NULL;
    bool is_ours = there != NULL;
    json_decref(there);
    if (forget_pass(group_file(dir), err) || forget_pass(rundir_key(dir, PASS_KEY), err)) {
        free(path);
        return -1;
    }
    if (is_ours)
        return forget_pass(path, err);
    free(path);
    return 0;
}

/* --- the viewer's side --- */

static int take_key(const json_t *json, const char *path, struct key_pair *pair, struct err *err)
{
    const json_t *key = json_object_get(json, "key");
    return take_text(key, "public", pair->public, sizeof pair->public) &&
                   take_text(key, "secret", pair->secret, sizeof pair->secret)
               ? 0
               : err_set(err, "the pass '%s' is damaged; have its owner give it anew with gannet share", path);
}

/* Names a process of this node, which has to be the pass's owner's: another one may have its number by now. */
static int check_process(const char *path, const struct discovery *at, struct err *err)
{
    struct stat pass, process;
    char name[32];
    snprintf(name, sizeof name, "/proc/%d", at->pid);
    if (stat(path, &pass) || stat(name, &process) || process.st_uid == pass.st_uid)
        return 0;
    return err_set(err, "%s: no coordinator of user %u runs; process %d on this node is user %u's", path,
                   (unsigned)pass.st_uid, at->pid, (unsigned)process.st_uid);
}

static int take_where(const json_t *json, const char *path, struct discovery *at, struct err *err)
{
    const json_t *where = json_object_get(json, "coordinator");
    bool is_here = json_is_object(where) && decode_where(where, at) && discovery_is_here(at);
    bool is_over = is_here && kill(at->pid, 0) && errno == ESRCH;
    if ((!json_is_object(where) || is_over) && is_left_behind(path, err))
        return -1;
    if (!json_is_object(where))
        return err_set(err, "%s: no coordinator runs now; a pass shows what runs, and its owner has what is recorded",
                       path);
    if (!decode_where(where, at))
        return err_set(err, "the pass '%s' is damaged; have its owner give it anew with gannet share", path);
    if (is_over)
        return err_set(err, "%s: no coordinator runs any more; process %d on this node is gone", path, at->pid);
    return is_here ? check_process(path, at, err) : 0;
}

int pass_read(const struct rundir *dir, struct discovery *at, struct key_pair *pair, struct err *err)
{
    json_t *json = read_pass(dir->path, err);
    int failed = json ? 0 : -1;
    if (pair)
        *pair = (struct key_pair){0};
    if (at)
        *at = (struct discovery){0};
    if (!failed && pair)
        failed = take_key(json, dir->path, pair, err);
    if (!failed && at)
        failed = take_where(json, dir->path, at, err);
    json_decref(json);
    return failed;
}
