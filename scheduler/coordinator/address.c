/* How others reach this machine; see address.h. */
#include "scheduler/coordinator/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much an interface's address is worth to other nodes. */
enum address_rank { RANK_NONE, RANK_LINK_LOCAL, RANK_INTERNAL, RANK_NETWORK };

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

static enum address_rank rank_of(const struct ifaddrs *interface)
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

static bool is_up(const struct ifaddrs *interface)
{
    return interface->ifa_addr && interface->ifa_addr->sa_family == AF_INET && interface->ifa_flags & IFF_UP;
}

/* Whether it is what was asked for: by its name, or by its address. */
static bool is_wanted(const struct ifaddrs *interface, const char *wanted)
{
    struct in_addr subnet;
    char numbers[INET_ADDRSTRLEN];
    const char *slash = strchr(wanted, '/');
    if (!slash)
        return strcmp(interface->ifa_name, wanted) == 0;
    snprintf(numbers, sizeof numbers, "%.*s", (int)(slash - wanted), wanted);
    unsigned long bits = strtoul(slash + 1, NULL, 10);
    uint32_t mask = bits ? UINT32_MAX << (32 - bits) : 0;
    return inet_pton(AF_INET, numbers, &subnet) == 1 && ((number_of(interface) ^ ntohl(subnet.s_addr)) & mask) == 0;
}

static const char *show_address(const struct ifaddrs *interface, char out[ADDRESS_SIZE])
{
    struct in_addr address = {.s_addr = htonl(number_of(interface))};
    return inet_ntop(AF_INET, &address, out, ADDRESS_SIZE);
}

const char *address_at(const struct ifaddrs *all, const char *wanted, char out[ADDRESS_SIZE])
{
    for (; all; all = all->ifa_next)
        if (is_up(all) && is_wanted(all, wanted))
            return show_address(all, out);
    return NULL;
}

void address_list(const struct ifaddrs *all, struct buf *out)
{
    char address[ADDRESS_SIZE];
    const char *between = "";
    for (; all; all = all->ifa_next)
        if (is_up(all)) {
            buf_format(out, "%s%s (%s)", between, all->ifa_name, show_address(all, address));
            between = ", ";
        }
    if (!*between)
        buf_text(out, "none");
}

const char *address_port_of_all(const char *endpoint)
{
    static const char *const all[] = {"tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(endpoint, all[i], strlen(all[i])) == 0)
            return endpoint + strlen(all[i]);
    return NULL;
}

void address_write(const char *endpoint, const char *host, char *out, size_t size)
{
    char address[ADDRESS_SIZE];
    const char *port = address_port_of_all(endpoint);
    if (port)
        snprintf(out, size, "tcp://%s:%s", address_to_tell(host, address), port);
    else
        snprintf(out, size, "%s", endpoint);
}
