/* A terminal whose keys are gone when they are read: preloaded, it lets poll announce input of every terminal as long
 * as there is a file GANNET_TEST_PHANTOM; the file with ".told" behind it has a byte for each such announcement.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What is defined here for the linker alone. */
int __poll_chk(struct pollfd *items, nfds_t count, int milliseconds, size_t size);

static void note_told(const char *path)
{
    char told[4096];
    snprintf(told, sizeof told, "%s.told", path);
    int fd = open(told, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
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
static bool may_announce(const struct pollfd *items, nfds_t count)
{
    const char *path = getenv("GANNET_TEST_PHANTOM");
    bool is_awaited = false;
    for (nfds_t i = 0; i < count; i++)
        is_awaited = is_awaited || is_key_awaited(&items[i]);
    return is_awaited && path && access(path, F_OK) == 0;
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
        note_told(getenv("GANNET_TEST_PHANTOM"));
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
