/* The run directory: its paths and its frozen experiment; see rundir.h. make.c makes one, resume.c goes on in one. */
#include "scheduler/rundir/rundir.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <stdlib.h>
#include <string.h>

/* "runs/a/" and "runs/a/." are runs/a. */
static void drop_tail(char *path)
{
    for (size_t length = strlen(path); length > 1; length--) {
        bool dot = path[length - 1] == '.' && path[length - 2] == '/';
        if (path[length - 1] != '/' && !dot)
            return;
        path[length - 1] = '\0';
    }
}

void rundir_name(const char *path, struct rundir *out)
{
    out->path = path_absolute(path);
    drop_tail(out->path);
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
