/* Experiments that are there already; see existing.h. */
#include "cli/session/existing.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/spec_compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 4 << 20 }; /* bytes; the reader of experiment files refuses larger ones too */

void existing_name(const struct prepare_setup *setup, const struct spec *spec, struct rundir *dir)
{
    char *usual = path_join("runs", spec->name);
    rundir_name(setup->directory ? setup->directory : usual, dir);
    free(usual);
}

/* Whether an experiment below runs/ has this name. */
static bool names_experiment(const char *name)
{
    char *path = mem_format("runs/%s/experiment.yaml", name);
    bool is = !strchr(name, '/') && path_exists(path);
    free(path);
    return is;
}

bool existing_is_file(const char *path)
{
    struct stat status;
    bool yaml = path_ends_with(path, ".yaml") || path_ends_with(path, ".yml");
    return !path_ends_with(path, ".db") && (yaml || !names_experiment(path)) && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

int existing_place(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    struct problems problems = {0};
    struct spec *spec = spec_read(setup->what, setup->overrides, setup->override_count, &problems);
    int status = spec ? STATUS_OK : STATUS_USAGE;
    if (spec)
        existing_name(setup, spec, dir);
    else if (console)
        prepare_show_problems(console, &problems, "nothing was done");
    spec_destroy(spec);
    problems_fini(&problems);
    return status;
}

bool existing_is_there(const struct prepare_setup *setup, struct rundir *dir)
{
    if (existing_place(NULL, setup, dir))
        return false;
    if (path_exists(dir->experiment))
        return true;
    rundir_fini(dir);
    return false;
}

int existing_find(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    struct err err;
    return rundir_find(setup->what, dir, &err) ? console_fail(console, STATUS_NOT_FOUND, &err) : STATUS_OK;
}

/* Which keys would make it another search: "strategy (gp became random)". */
static void list_changes(const struct spec_changes *changes, struct buf *out)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct spec_change *change = &changes->items[i];
        if (!change->on_resume)
            buf_format(out, "%s%s (%s became %s)", out->length ? ", " : "", change->key,
                       change->was ? change->was : "nothing", change->is ? change->is : "nothing");
    }
}

/* Limits and what else may change on the way are taken over, unless somebody is at work there. */
static int adopt_spec(struct console *console, const struct rundir *dir, struct spec *was, struct spec *fresh)
{
    struct err err;
    if (rundir_is_locked(dir))
        return STATUS_OK;
    spec_adopt(was, fresh);
    return rundir_freeze(dir, was, &err) ? console_fail(console, STATUS_FAILED, &err) : STATUS_OK;
}

static int refuse_overrides(struct console *console, const struct rundir *dir, const struct spec_changes *changes)
{
    struct buf list = {0};
    list_changes(changes, &list);
    console_refuse(console, STATUS_USAGE,
                   "%s is there already, and would be another search: %s. Limits may change so; for a new experiment "
                   "choose another name or --dir; it can learn from this one: start_from: [%s]",
                   dir->path, buf_str(&list), dir->path);
    buf_fini(&list);
    return STATUS_USAGE;
}

/* An experiment that is there stays the search that it is; overrides that say the same as then are fine: loops repeat
 * them. */
static int check_overrides(struct console *console, const struct prepare_setup *setup, const struct rundir *dir)
{
    struct problems problems = {0};
    struct spec_changes changes = {0};
    struct buf frozen = {0};
    struct err err;
    struct spec *was = rundir_spec(dir, &err), *is = NULL;
    int status = was ? STATUS_OK : console_fail(console, STATUS_FAILED, &err);
    if (was) {
        spec_write(was, &frozen);
        is = spec_read_text(buf_str(&frozen), frozen.length, dir->experiment, was->base, setup->overrides,
                            setup->override_count, &problems);
        status = is ? STATUS_OK : STATUS_USAGE;
    }
    if (was && !is)
        prepare_show_problems(console, &problems, "nothing was done");
    if (is)
        spec_difference(was, is, &changes);
    if (changes.forbidden)
        status = refuse_overrides(console, dir, &changes);
    else if (changes.count)
        status = adopt_spec(console, dir, was, is);
    spec_changes_fini(&changes);
    problems_fini(&problems);
    buf_fini(&frozen);
    spec_destroy(was);
    spec_destroy(is);
    return status;
}

/* --- a file that has changed --- */

/* Whether two texts of a file mean something else; one that can't be read does. */
static bool texts_differ(const char *file, const struct buf *was, const struct buf *is)
{
    struct problems then = {0}, since = {0};
    struct spec_changes changes = {0};
    char *base = path_directory(file);
    struct spec *before = spec_read_text(buf_str(was), was->length, file, base, NULL, 0, &then);
    struct spec *now = spec_read_text(buf_str(is), is->length, file, base, NULL, 0, &since);
    if (before && now)
        spec_difference(before, now, &changes);
    bool result = !before || !now || changes.count;
    spec_changes_fini(&changes);
    problems_fini(&then);
    problems_fini(&since);
    spec_destroy(before);
    spec_destroy(now);
    free(base);
    return result;
}

/* Whether the file is another one than the experiment was made of, and not by a comment alone. */
static bool has_changed(const char *file, const struct rundir *dir)
{
    struct buf was = {0}, is = {0};
    bool known =
        path_read(dir->original, &was, LARGEST_FILE, NULL) == 0 && path_read(file, &is, LARGEST_FILE, NULL) == 0;
    bool changed = known && (was.length != is.length || memcmp(buf_str(&was), buf_str(&is), was.length) != 0) &&
                   texts_differ(file, &was, &is);
    buf_fini(&was);
    buf_fini(&is);
    return changed;
}

/* Says what would be another search. */
static int refuse_file(struct console *console, const struct prepare_setup *setup, const struct rundir *dir,
                       const struct spec_changes *changes)
{
    struct buf list = {0};
    list_changes(changes, &list);
    console_refuse(console, STATUS_USAGE,
                   "%s was made with another file, and would be another search now: %s. Undo that in %s, or make a new "
                   "experiment with another name or --dir; it can learn from this one: start_from: [%s]",
                   dir->path, buf_str(&list), setup->what, dir->path);
    buf_fini(&list);
    return STATUS_USAGE;
}

/* `fresh` is the file as it is now. */
static int take_file(struct console *console, const struct prepare_setup *setup, const struct rundir *dir,
                     struct spec *fresh)
{
    struct spec_changes changes = {0};
    struct err err;
    struct spec *was = rundir_spec(dir, &err);
    if (!was)
        return console_fail(console, STATUS_FAILED, &err);
    spec_difference(was, fresh, &changes);
    int status = changes.forbidden ? refuse_file(console, setup, dir, &changes)
                 : changes.count   ? adopt_spec(console, dir, was, fresh)
                                   : STATUS_OK;
    if (!status && !rundir_is_locked(dir) && rundir_copy_original(dir, fresh, &err)) /* the next call sees no change */
        status = console_fail(console, STATUS_FAILED, &err);
    spec_changes_fini(&changes);
    spec_destroy(was);
    return status;
}

static int check_file(struct console *console, const struct prepare_setup *setup, const struct rundir *dir)
{
    struct problems problems = {0};
    struct spec *fresh = prepare_spec(setup->what, setup->overrides, setup->override_count, setup->defaults,
                                      PROGRAM_NOWHERE, NULL, &problems);
    prepare_show_problems(console, &problems, "nothing was done");
    problems_fini(&problems);
    int status = fresh ? take_file(console, setup, dir, fresh) : STATUS_USAGE;
    spec_destroy(fresh);
    return status;
}

int existing_keep(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    int status = STATUS_OK;
    if (setup->what && existing_is_file(setup->what) && has_changed(setup->what, dir))
        status = check_file(console, setup, dir);
    else if (setup->override_count)
        status = check_overrides(console, setup, dir);
    if (status)
        rundir_fini(dir);
    return status;
}
