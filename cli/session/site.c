/* Site files and variables; see site.h. */
#include "cli/session/site.h"
#include "cli/format.h"
#include "cli/session/prepare.h"
#include "cli/status.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/variables.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_FILE = 1 << 20 };

static const char *const usual_file = "/etc/gannet/site.yaml";

static int take_text(struct console *console, const char *path, const struct buf *text, struct spec_defaults *defaults)
{
    struct problems problems;
    bool fine = spec_defaults_add(defaults, path, true, buf_str(text), text->length, &problems);
    prepare_show_problems(console, &problems, "nothing was done");
    problems_fini(&problems);
    return fine ? STATUS_OK : STATUS_USAGE;
}

/* Its lines run as the person who submits, so nobody but the owner may write it. One that is not there is fine. */
static int read_site_file(struct console *console, const char *path, uid_t owner, struct spec_defaults *defaults)
{
    struct buf text = {0};
    struct err err;
    struct stat there;
    if (lstat(path, &there) && (errno == ENOENT || errno == ENOTDIR))
        return STATUS_OK;
    int status = path_read_of(owner, path, &text, LONGEST_FILE, &err) ? console_fail(console, STATUS_USAGE, &err)
                                                                      : take_text(console, path, &text, defaults);
    buf_fini(&text);
    return status;
}

/* free() it; NULL: there is no home. A link, as tools for dotfiles make them, is followed. */
static char *own_file(void)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *above = base && *base == '/' ? mem_text(base) : home && *home == '/' ? path_join(home, ".config") : NULL;
    char *path = above ? path_join(above, "gannet/site.yaml") : NULL;
    char *real = path ? realpath(path, NULL) : NULL;
    free(above);
    if (real)
        free(path);
    return real ? real : path;
}

/* A file that a variable names is the cluster's, or the person's own. */
static int read_cluster_file(struct console *console, struct spec_defaults *defaults)
{
    const char *named = getenv("GANNET_SITE_FILE");
    struct stat file;
    bool is_own = named && *named && lstat(named, &file) == 0 && file.st_uid == geteuid();
    if (named && *named && lstat(named, &file))
        return console_refuse(console, STATUS_USAGE, "there is no file %s, which GANNET_SITE_FILE names", named);
    return read_site_file(console, named && *named ? named : usual_file, is_own ? geteuid() : 0, defaults);
}

static int read_files(struct console *console, struct spec_defaults *defaults)
{
    char *own = own_file();
    int status = own ? read_site_file(console, own, geteuid(), defaults) : STATUS_OK;
    free(own);
    return status ? status : read_cluster_file(console, defaults);
}

int site_read(struct console *console, struct spec_defaults *defaults)
{
    struct err err;
    if (slurm_variables_add(clock_wall(), defaults, &err))
        return console_fail(console, STATUS_USAGE, &err);
    return read_files(console, defaults);
}

int site_read_network(struct console *console, struct spec_defaults *defaults)
{
    defaults->only = "network";
    return read_files(console, defaults);
}

void site_describe(const struct spec *spec, const char *before, struct buf *out)
{
    for (uint32_t i = 0; i < spec->origin_count; i++) {
        buf_format(out, "%s%s is from ", before, spec->origins[i].key);
        format_safe(spec->origins[i].source, out);
        buf_text(out, "\n");
    }
}
