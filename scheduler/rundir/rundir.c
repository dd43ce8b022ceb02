/* The run directory: its paths and its frozen experiment; see rundir.h. make.c makes one, resume.c goes on in one. */
#include "scheduler/rundir/rundir.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"
#include "scheduler/rundir/pass.h"
#include "scheduler/store/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Resolves a path up to its last "..": the directories that it leads out of may go, and are no part of its name. free()
 * it; `path` is taken. Where nothing is there the path stays as it is. */
static char *resolve_ups(char *path)
{
    char *last = NULL;
    for (char *at = path; (at = strstr(at, "/..")); at += 3)
        if (!at[3] || at[3] == '/')
            last = at + 3;
    char *directory = last ? mem_text_n(path, (size_t)(last - path)) : NULL;
    char *resolved = directory ? realpath(directory, NULL) : NULL;
    free(directory);
    if (!resolved)
        return path;
    char *whole = mem_format("%s%s", resolved, last);
    free(resolved);
    free(path);
    return whole;
}

/* "/a//runs/./b/." is /a/runs/b. */
static void drop_idle_parts(char *path)
{
    char *to = path;
    for (const char *from = path; *from;) {
        bool dot = from[0] == '/' && from[1] == '.' && (from[2] == '/' || !from[2]);
        if (dot || (from[0] == '/' && (from[1] == '/' || !from[1])))
            from += dot ? 2 : 1;
        else
            *to++ = *from++;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

void rundir_name(const char *path, struct rundir *out)
{
    out->path = resolve_ups(path_absolute(path));
    drop_idle_parts(out->path);
    out->experiment = path_join(out->path, "experiment.yaml");
    out->original = path_join(out->path, "original.yaml");
    out->store = path_join(out->path, "gannet.db");
    out->identity = path_join(out->path, "identity");
    out->discovery = path_join(out->path, "coordinator.json");
    out->lock = path_join(out->path, "coordinator.lock");
    out->keys = path_join(out->path, "keys");
    out->logs = path_join(out->path, "logs");
    out->trials = path_join(out->path, "trials");
}

void rundir_fini(struct rundir *dir)
{
    char *texts[] = {dir->path,      dir->experiment, dir->original, dir->store, dir->identity,
                     dir->discovery, dir->lock,       dir->keys,     dir->logs,  dir->trials};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    *dir = (struct rundir){0};
}

int rundir_freeze(const struct rundir *dir, const struct spec *spec, struct err *err)
{
    struct buf yaml = {0}, there = {0};
    spec_write(spec, &yaml);
    bool same = path_is_file(dir->experiment) && path_read(dir->experiment, &there, yaml.length, NULL) == 0 &&
                there.length == yaml.length && memcmp(buf_str(&there), buf_str(&yaml), yaml.length) == 0;
    int failed = same ? 0 : path_write(dir->experiment, buf_str(&yaml), yaml.length, share_mode(dir->experiment), err);
    if (failed && err_is_shortage(err))
        err_write_prefix(err,
                         "nothing was started: there is no room to write the changed experiment down; make room, or "
                         "resume it as it was");
    buf_fini(&yaml);
    buf_fini(&there);
    return failed;
}

struct spec *rundir_spec(const struct rundir *dir, struct err *err)
{
    if (!path_exists(dir->experiment)) {
        err_write(err, "%s is no run directory: it has no experiment.yaml", dir->path);
        return NULL;
    }
    if (!path_is_file(dir->experiment)) {
        err_write(err, "%s, the frozen experiment, is no regular file", dir->experiment);
        return NULL;
    }
    struct problems problems = {0};
    struct spec *spec = spec_read(dir->experiment, NULL, 0, &problems);
    if (!spec)
        err_write(err, "%s, the frozen experiment, is broken: %s", dir->experiment,
                  problems.count ? problems.items[0].message : "it can't be read");
    problems_fini(&problems);
    return spec;
}

int discovery_write(const struct rundir *dir, const struct discovery *discovery, struct err *err)
{
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:I, s:s, s:s, s:s, s:b}", "node", discovery->node, "host", discovery->host, "pid",
                  discovery->pid, "session", (json_int_t)discovery->session, "workers", discovery->workers, "control",
                  discovery->control, "public_key", discovery->public_key, "exclusive", (int)discovery->exclusive);
    if (!json)
        return err_set(err, "the coordinator's address is not UTF-8: %s", discovery->control);
    char *text = json_dumps(json, JSON_INDENT(2));
    int failed = path_write(dir->discovery, text, strlen(text), 0600, err);
    free(text);
    json_decref(json);
    return failed;
}

int discovery_read(const struct rundir *dir, struct discovery *out, struct err *err)
{
    return pass_is(dir) ? pass_read(dir, out, NULL, err) : discovery_find(dir->path, out, err);
}

void discovery_remove(const struct rundir *dir)
{
    unlink(dir->discovery);
}

bool rundir_reason(const struct rundir *dir, enum experiment_state *state, enum reason *reason)
{
    struct snapshot snapshot = {0};
    struct reader *reader = reader_open(dir->store, NULL);
    bool known = reader && reader_snapshot(reader, &snapshot, NULL) == 0;
    reader_close(reader);
    *state = snapshot.state;
    *reason = snapshot.reason;
    snapshot_fini(&snapshot);
    return known;
}

bool rundir_ended(const struct rundir *dir, bool added, uint64_t *ended)
{
    return reader_count_ended(dir->store, added, ended, NULL) == 0;
}

char *rundir_key(const struct rundir *dir, const char *who)
{
    return mem_format("%s/%s.key", dir->keys, who);
}

int rundir_read_key(const struct rundir *dir, const char *who, struct key_pair *out, struct err *err)
{
    if (pass_is(dir))
        return pass_read(dir, NULL, out, err);
    char *file = rundir_key(dir, who);
    int failed = keys_read(file, out, err);
    free(file);
    return failed;
}

int rundir_make_key(const struct rundir *dir, const char *who, struct err *err)
{
    struct key_pair pair;
    char *file = rundir_key(dir, who);
    int failed = path_exists(file) ? 0 : keys_make(&pair, err) || keys_write(file, &pair, err);
    keys_wipe(&pair);
    free(file);
    return failed ? -1 : 0;
}

struct spec *rundir_spec_of(const struct rundir *dir, const json_t *experiment, struct err *err)
{
    struct problems problems = {0};
    const char *text = json_string_value(json_object_get(experiment, "spec"));
    struct spec *spec = text ? spec_read_text(text, strlen(text), dir->store, dir->path, NULL, 0, &problems) : NULL;
    if (!spec)
        err_write(err, "%s: the experiment that it has recorded can't be read: %s", dir->store,
                  problems.count ? problems.items[0].message : "there is none");
    problems_fini(&problems);
    return spec;
}

struct spec *rundir_spec_recorded(const struct rundir *dir, struct err *err)
{
    if (path_exists(dir->experiment) || !path_is_file(dir->store))
        return rundir_spec(dir, err);
    struct reader *reader = reader_open(dir->store, err);
    json_t *experiment = reader ? reader_experiment(reader, err) : NULL;
    struct spec *spec = experiment ? rundir_spec_of(dir, experiment, err) : NULL;
    json_decref(experiment);
    reader_close(reader);
    return spec;
}

enum { IDENTITY_DIGITS = 32 };

int rundir_make_identity(const struct rundir *dir, char **identity, struct err *err)
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_errno(err, "can't get random numbers for the identity of %s", dir->path);
    *identity = mem_format("%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    return path_write(dir->identity, *identity, IDENTITY_DIGITS, share_mode(dir->identity), err);
}

/* Directories of earlier versions have none: NULL. */
static char *read_identity(const struct rundir *dir)
{
    struct buf text = {0};
    bool known = path_is_file(dir->identity) && path_read(dir->identity, &text, IDENTITY_DIGITS, NULL) == 0 &&
                 text.length == IDENTITY_DIGITS;
    char *identity = known ? mem_text(buf_str(&text)) : NULL;
    buf_fini(&text);
    return identity;
}

int rundir_check_store(const struct rundir *dir, struct err *err)
{
    char *theirs, *ours = read_identity(dir);
    if (reader_identity(dir->store, &theirs, err)) {
        free(ours);
        return -1;
    }
    int failed = 0;
    if (ours && theirs && strcmp(ours, theirs) != 0)
        failed = err_set(err,
                         "%s is not the store that was made with this run directory: it was put there from another "
                         "one. Put its own back; or read the other one by its path: gannet trials %s",
                         dir->store, dir->store);
    free(ours);
    free(theirs);
    return failed;
}
