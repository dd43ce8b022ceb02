/* The lock of a run directory; see rundir.h.
 *
 * An open file description lock: it goes with the process however it ends, works over NFS, and is not lost when some
 * other part of the process closes the same file (as POSIX record locks are). The file's text says whose it is: for the
 * sentence of whoever is refused, and for who finds a coordinator.json (common/discovery.h).
 *
 * A process that was killed holds its lock for some milliseconds more, so who finds it taken looks again for a moment;
 * a coordinator whose `gannet run` was killed ends in order, for which its reaper leaves it some seconds. */
#include "scheduler/rundir/rundir.h"

#include "common/lock.h"
#include "common/node.h"
#include "common/path.h"
#include "common/proc_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKS = 50,         /* half a second in all */
    ENDING_LOOKS = 1500 /* 15 seconds: scheduler/reaper/main.c takes less than 10 */
};
static const struct timespec between_looks = {0, 10 * 1000000}; /* 10 ms */

static struct flock whole_file(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

static void write_owner(int fd)
{
    char node[NODE_SIZE], text[LOCK_TEXT];
    size_t length = strlen(lock_text((int)getpid(), node_name(node), text));
    text[length++] = '\n';
    /* If this fails the lock holds, but the discovery is not believed: the disk has to have room for one line. */
    if (pwrite(fd, text, length, 0) != (ssize_t)length || ftruncate(fd, (off_t)length))
        return;
}

static int refuse_lock(const struct rundir *dir, int fd, int code, bool *taken, struct err *err)
{
    char owner[LOCK_TEXT];
    *taken = code == EAGAIN;
    if (!*taken) {
        errno = code;
        return err_errno(err, "can't lock %s; is this filesystem mounted without locks?", dir->lock);
    }
    lock_read_text(fd, owner);
    return err_set(err, "a coordinator already runs in %s: %s; see it with gannet status, end it with gannet stop",
                   dir->path, *owner ? owner : "another process");
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

static bool is_ending(const struct rundir *dir)
{
    char owner[LOCK_TEXT] = "", here[LOCK_TEXT], node[NODE_SIZE];
    int pid, fd = lock_open(dir->lock);
    if (fd < 0)
        return false;
    lock_read_text(fd, owner);
    close(fd);
    return sscanf(owner, "process %d ", &pid) == 1 && strcmp(owner, lock_text(pid, node_name(node), here)) == 0 &&
           proc_mark_lost_run(pid);
}

/* Nobody else can have that byte: who wants the lock wants all of the file, and the rest of it stays taken. Whose the
 * lock is may only be written now that there is room. */
void rundir_mark_waiting(int fd, bool waits)
{
    struct flock lock = whole_file(waits ? F_UNLCK : F_WRLCK);
    lock.l_start = LOCK_WAITING_BYTE;
    lock.l_len = 1;
    (void)fcntl(fd, F_OFD_SETLK, &lock);
    if (!waits)
        write_owner(fd);
}

bool rundir_is_waiting(const struct rundir *dir)
{
    int fd = lock_open(dir->lock);
    bool waits = fd >= 0 && lock_is_held(fd) && lock_is_waiting(fd);
    if (fd >= 0)
        close(fd);
    return waits;
}

bool rundir_stays_locked(const struct rundir *dir)
{
    bool locked = rundir_is_locked(dir);
    for (int look = 1; locked && look < (is_ending(dir) ? ENDING_LOOKS : LOOKS); look++) {
        nanosleep(&between_looks, NULL);
        locked = rundir_is_locked(dir);
    }
    return locked;
}

bool rundir_is_locked(const struct rundir *dir)
{
    int fd = lock_open(dir->lock);
    bool locked = fd >= 0 && lock_is_held(fd);
    if (fd >= 0)
        close(fd);
    return locked;
}
