/* The run directories of a person, wherever they are; see rundir.h. Each has a small file in the person's state
 * directory: its path and nothing else, named by a number made of the path. What stands there is believed as a path
 * alone: whatever is said of an experiment is read in its run directory. */
#include "scheduler/rundir/rundir.h"

#include "common/buf.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* $XDG_STATE_HOME/gannet/experiments, by default below ~/.local/state; NULL: there is no home. `make`: as far as it
 * can be made. */
static char *state_directory(bool make)
{
    const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = base && *base == '/', at_home = home && *home == '/';
    if (!given && !at_home)
        return NULL;
    char *path =
        given ? mem_format("%s/gannet/experiments", base) : mem_format("%s/.local/state/gannet/experiments", home);
    for (char *slash = strchr(path + 1, '/'); make && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    if (make)
        (void)mkdir(path, 0700);
    return path;
}

void rundir_register(const struct rundir *dir)
{
    char *state = state_directory(true);
    if (!state)
        return;
    char *file = mem_format("%s/%016" PRIx64, state, hash_text(dir->path));
    struct stat at;
    if (stat(file, &at) || at.st_size != (off_t)strlen(dir->path))
        (void)path_write(file, dir->path, strlen(dir->path), 0600, NULL);
    free(file);
    free(state);
}

/* --- reading --- */

struct registered {
    struct rundir dir;
    double used;
};

struct registered_list {
    struct registered *items;
    size_t count, capacity;
};

/* Whether there is surely nothing at this path any more: a file system that does not answer says something else. */
static bool is_gone(const char *path)
{
    struct stat at;
    char *experiment = path_join(path, "experiment.yaml");
    bool gone = stat(experiment, &at) && (errno == ENOENT || errno == ENOTDIR);
    free(experiment);
    return gone;
}

static bool is_path(const struct buf *text)
{
    return text->length > 1 && text->length < PATH_MAX && *text->data == '/' && strlen(text->data) == text->length &&
           !strchr(text->data, '\n');
}

/* Takes one file; what leads nowhere any more is removed. */
static void take_file(struct registered_list *list, const char *file)
{
    struct buf text = {0};
    bool good = path_read_of(geteuid(), file, &text, PATH_MAX, NULL) == 0 && buf_str(&text) && is_path(&text);
    if (good && is_gone(text.data))
        unlink(file);
    else if (good) {
        MEM_GROW(list->items, list->capacity, list->count + 1);
        struct registered *one = &list->items[list->count++];
        rundir_name(text.data, &one->dir);
        one->used = rundir_last_used(&one->dir);
    }
    buf_fini(&text);
}

static int later_first(const void *a, const void *b)
{
    const struct registered *left = a, *right = b;
    if (left->used != right->used)
        return left->used < right->used ? 1 : -1;
    return strcmp(left->dir.path, right->dir.path);
}

size_t rundir_each_registered(size_t most, void (*visit)(void *context, const struct rundir *dir), void *context)
{
    struct registered_list list = {0};
    char *state = state_directory(false);
    DIR *directory = state ? opendir(state) : NULL;
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        char *file = path_join(state, entry->d_name);
        if (strspn(entry->d_name, "0123456789abcdef") == 16 && strlen(entry->d_name) == 16)
            take_file(&list, file);
        free(file);
    }
    if (directory)
        closedir(directory);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, later_first);
    for (size_t i = 0; i < list.count; i++) {
        if (i < most)
            visit(context, &list.items[i].dir);
        rundir_fini(&list.items[i].dir);
    }
    free(list.items);
    free(state);
    return list.count;
}
