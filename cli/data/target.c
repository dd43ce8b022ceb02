/* Which trial is meant; see target.h. */
#include "cli/data/target.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"
#include "scheduler/rundir/rundir.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_trial(const char *text, struct target *out)
{
    int64_t number;
    out->best = strcmp(text, "best") == 0;
    if (!out->best && (!units_integer(text, &number) || number < 1))
        return false;
    out->trial = out->best ? 0 : (uint64_t)number;
    out->has_trial = true;
    return true;
}

int target_read(const char *first, const char *second, struct target *out, struct err *err)
{
    *out = (struct target){0};
    const char *slash = first ? strrchr(first, '/') : NULL;
    if (second && !read_trial(second, out))
        return err_set(err, "'%s' is no trial: a number from 1, or best", second);
    if (!first || (!second && !path_exists(first) && read_trial(first, out)))
        return 0;
    if (!second && slash && slash != first && !path_exists(first) && read_trial(slash + 1, out))
        out->experiment = mem_text_n(first, (size_t)(slash - first));
    else
        out->experiment = mem_text(first);
    return 0;
}

void target_fini(struct target *target)
{
    free(target->experiment);
    *target = (struct target){0};
}

void target_no_value(struct source *source, const char *which, const char *what, struct err *err)
{
    struct experiment_standing standing;
    struct err ignored;
    uint64_t failed = 0;
    if (source_standing(source, &standing, &ignored) == 0) {
        failed = standing.snapshot.trials[TRIAL_FAILED];
        standing_fini(&standing);
    }
    if (failed)
        err_write(err, "no trial%s has a value%s yet, and %" PRIu64 " failed; `gannet explain` says of what", which,
                  what, failed);
    else
        err_write(err, "no trial%s has a value%s yet", which, what);
}

char *target_handle(const struct rundir *dir)
{
    struct rundir usual;
    char *path = path_join("runs", path_base(dir->path));
    rundir_name(path, &usual);
    bool is_usual = strcmp(usual.path, dir->path) == 0;
    rundir_fini(&usual);
    free(path);
    return mem_text(is_usual ? path_base(dir->path) : dir->path);
}

int target_find_best(struct target *target, struct source *source, struct err *err)
{
    if (!target->best)
        return STATUS_OK;
    json_t *best = source_read(source, "best", NULL, err);
    if (!best)
        return STATUS_FAILED;
    target->trial = (uint64_t)json_integer_value(json_object_get(best, "trial"));
    json_decref(best);
    if (!target->trial)
        target_no_value(source, "", "", err);
    return target->trial ? STATUS_OK : STATUS_NOT_FOUND;
}

/* Opens the experiment and finds the trial's number: 0, or the exit status with a sentence. */
static int open_target(struct target *target, struct source **source, struct err *err)
{
    int status = source_open(target->experiment, source, err);
    if (status)
        return status;
    status = target_find_best(target, *source, err);
    if (status)
        source_close(*source);
    return status;
}

int target_visit(struct console *console, const struct args *args, visit_act *act)
{
    struct source *source;
    struct err err = {""};
    int status = source_open(args_rest(args, 0), &source, &err);
    if (!status) {
        status = act(console, args, source, &err);
        source_close(source);
    }
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

int target_visit_trial(struct console *console, const struct args *args, const char *second, const char *needs,
                       visit_trial_act *act)
{
    struct target target;
    struct source *source;
    struct err err = {""};
    if (target_read(args_rest(args, 0), second, &target, &err))
        return console_fail(console, STATUS_USAGE, &err);
    bool may = target.has_trial || !needs;
    int status = may ? open_target(&target, &source, &err) : console_refuse(console, STATUS_USAGE, "%s", needs);
    if (!status) {
        status = act(console, args, source, &target, &err);
        source_close(source);
    }
    target_fini(&target);
    return status && may ? console_fail(console, status, &err) : status;
}

static void add_name(struct experiment_names *names, const char *name)
{
    MEM_GROW(names->items, names->capacity, names->count + 1);
    names->items[names->count++] = mem_text(name);
}

struct matching {
    const char *pattern;
    struct experiment_names *names;
};

static void match_name(void *context, const struct rundir *dir)
{
    struct matching *matching = context;
    if (fnmatch(matching->pattern, path_base(dir->path), 0) == 0)
        add_name(matching->names, path_base(dir->path));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int experiment_names_add(struct experiment_names *names, const char *argument, struct err *err)
{
    size_t before = names->count;
    if (!strpbrk(argument, "*?[") || path_exists(argument)) {
        add_name(names, argument);
        return STATUS_OK;
    }
    rundir_each(match_name, &(struct matching){argument, names});
    if (names->count == before) {
        err_write(err, "no experiment below runs/ matches '%s'; gannet ls lists them", argument);
        return STATUS_NOT_FOUND;
    }
    qsort(names->items + before, names->count - before, sizeof *names->items, compare_names);
    return STATUS_OK;
}

void experiment_names_fini(struct experiment_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct experiment_names){0};
}
