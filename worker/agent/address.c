/* See address.h. A datagram socket that is connected sends nothing, and knows the way. */
#include "worker/agent/address.h"

#include "common/mem.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char tcp[] = "tcp://", loopback[] = "127.0.0.1";

static void show_address(const struct sockaddr *address, socklen_t length, char out[AGENT_ADDRESS_SIZE])
{
    if (getnameinfo(address, length, out, AGENT_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST))
        snprintf(out, AGENT_ADDRESS_SIZE, "%s", loopback);
}

/* This end of the way to it. */
static void show_own_end(const struct addrinfo *other, char out[AGENT_ADDRESS_SIZE])
{
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    int fd = socket(other->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, other->ai_addr, other->ai_addrlen) == 0 &&
        getsockname(fd, (struct sockaddr *)&own, &length) == 0)
        show_address((struct sockaddr *)&own, length, out);
    if (fd >= 0)
        close(fd);
}

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* Of the first interface that is up and leads anywhere; else `out` stays. */
static void show_reachable(char out[AGENT_ADDRESS_SIZE])
{
    struct ifaddrs *all, *one;
    if (getifaddrs(&all))
        return;
    for (one = all; one; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && one->ifa_flags & IFF_UP &&
            !(one->ifa_flags & IFF_LOOPBACK))
            break;
    if (one)
        show_address(one->ifa_addr, sizeof(struct sockaddr_in), out);
    freeifaddrs(all);
}

const char *address_toward(const char *endpoint, char out[AGENT_ADDRESS_SIZE])
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
    snprintf(out, AGENT_ADDRESS_SIZE, "%s", loopback);
    const char *colon = endpoint ? strrchr(endpoint, ':') : NULL;
    if (!colon || strncmp(endpoint, tcp, strlen(tcp)) != 0 || colon <= endpoint + strlen(tcp))
        return out;
    const char *host = endpoint + strlen(tcp);
    size_t length = (size_t)(colon - host);
    bool in_brackets = length > 2 && *host == '[' && host[length - 1] == ']';
    char *name = mem_text_n(host + in_brackets, length - 2 * in_brackets);
    if (getaddrinfo(name, colon + 1, &hints, &found) == 0) {
        show_own_end(found, out);
        freeaddrinfo(found);
    }
    if (is_loopback(out) && !is_loopback(name) && strcmp(name, "localhost") != 0)
        show_reachable(out);
    free(name);
    return out;
}
