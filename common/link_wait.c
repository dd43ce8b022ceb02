/* Waiting for links and descriptors at once; see link.h. A link has a descriptor too, but that only says that something
 * happened inside: what the link can do has to be asked before a wait, unless it was just asked, and after one in which
 * its descriptor spoke. */
#include "common/link.h"
#include "common/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Before a wait: what it was asked for last is still so. */
static bool needs_no_look(const struct link_poll *item)
{
    return link_is_settled(item->link) && !item->want_write;
}

/* Asks all links that want it, or those whose descriptors (unless NULL) say that something happened; whether one of
 * them is ready. */
static bool look_at_links(struct link_poll *items, const struct pollfd *fds, size_t count)
{
    bool ready = false;
    for (size_t i = 0; i < count; i++) {
        struct link_poll *item = &items[i];
        if (!item->link || (fds ? !fds[i].revents : needs_no_look(item)))
            continue;
        bool can_read, can_write;
        link_ready(item->link, &can_read, &can_write);
        item->can_read = item->want_read && can_read;
        item->can_write = item->want_write && can_write;
        ready = ready || item->can_read || item->can_write;
    }
    return ready;
}

static int wait_for(struct pollfd *fds, size_t count, double seconds)
{
    if (seconds < 0 || seconds > 1e9)
        return ppoll(fds, count, NULL, NULL);
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    return ppoll(fds, count, &time, NULL);
}

static void fill_descriptors(const struct link_poll *items, struct pollfd *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fds[i] = (struct pollfd){.fd = items[i].fd};
        if (items[i].link)
            fds[i] = (struct pollfd){.fd = link_fd(items[i].link), .events = POLLIN};
        else
            fds[i].events = (short)((items[i].want_read ? POLLIN : 0) | (items[i].want_write ? POLLOUT : 0));
    }
}

static void read_out(struct link_poll *items, const struct pollfd *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].link)
            continue;
        items[i].can_read = fds[i].revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL);
        items[i].can_write = fds[i].revents & POLLOUT;
    }
}

int link_wait(struct link_poll *items, size_t count, double seconds, struct err *err)
{
    enum { FEW = 64 };
    struct pollfd few[FEW], *fds = count > FEW ? MEM_ARRAY(struct pollfd, count) : few;
    if (look_at_links(items, NULL, count))
        seconds = 0;
    fill_descriptors(items, fds, count);
    int result = wait_for(fds, count, seconds);
    if (result < 0 && errno == EINTR) {
        memset(fds, 0, count * sizeof *fds);
        result = 0;
    }
    if (result < 0) {
        err_write_errno(err, "can't wait for input");
    } else {
        read_out(items, fds, count);
        look_at_links(items, fds, count);
    }
    if (fds != few)
        free(fds);
    return result < 0 ? -1 : 0;
}
