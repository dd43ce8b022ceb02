/* A disk that takes GANNET_TEST_SYNC seconds for every sync, however little is written: preloaded into a program. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
