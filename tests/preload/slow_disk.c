/* A bad disk, preloaded into a program: it takes GANNET_TEST_SYNC seconds for every sync, however little is written;
 * and it is full below the directory GANNET_TEST_FULL as long as there is a file of that name with ".full" behind it;
 * the file with ".refused" behind it has the processes whose writes failed, a line each time.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What is defined here for the linker alone. */
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset);

static void wait_for_disk(void)
{
    const char *text = getenv("GANNET_TEST_SYNC");
    double seconds = text ? atof(text) : 0;
    struct timespec left = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    while (nanosleep(&left, &left) && errno == EINTR)
        continue;
}

int fsync(int fd)
{
    wait_for_disk();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, fd);
}

static bool is_below(int fd, const char *directory)
{
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, path, sizeof path - 1) > 0 && strncmp(path, directory, strlen(directory)) == 0 &&
           path[strlen(directory)] == '/';
}

/* Whose write it was, for tests that wait for somebody to meet the full disk. */
static void note_refusal(const char *directory)
{
    char path[4096], line[32];
    snprintf(path, sizeof path, "%s.refused", directory);
    int length = snprintf(line, sizeof line, "%ld\n", (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)!syscall(SYS_write, fd, line, (size_t)length);
    if (fd >= 0)
        close(fd);
}

static bool has_no_space(int fd)
{
    const char *directory = getenv("GANNET_TEST_FULL");
    char mark[4096];
    if (!directory || !is_below(fd, directory))
        return false;
    snprintf(mark, sizeof mark, "%s.full", directory);
    if (access(mark, F_OK))
        return false;
    note_refusal(directory);
    errno = ENOSPC;
    return true;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    return has_no_space(fd) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset)
{
    return has_no_space(fd) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
    return pwrite64(fd, bytes, length, offset);
}
