/* Death at a drawn moment, preloaded into programs. A file of GANNET_TEST_POINTS (point.h) says when its process is
 * killed (kill -9); one named ROLE.any is for the process of that role that comes to it first:
 *
 *     before|after KIND N     right before or after its N-th call of that kind
 *
 * sync: what brings the store to the disk; write: to any file or pipe; send: a message of the link; make: a file under
 * a name that is drawn, as checkpoints are written; rename: which puts it to its place; connect, accept: of a socket.
 */
#include "tests/preload/point.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>

/* What is defined here for the linker alone. */
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset);
int mkostemp64(char *name, int flags);
int mkostemp(char *name, int flags);
int zmq_send(void *socket, const void *bytes, size_t length, int flags);

enum kind { SYNC, WRITE, SEND, MAKE, RENAME, CONNECT, ACCEPT, KINDS };

static const char *const kind_names[KINDS] = {"sync", "write", "send", "make", "rename", "connect", "accept"};
static char when[8];           /* before or after */
static enum kind kind = KINDS; /* KINDS: this process is not killed */
static long number;
static atomic_long calls;
static char any_path[4096]; /* the file that this process shares with others; empty: it has its own */

/* Of a role that several processes have at once, of which one comes to such a call: they read the same file, and who is
 * there first removes it. */
static bool read_any(char *line, size_t size)
{
    if (!point_directory)
        return false;
    snprintf(any_path, sizeof any_path, "%s/%s.any", point_directory, point_role);
    int fd = open(any_path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : syscall(SYS_read, fd, line, size - 1);
    if (fd >= 0)
        close(fd);
    line[got > 0 ? got : 0] = '\0';
    return got > 0;
}

__attribute__((constructor)) static void take_point(void)
{
    char line[64], name[16];
    bool any = point_take(line, sizeof line) || read_any(line, sizeof line);
    if (!any || sscanf(line, "%7s %15s %ld", when, name, &number) != 3)
        return;
    for (enum kind k = 0; k < KINDS; k++)
        if (strcmp(name, kind_names[k]) == 0)
            kind = k;
}

static void die(void)
{
    char what[64];
    snprintf(what, sizeof what, "%s %s %ld", when, kind_names[kind], number);
    point_note(what);
    kill(getpid(), SIGKILL);
}

/* Whether this call is the one; then it does not come back where the point is before it. */
static bool is_last(enum kind made)
{
    if (made != kind || atomic_fetch_add(&calls, 1) + 1 != number || (*any_path && unlink(any_path)))
        return false;
    if (strcmp(when, "before") == 0)
        die();
    return true;
}

static ssize_t survive(bool last, ssize_t result)
{
    if (last)
        die();
    return result;
}

int fsync(int fd)
{
    bool last = is_last(SYNC);
    return (int)survive(last, syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    bool last = is_last(SYNC);
    return (int)survive(last, syscall(SYS_fdatasync, fd));
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    bool last = is_last(WRITE);
    return survive(last, syscall(SYS_write, fd, bytes, length));
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset)
{
    bool last = is_last(WRITE);
    return survive(last, syscall(SYS_pwrite64, fd, bytes, length, offset));
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    return pwrite64(fd, bytes, length, offset);
}

/* --- what a trainer does to save and to meet others --- */

static void *find_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int mkostemp64(char *name, int flags)
{
    int (*next)(char *, int);
    *(void **)&next = find_next("mkostemp64");
    bool last = is_last(MAKE);
    return (int)survive(last, next(name, flags));
}

int mkostemp(char *name, int flags)
{
    return mkostemp64(name, flags);
}

int rename(const char *from, const char *to)
{
    bool last = is_last(RENAME);
    return (int)survive(last, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    bool last = is_last(CONNECT);
    return (int)survive(last, syscall(SYS_connect, fd, address, length));
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    bool last = is_last(ACCEPT);
    return (int)survive(last, syscall(SYS_accept4, fd, address, length, flags));
}

/* The link never waits; the handler of its keys, which does, sends no message of ours. 1 and 2: ZMQ_DONTWAIT,
 * ZMQ_SNDMORE. */
int zmq_send(void *socket, const void *bytes, size_t length, int flags)
{
    int (*next)(void *, const void *, size_t, int);
    *(void **)&next = dlsym(RTLD_NEXT, "zmq_send");
    bool last = flags == 1 && is_last(SEND);
    return (int)survive(last, next(socket, bytes, length, flags));
}
