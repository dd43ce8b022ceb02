/* See listening.h. The kernel drops every packet to a socket whose filter says so: those that would make a connection,
 * since the connections that stand have sockets of their own. */
#include "common/listening.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static in_port_t port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ((const struct sockaddr_in *)address)->sin_port;
    return address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port : 0;
}

static bool listens_at(int fd, uint16_t port)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address, length = sizeof(int);
    int listens = 0;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens &&
           getsockname(fd, (struct sockaddr *)&address, &size) == 0 && port_of(&address) == htons(port);
}

int listening_find(const char *endpoint)
{
    enum { MOST_OPEN = 4096 };
    uint16_t port = (uint16_t)strtoul(strrchr(endpoint, ':') + 1, NULL, 10);
    for (int fd = 0; fd < MOST_OPEN && port; fd++)
        if (listens_at(fd, port))
            return fd;
    return -1;
}

void listening_pause(int fd)
{
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {1, &drop};
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

void listening_resume(int fd)
{
    int unused = 0;
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
}
