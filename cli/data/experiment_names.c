/* Experiments as a person names them; see experiment_names.h. */
#include "cli/data/experiment_names.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/rundir.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

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

int names_add(struct experiment_names *names, const char *argument, struct err *err)
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

void names_fini(struct experiment_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct experiment_names){0};
}
