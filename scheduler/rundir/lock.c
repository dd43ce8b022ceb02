/* The lock of a run directory; see rundir.h.
 *
 * An open file description lock: it goes with the process however it ends, works over NFS, and is not lost when some
 * other part of the process closes the same file (as POSIX record locks are). The file's text only serves the sentence
 * for whoever is refused.
 *
 * A process that was killed holds its lock for some milliseconds more, so who finds it taken looks again for a moment.
 */
#include "scheduler/rundir/rundir.h"

#include "common/node.h"
#include "common/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 50 };                                            /* half a second in all */
static const struct timespec between_looks = {0, 10 * 1000000}; /* 10 ms */

static struct flock whole_file(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* "process 4711 on node n02", as far as the file says. */
static void read_owner(int fd, char *out, size_t size)
{
    ssize_t length = pread(fd, out, size - 1, 0);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (!*out)
        snprintf(out, size, "another process");
}

static void write_owner(int fd)
{
    char node[NODE_SIZE], text[320];
    int length = snprintf(text, sizeof text, "process %ld on node %s\n", (long)getpid(), node_name(node));
    /* If this fails the lock holds all the same and only its sentence says less. */
    if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)length, 0) != length)
        return;
}

static int refuse_lock(const struct rundir *dir, int fd, int code, bool *taken, struct err *err)
{
    char owner[320];
    *taken = code == EAGAIN;
    if (!*taken) {
        errno = code;
        return err_errno(err, "can't lock %s; is this filesystem mounted without locks?", dir->lock);
    }
    read_owner(fd, owner, sizeof owner);
    return err_set(err, "a coordinator already runs in %s: %s; see it with gannet status, end it with gannet stop",
                   dir->path, owner);
}

int rundir_try_lock(const struct rundir *dir, int *fd, bool *taken, struct err *err)
{
    *fd = -1;
    *taken = false;
    if (path_exists(dir->path) && path_check_ours(dir->path, err))
        return -1;
    *fd = open(dir->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0)
        return err_errno(err, "can't open the lock file %s", dir->lock);
    for (int look = 0; look < LOOKS; look++) {
        struct flock lock = whole_file(F_WRLCK);
        if (fcntl(*fd, F_OFD_SETLK, &lock) == 0) {
            write_owner(*fd);
            return 0;
        }
        if (errno != EAGAIN)
            break;
        nanosleep(&between_looks, NULL);
        errno = EAGAIN;
    }
    refuse_lock(dir, *fd, errno, taken, err);
    close(*fd);
    *fd = -1;
    return -1;
}

int rundir_lock(const struct rundir *dir, int *fd, struct err *err)
{
    bool taken;
    return rundir_try_lock(dir, fd, &taken, err);
}

bool rundir_stays_locked(const struct rundir *dir)
{
    bool locked = rundir_is_locked(dir);
    for (int look = 1; locked && look < LOOKS; look++) {
        nanosleep(&between_looks, NULL);
        locked = rundir_is_locked(dir);
    }
    return locked;
}

bool rundir_is_locked(const struct rundir *dir)
{
    int fd = open(dir->lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    struct flock lock = whole_file(F_RDLCK);
    bool locked = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return locked;
}
