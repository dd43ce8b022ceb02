/* Writing experiment files; see write_sketch.h. */
#include "cli/session/write_sketch.h"
#include "cli/data/sibling.h"
#include "cli/format.h"
#include "cli/session/prepare.h"
#include "cli/status.h"
#include "cli/view/describe.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The paths in a file that stands elsewhere start here all the same. */
static void settle_base(struct sketch *sketch, const char *path)
{
    char *directory = path_directory(path);
    if (strcmp(directory, ".") != 0) {
        free(sketch->base);
        sketch->base = path_absolute(".");
    }
    size_t length = sketch->base ? strlen(sketch->base) : 0;
    if (length > 2 && strcmp(sketch->base + length - 2, "/.") == 0)
        sketch->base[length - 2] = '\0';
    free(directory);
}

int write_sketch_place(struct console *console, struct sketch *sketch, const struct write_place *place, char **path)
{
    struct stat status;
    *path = place->file ? mem_text(place->file) : mem_format("%s.yaml", sketch->name);
    if (place->file) {
        free(sketch->name);
        sketch->name = sketch_experiment_name(place->file);
    }
    settle_base(sketch, *path);
    if (lstat(*path, &status) == 0 && !(place->force && S_ISREG(status.st_mode))) {
        int refused =
            console_refuse(console, STATUS_USAGE, "%s is there already; %s", *path,
                           S_ISREG(status.st_mode) ? "--force replaces it, --output FILE writes another one"
                                                   : "it is no plain file, so --output FILE must name another");
        free(*path);
        *path = NULL;
        return refused;
    }
    return STATUS_OK;
}

/* Looked at before anything is written: what comes of a stranger's file may be no experiment. */
static int check_text(struct console *console, const struct buf *text, const char *path, const json_t *catalog)
{
    struct problems problems = {0};
    char *base = path_absolute(".");
    struct spec *spec = spec_read_text(buf_str(text), text->length, path, base, NULL, 0, &problems);
    if (spec && catalog)
        catalog_check(catalog, spec, &problems);
    int status = spec && !problems.errors ? STATUS_OK : STATUS_USAGE;
    if (status)
        prepare_show_problems(console, &problems, "nothing was written");
    spec_destroy(spec);
    problems_fini(&problems);
    free(base);
    return status;
}

static int write_text(struct console *console, const struct buf *text, const char *path)
{
    struct err err;
    mode_t mask = umask(0);
    umask(mask);
    return path_write(path, buf_str(text), text->length, 0666 & ~mask, &err)
               ? console_fail(console, STATUS_FAILED, &err)
               : STATUS_OK;
}

int write_sketch(struct console *console, const struct sketch *sketch, const char *path, const json_t *catalog,
                 struct spec **spec)
{
    struct buf text = {0};
    struct problems problems = {0};
    sketch_write(sketch, &text);
    int status = check_text(console, &text, path, catalog);
    if (!status)
        status = write_text(console, &text, path);
    buf_fini(&text);
    if (status)
        return status;
    *spec = prepare_spec(path, NULL, 0, NULL, PROGRAM_NOWHERE, NULL, &problems);
    prepare_show_problems(console, &problems, "the file is written, and has to be changed there");
    problems_fini(&problems);
    return *spec ? STATUS_OK : STATUS_FAILED;
}

void write_sketch_describe(const struct spec *spec, struct buf *out)
{
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const struct param *param = space_param(spec->space, i);
        struct buf name = {0};
        format_safe(param->name, &name);
        buf_format(out, "  %-16s ", buf_str(&name));
        describe_param(spec->space, param, out);
        buf_text(out, "\n");
        buf_fini(&name);
    }
}
