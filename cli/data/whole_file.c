/* Writing a file beside its name; see whole_file.h. */
#include "cli/data/whole_file.h"
#include "cli/data/beside.h"
#include "common/mem.h"
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
