/* Files that stay open; see held_file.h. */
#include "worker/profile/held_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void open_file(struct held_file *file, const char *directory, const char *name)
{
    char path[1024];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path) {
        file->error = ENAMETOOLONG;
        return;
    }
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    file->is_open = file->fd >= 0;
    file->error = file->is_open ? 0 : errno;
}

const char *held_file_read(struct held_file *file, const char *directory, const char *name, char *text, size_t size)
{
    if (!file->is_open && !file->error)
        open_file(file, directory, name);
    ssize_t length = file->is_open ? pread(file->fd, text, size - 1, 0) : -1;
    text[length > 0 ? length : 0] = '\0';
    return text;
}

void held_file_close(struct held_file *file)
{
    if (file->is_open)
        close(file->fd);
    *file = (struct held_file){0};
}

const char *held_file_read_once(const char *directory, const char *name, char *text, size_t size)
{
    struct held_file file = {0};
    held_file_read(&file, directory, name, text, size);
    held_file_close(&file);
    return text;
}
