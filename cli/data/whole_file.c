/* Writing a file beside its name; see whole_file.h. */
#include "cli/data/whole_file.h"
#include "cli/data/beside.h"
#include "common/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_descriptor(struct whole_file *file)
{
    if (strcmp(file->path, "-") == 0)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (path_exists(file->path) && !path_is_file(file->path))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    beside_sweep(file->path);
    file->temporary = beside_name(file->path);
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(file->temporary);
        file->temporary = NULL;
    }
    return fd;
}

int whole_file_open(struct whole_file *file, const char *path, struct err *err)
{
    *file = (struct whole_file){.path = path};
    int fd = open_descriptor(file);
    if (fd >= 0 && (file->stream = fdopen(fd, "w")))
        return 0;
    err_write_errno(err, "can't write '%s'", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

void whole_file_add(struct whole_file *file, struct buf *text)
{
    fwrite(buf_str(text), 1, text->length, file->stream);
    file->length += text->length;
    buf_clear(text);
}

/* The mode that files of this process have, which mkostemp does not give. */
static int open_to_others(const struct whole_file *file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fileno(file->stream), 0666 & ~mask);
}

int whole_file_finish(struct whole_file *file, struct err *err)
{
    bool failed = (file->temporary && open_to_others(file)) || fflush(file->stream) || ferror(file->stream);
    failed = fclose(file->stream) || failed;
    file->stream = NULL;
    if (failed || (file->temporary && rename(file->temporary, file->path)))
        return err_errno(err, "can't write '%s'", file->path);
    free(file->temporary);
    file->temporary = NULL;
    return 0;
}

void whole_file_close(struct whole_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    *file = (struct whole_file){0};
}

enum { BEGINNING = 256 }; /* bytes that are looked at */

/* The first bytes as a text; -1 when they can't be read. */
static ssize_t read_beginning(const char *path, char out[BEGINNING + 1])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = fd < 0 ? -1 : read(fd, out, BEGINNING);
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < length; i++)
        out[i] = out[i] ? out[i] : ' ';
    out[length > 0 ? length : 0] = '\0';
    return length;
}

static bool mark_fits(const struct own_mark *mark, const char *beginning)
{
    return strncmp(beginning, mark->begin, strlen(mark->begin)) == 0 &&
           (!mark->within || strstr(beginning, mark->within));
}

/* Whether an output may be written to the path without asking: "-", what is not there, a pipe or a device, an empty
 * file, and a file with one of the marks. A directory may not. */
static bool own_file_may_replace(const char *path, const struct own_mark *marks)
{
    char beginning[BEGINNING + 1];
    if (strcmp(path, "-") == 0 || !path_exists(path))
        return true;
    if (!path_is_file(path))
        return !path_is_directory(path);
    ssize_t length = read_beginning(path, beginning);
    for (; length > 0 && marks->begin; marks++)
        if (mark_fits(marks, beginning))
            return true;
    return length == 0;
}

int own_file_refuse(const char *path, const char *what, struct err *err)
{
    return err_set(err,
                   "%s is there already and is no %s that gannet wrote: nothing was written; choose another place with "
                   "-o, or replace it with --force",
                   path, what);
}

int own_file_check(const char *path, const struct own_mark *marks, bool force, const char *what, struct err *err)
{
    if (strcmp(path, "-") != 0 && path_is_directory(path))
        return err_set(err, "%s is a directory: name a file in it with -o", path);
    return force || own_file_may_replace(path, marks) ? 0 : own_file_refuse(path, what, err);
}
