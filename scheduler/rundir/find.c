/* Finds the experiment that a person names; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const below = "runs"; /* where experiments are unless --dir says otherwise */

/* The names of the experiments below runs/, the one used last first. */
struct run_names {
    char **items;
    double *used; /* when each was used last */
    size_t count, capacity, used_capacity;
};

static void names_fini(struct run_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    free(names->used);
}

/* Whether it can't be told what is there, for want of permission; says so. */
static bool is_closed(const char *path, struct err *err)
{
    struct stat at;
    char *experiment = path_join(path, "experiment.yaml");
    bool closed = stat(experiment, &at) && errno == EACCES;
    free(experiment);
    if (closed)
        err_write(err, "%s can't be looked into: %s; it belongs to somebody else, or is closed to you", path,
                  strerror(EACCES));
    return closed;
}

static bool is_experiment(const char *path)
{
    char *experiment = path_join(path, "experiment.yaml");
    bool is = path_is_file(experiment);
    free(experiment);
    return is;
}

static double time_modified(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
}

/* A coordinator writes its name into the lock when it starts; before the first one there is only the store. */
double rundir_last_used(const struct rundir *dir)
{
    double started = time_modified(dir->lock), made = time_modified(dir->store);
    return started > made ? started : made;
}

static double last_used(const char *path)
{
    struct rundir dir;
    rundir_name(path, &dir);
    double used = rundir_last_used(&dir);
    rundir_fini(&dir);
    return used;
}

/* Keeps the list in order: later use before earlier, then by name. */
static void names_add(struct run_names *names, const char *name, double used)
{
    MEM_GROW(names->items, names->capacity, names->count + 1);
    MEM_GROW(names->used, names->used_capacity, names->count + 1);
    size_t at = names->count++;
    while (at &&
           (names->used[at - 1] < used || (names->used[at - 1] == used && strcmp(names->items[at - 1], name) > 0))) {
        names->items[at] = names->items[at - 1];
        names->used[at] = names->used[at - 1];
        at--;
    }
    names->items[at] = mem_text(name);
    names->used[at] = used;
}

static void names_read(struct run_names *names)
{
    DIR *directory = opendir(below);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char *path = path_join(below, entry->d_name);
        if (entry->d_name[0] != '.' && is_experiment(path))
            names_add(names, entry->d_name, last_used(path));
        free(path);
    }
    closedir(directory);
}

static int name_below(const char *name, struct rundir *out)
{
    char *path = path_join(below, name);
    rundir_name(path, out);
    free(path);
    return 0;
}

/* Adds "there are: a, b, c" - the ones used last - or says that there is none. */
static int not_found(const struct run_names *names, struct err *err, const char *sentence)
{
    enum { SHOWN = 12 };
    if (!names->count && is_closed(below, err))
        return -1;
    if (!names->count)
        return err_set(err, "%s; there are no experiments below %s/", sentence, below);
    struct buf list = {0};
    for (size_t i = 0; i < names->count && i < SHOWN; i++)
        buf_format(&list, "%s%s", i ? ", " : "", names->items[i]);
    if (names->count > SHOWN)
        buf_format(&list, " and %zu more", names->count - SHOWN);
    err_write(err, "%s; below %s/ there are: %s", sentence, below, buf_str(&list));
    buf_fini(&list);
    return -1;
}

/* A name, or the beginning of one only. */
static int find_by_name(const char *what, const struct run_names *names, struct rundir *out, struct err *err)
{
    size_t matches = 0, match = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], what) == 0)
            return name_below(what, out);
        if (strncmp(names->items[i], what, strlen(what)) == 0) {
            matches++;
            match = i;
        }
    }
    char *there = path_join(below, what); /* one of that very name comes before others that begin with it */
    bool closed = is_closed(there, err) || (!matches && is_closed(what, err));
    free(there);
    if (closed)
        return -1;
    if (matches == 1)
        return name_below(names->items[match], out);
    char *sentence = matches ? mem_format("'%s' is the beginning of %zu experiments", what, matches)
                             : mem_format("there is no experiment '%s'", what);
    not_found(names, err, sentence);
    free(sentence);
    return -1;
}

/* A pass, or the run directory that one stands beside: it is closed to us. */
static bool find_pass(const char *what, struct rundir *out)
{
    struct rundir named;
    rundir_name(what, &named);
    char *beside = pass_path(&named);
    bool is_pass = pass_is_name(named.path) && pass_is(&named);
    bool found = is_pass || path_is_file(beside);
    if (found)
        rundir_name(is_pass ? named.path : beside, out);
    rundir_fini(&named);
    free(beside);
    return found;
}

/* A run directory, or the store in one. */
static bool find_by_path(const char *what, struct rundir *out)
{
    size_t length = strlen(what);
    if (length > 3 && strcmp(what + length - 3, ".db") == 0 && path_exists(what)) {
        char *directory = path_directory(what);
        rundir_name(directory, out);
        free(directory);
        free(out->store);
        out->store = path_absolute(what);
        return true;
    }
    if (is_experiment(what)) {
        rundir_name(what, out);
        return true;
    }
    return find_pass(what, out);
}

int rundir_find(const char *what, struct rundir *out, struct err *err)
{
    struct run_names names = {0};
    int result;
    names_read(&names);
    if (!what || strcmp(what, "last") == 0)
        result =
            names.count ? name_below(names.items[0], out) : not_found(&names, err, "no experiment was run here yet");
    else
        result = find_by_path(what, out) ? 0 : find_by_name(what, &names, out, err);
    names_fini(&names);
    return result;
}

size_t rundir_each(void (*visit)(void *context, const struct rundir *dir), void *context)
{
    struct run_names names = {0};
    names_read(&names);
    size_t count = names.count;
    for (size_t i = 0; i < count; i++) {
        struct rundir dir;
        name_below(names.items[i], &dir);
        visit(context, &dir);
        rundir_fini(&dir);
    }
    names_fini(&names);
    return count;
}
