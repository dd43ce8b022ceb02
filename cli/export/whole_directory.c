/* Directories that are written beside their place; see whole_directory.h. */
#include "cli/export/whole_directory.h"
#include "cli/data/beside.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct addition {
    char *path;
    struct buf text;
    off_t before; /* bytes that the file had; -1: it is as it was */
};

/* --- the directory beside the place --- */

static bool is_on_filesystem_of(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev;
}

/* The mode that directories of this process have, which mkdtemp does not give. */
static void open_to_others(const char *path)
{
    mode_t mask = umask(0);
    umask(mask);
    chmod(path, 0777 & ~mask);
}

/* Below a place that is a filesystem of its own, or whose surroundings belong to others, it lies within. */
static char *make_beside(const char *place, struct err *err)
{
    char *path = beside_name(place);
    bool is_there = path_is_directory(place);
    if (mkdtemp(path)) {
        if (!is_there || is_on_filesystem_of(path, place))
            return path;
        rmdir(path);
    }
    free(path);
    path = beside_name_within(place);
    if (is_there && mkdtemp(path))
        return path;
    err_write_errno(err, "can't write '%s'", place);
    free(path);
    return NULL;
}

static int begin_directory(struct whole_directory *whole, struct err *err)
{
    if (whole->directory)
        return 0;
    char *above = path_directory(whole->place);
    if (path_make_directory(above, 0777, err) == 0)
        whole->directory = make_beside(whole->place, err);
    free(above);
    if (!whole->directory)
        return -1;
    open_to_others(whole->directory);
    return 0;
}

/* --- writing --- */

int whole_directory_make(struct whole_directory *whole, const char *name, struct err *err)
{
    if (begin_directory(whole, err))
        return -1;
    char *path = path_join(whole->directory, name);
    int failed = path_make_directory(path, 0777, err), why = errno;
    free(path);
    errno = why;
    return failed;
}

static int write_file(const char *path, const struct buf *text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int failed = fd < 0 || path_write_all(fd, buf_str(text), text->length) ? -1 : 0;
    if (failed)
        err_write_errno(err, "can't write '%s'", path);
    int why = errno;
    if (fd >= 0 && close(fd) && !failed) {
        failed = err_errno(err, "can't write '%s'", path);
        why = errno;
    }
    errno = why;
    return failed;
}

int whole_directory_write(struct whole_directory *whole, const char *name, const struct buf *text, struct err *err)
{
    if (begin_directory(whole, err))
        return -1;
    char *path = path_join(whole->directory, name), *above = path_directory(path);
    int failed = path_make_directory(above, 0777, err) || write_file(path, text, err) ? -1 : 0, why = errno;
    free(path);
    free(above);
    errno = why;
    return failed;
}

/* --- additions --- */

void whole_directory_add(struct whole_directory *whole, const char *name, struct buf *text)
{
    MEM_GROW(whole->additions, whole->capacity, whole->count + 1);
    whole->additions[whole->count++] =
        (struct addition){.path = path_join(whole->place, name), .text = *text, .before = -1};
    *text = (struct buf){0};
}

static int add_text(struct addition *addition, struct err *err)
{
    struct stat at;
    int fd = open(addition->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    int failed = fd < 0 || fstat(fd, &at) ? -1 : 0;
    if (!failed) {
        addition->before = at.st_size;
        failed = path_write_all(fd, buf_str(&addition->text), addition->text.length);
    }
    if (failed)
        err_write_errno(err, "can't write '%s'", addition->path);
    if (fd >= 0 && close(fd) && !failed)
        failed = err_errno(err, "can't write '%s'", addition->path);
    return failed;
}

static void take_back(struct addition *addition)
{
    if (addition->before >= 0 && truncate(addition->path, addition->before) == 0)
        addition->before = -1;
}

/* --- moving --- */

/* The entry of a directory that comes next, but for itself and the one above. */
static const char *next_name(DIR *directory)
{
    struct dirent *entry;
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

static int move_entries(const char *from, const char *to, struct err *err);

/* A file where a directory was, or the other way round, replaces it. */
static int move_over(const char *from, const char *to, struct err *err)
{
    if (path_is_directory(from) && path_is_directory(to))
        return move_entries(from, to, err);
    if (path_remove_tree(to, err))
        return -1;
    return rename(from, to) ? err_errno(err, "can't write '%s'", to) : 0;
}

static int move_entry(const char *from, const char *to, struct err *err)
{
    if (rename(from, to) == 0)
        return 0;
    bool in_the_way = errno == ENOTEMPTY || errno == EEXIST || errno == EISDIR || errno == ENOTDIR;
    return in_the_way ? move_over(from, to, err) : err_errno(err, "can't write '%s'", to);
}

/* A directory out of which entries are moved may be listed in part: until nothing is left in it. */
static int move_entries(const char *from, const char *to, struct err *err)
{
    int failed = 0;
    for (bool found = true; found && !failed;) {
        DIR *directory = opendir(from);
        if (!directory)
            return err_errno(err, "can't read '%s'", from);
        found = false;
        for (const char *name; !failed && (name = next_name(directory)); found = true) {
            char *here = path_join(from, name), *there = path_join(to, name);
            failed = move_entry(here, there, err);
            free(here);
            free(there);
        }
        closedir(directory);
    }
    if (!failed && rmdir(from))
        failed = err_errno(err, "can't remove '%s'", from);
    return failed;
}

/* --- all of it --- */

/* What was settled in a place that was not there is moved as one. */
static int move_all(struct whole_directory *whole, struct err *err)
{
    if (!whole->directory)
        return 0;
    int failed = path_is_directory(whole->place) ? move_entries(whole->directory, whole->place, err)
                                                 : move_entry(whole->directory, whole->place, err);
    if (!failed) {
        free(whole->directory);
        whole->directory = NULL;
    }
    return failed;
}

int whole_directory_settle(struct whole_directory *whole, struct err *err)
{
    int failed = 0;
    for (size_t i = 0; i < whole->count && !failed; i++)
        failed = add_text(&whole->additions[i], err);
    failed = failed || move_all(whole, err) ? -1 : 0;
    for (size_t i = 0; i < whole->count && failed; i++)
        take_back(&whole->additions[i]);
    whole_directory_drop(whole);
    return failed;
}

void whole_directory_drop(struct whole_directory *whole)
{
    if (whole->directory)
        path_remove_tree(whole->directory, NULL);
    free(whole->directory);
    for (size_t i = 0; i < whole->count; i++) {
        free(whole->additions[i].path);
        buf_fini(&whole->additions[i].text);
    }
    free(whole->additions);
    *whole = (struct whole_directory){.place = whole->place};
}
