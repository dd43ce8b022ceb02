/* How others reach this machine; see address.h. */
#include "scheduler/coordinator/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How much an interface's address is worth to other nodes. */
enum rank { RANK_NONE, RANK_LINK_LOCAL, RANK_INTERNAL, RANK_NETWORK };

/* "localhost" is known everywhere, and means somebody else there. */
static bool is_known(const char *host)
{
    struct addrinfo *found = NULL;
    if (strncmp(host, "localhost", 9) == 0 || getaddrinfo(host, NULL, NULL, &found))
        return false;
    freeaddrinfo(found);
    return true;
}

/* Networks between a machine and its own containers. */
static bool is_internal(const char *interface)
{
    static const char *const names[] = {"docker", "podman", "virbr", "br-", "veth", "cni", "lxc", "lxd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(interface, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static uint32_t number_of(const struct ifaddrs *interface)
{
    struct sockaddr_in address;
    memcpy(&address, interface->ifa_addr, sizeof address);
    return ntohl(address.sin_addr.s_addr);
}

static enum rank rank_of(const struct ifaddrs *interface)
{
    static const unsigned needed = IFF_UP | IFF_RUNNING;
    if (!interface->ifa_addr || interface->ifa_addr->sa_family != AF_INET)
        return RANK_NONE;
    if ((interface->ifa_flags & (needed | IFF_LOOPBACK)) != needed || number_of(interface) >> 24 == IN_LOOPBACKNET)
        return RANK_NONE;
    if (number_of(interface) >> 16 == 0xa9fe) /* 169.254.0.0/16, RFC 3927 */
        return RANK_LINK_LOCAL;
    return is_internal(interface->ifa_name) ? RANK_INTERNAL : RANK_NETWORK;
}

const char *address_of_interfaces(const struct ifaddrs *all, char out[ADDRESS_SIZE])
{
    const struct ifaddrs *best = NULL;
    for (const struct ifaddrs *at = all; at; at = at->ifa_next)
        if (rank_of(at) > (best ? rank_of(best) : RANK_NONE))
            best = at;
    struct in_addr address = {.s_addr = htonl(best ? number_of(best) : INADDR_LOOPBACK)};
    return inet_ntop(AF_INET, &address, out, ADDRESS_SIZE);
}

const char *address_to_tell(const char *host, char out[ADDRESS_SIZE])
{
    struct ifaddrs *all = NULL;
    if (is_known(host)) {
        snprintf(out, ADDRESS_SIZE, "%s", host);
        return out;
    }
    if (getifaddrs(&all))
        all = NULL;
    address_of_interfaces(all, out);
    freeifaddrs(all);
    return out;
}
