/* What lies where a person wants an output; see own_file.h. */
#include "cli/data/own_file.h"
#include "common/path.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

bool own_file_may_replace(const char *path, const struct own_mark *marks)
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
