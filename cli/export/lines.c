/* Files of lines; see lines.h. */
#include "cli/export/lines.h"
#include "common/path.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE = 1 << 16 }; /* bytes that are gathered before they are written */

int lines_open(struct lines *lines, const char *path, struct err *err)
{
    *lines = (struct lines){.fd = -1};
    return whole_file_open(&lines->file, path, err);
}

void lines_flow(struct lines *lines)
{
    if (!lines->named && lines->text.length >= AT_ONCE)
        whole_file_add(&lines->file, &lines->text);
}

static int open_to_add(struct lines *lines, struct err *err)
{
    const char *path = lines->file.path;
    lines->fd =
        strcmp(path, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return lines->fd < 0 ? err_errno(err, "can't write '%s'", path) : 0;
}

/* All of them or none: half a line would stay, and the next pass would begin in it. */
static int add_lines(struct lines *lines, struct err *err)
{
    struct stat at;
    bool may_shrink = fstat(lines->fd, &at) == 0 && S_ISREG(at.st_mode);
    if (path_write_all(lines->fd, buf_str(&lines->text), lines->text.length)) {
        err_write_errno(err, "can't write '%s'", lines->file.path);
        if (may_shrink && ftruncate(lines->fd, at.st_size) == 0)
            lseek(lines->fd, at.st_size, SEEK_SET);
        return -1;
    }
    buf_clear(&lines->text);
    return 0;
}

int lines_settle(struct lines *lines, bool more, struct err *err)
{
    if (!lines->named) {
        whole_file_add(&lines->file, &lines->text);
        if (whole_file_finish(&lines->file, err))
            return -1;
        lines->named = true;
        return more ? open_to_add(lines, err) : 0;
    }
    return add_lines(lines, err);
}

void lines_drop(struct lines *lines)
{
    buf_clear(&lines->text);
}

void lines_close(struct lines *lines)
{
    if (lines->fd >= 0)
        close(lines->fd);
    whole_file_close(&lines->file);
    buf_fini(&lines->text);
    *lines = (struct lines){.fd = -1};
}
