/* Experiments that are there already; see existing.h. */
#include "cli/session/existing.h"
#include "cli/session/show_problems.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/spec_compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void existing_name(const struct prepare_setup *setup, const struct spec *spec, struct rundir *dir)
{
    char *usual = path_join("runs", spec->name);
    rundir_name(setup->directory ? setup->directory : usual, dir);
    free(usual);
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), own = strlen(end);
    return length > own && strcmp(path + length - own, end) == 0;
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
    bool yaml = ends_with(path, ".yaml") || ends_with(path, ".yml");
    return !ends_with(path, ".db") && (yaml || !names_experiment(path)) && stat(path, &status) == 0 &&
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
        show_problems(console, &problems, "nothing was done");
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

/* Says which keys would differ: "limits.max_trials (6 became 7)". */
static int refuse_overrides(struct console *console, const struct rundir *dir, const struct spec_changes *changes)
{
    struct buf list = {0};
    for (size_t i = 0; i < changes->count; i++)
        buf_format(&list, "%s%s (%s became %s)", i ? ", " : "", changes->items[i].key,
                   changes->items[i].was ? changes->items[i].was : "nothing",
                   changes->items[i].is ? changes->items[i].is : "nothing");
    console_refuse(console, STATUS_USAGE,
                   "%s is there already, and --set does not change it: %s. For a new experiment choose another --dir",
                   dir->path, buf_str(&list));
    buf_fini(&list);
    return STATUS_USAGE;
}

/* An experiment that is there stays as it was made; overrides that say the same as then are fine: loops repeat them. */
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
        show_problems(console, &problems, "nothing was done");
    if (is)
        spec_difference(was, is, &changes);
    if (changes.count)
        status = refuse_overrides(console, dir, &changes);
    spec_changes_fini(&changes);
    problems_fini(&problems);
    buf_fini(&frozen);
    spec_destroy(was);
    spec_destroy(is);
    return status;
}

int existing_keep(struct console *console, const struct prepare_setup *setup, struct rundir *dir)
{
    int status = setup->override_count ? check_overrides(console, setup, dir) : STATUS_OK;
    if (status)
        rundir_fini(dir);
    return status;
}
