/* The lock file of a run directory as others see it; see lock.h. */
#include "common/lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *lock_text(int pid, const char *node, char out[LOCK_TEXT])
{
    snprintf(out, LOCK_TEXT, "process %d on node %s", pid, node);
    return out;
}

const char *lock_read_text(int fd, char out[LOCK_TEXT])
{
    ssize_t length = pread(fd, out, LOCK_TEXT - 1, 0);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return out;
}

int lock_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static bool part_is_held(int fd, off_t start, off_t length)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool lock_is_held(int fd)
{
    return part_is_held(fd, 0, 0);
}

bool lock_is_waiting(int fd)
{
    return !part_is_held(fd, LOCK_WAITING_BYTE, 1);
}
