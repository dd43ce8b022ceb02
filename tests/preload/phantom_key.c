/* A terminal whose keys are gone when they are read: preloaded, it lets poll announce input of every terminal as long
 * as there is a file GANNET_TEST_PHANTOM; the file with ".told" behind it has a byte for each such announcement. As
 * long as there is one with ".late" behind it, a key comes right after it was asked how many there are: the answer is
 * none, and is given once there is one. The file with ".asked" behind it has a byte for each such question.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What is defined here for the linker alone. */
int __poll_chk(struct pollfd *items, nfds_t count, int milliseconds, size_t size);

/* The file of this name beside the variable's, in `path`; false: the variable says nothing. */
static bool path_of(const char *ending, char path[static 4096])
{
    const char *base = getenv("GANNET_TEST_PHANTOM");
    return base && snprintf(path, 4096, "%s%s", base, ending) < 4096;
}

static void note(const char *ending)
{
    char path[4096];
    int fd = path_of(ending, path) ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        (void)!write(fd, "+", 1);
        close(fd);
    }
}

static bool is_key_awaited(const struct pollfd *item)
{
    return (item->events & POLLIN) && isatty(item->fd);
}

/* Whether there is a key to announce. */
static bool may_announce(struct pollfd *items, nfds_t count)
{
    char path[4096];
    bool is_awaited = false;
    for (nfds_t i = 0; i < count; i++)
        is_awaited = is_awaited || is_key_awaited(&items[i]);
    return is_awaited && path_of("", path) && access(path, F_OK) == 0;
}

/* How many items are announced though nothing is there. */
static int announce(struct pollfd *items, nfds_t count)
{
    int announced = 0;
    for (nfds_t i = 0; i < count; i++)
        if (!items[i].revents && is_key_awaited(&items[i])) {
            items[i].revents = POLLIN;
            announced++;
        }
    if (announced)
        note(".told");
    return announced;
}

int ppoll(struct pollfd *items, nfds_t count, const struct timespec *limit, const sigset_t *blocked)
{
    bool announces = may_announce(items, count);
    struct timespec rest = {0};
    if (limit && !announces)
        rest = *limit; /* a copy, since the kernel writes into it */
    int ready = (int)syscall(SYS_ppoll, items, count, limit || announces ? &rest : NULL, blocked, 8);
    return ready >= 0 && announces ? ready + announce(items, count) : ready;
}

int poll(struct pollfd *items, nfds_t count, int milliseconds)
{
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return ppoll(items, count, milliseconds < 0 ? NULL : &limit, NULL);
}

int __poll_chk(struct pollfd *items, nfds_t count, int milliseconds, size_t size)
{
    return size / sizeof *items < count ? (abort(), -1) : poll(items, count, milliseconds);
}

/* Waits for a key, and says that there was none yet. */
static void answer_late(int fd, int *bytes)
{
    struct pollfd key = {.fd = fd, .events = POLLIN};
    note(".asked");
    syscall(SYS_ppoll, &key, 1, NULL, NULL, 8);
    *bytes = 0;
}

int ioctl(int fd, unsigned long request, ...)
{
    char path[4096];
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int result = (int)syscall(SYS_ioctl, fd, request, argument);
    if (request == FIONREAD && result == 0 && path_of(".late", path) && access(path, F_OK) == 0)
        answer_late(fd, argument);
    return result;
}
