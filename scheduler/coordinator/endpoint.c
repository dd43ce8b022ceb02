/* Where a coordinator listens; see endpoint.h. */
#include "scheduler/coordinator/endpoint.h"

#include "common/mem.h"
#include "common/node.h"
#include "scheduler/coordinator/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

char *endpoint_resolve(const struct spec_network *network, const char *listen, struct err *err)
{
    char address[ADDRESS_SIZE], node[NODE_SIZE];
    const char *port = address_port_of_all(listen);
    if (!port || !network->interface)
        return mem_text(listen);
    struct ifaddrs *all = NULL;
    struct buf there = {0};
    if (getifaddrs(&all))
        all = NULL;
    const char *found = address_at(all, network->interface, address);
    address_list(all, &there);
    freeifaddrs(all);
    if (!found)
        err_write(err,
                  "network.interface is '%s', and node %s has no such interface with an IPv4 address that is up. It "
                  "has: %s",
                  network->interface, node_name(node), buf_str(&there));
    buf_fini(&there);
    return found ? mem_format("tcp://%s:%s", found, port) : NULL;
}

char *endpoint_beside(const char *endpoint)
{
    const char *port = strrchr(endpoint, ':');
    return mem_format("%.*s:*", (int)(port - endpoint), endpoint);
}

/* The address of an endpoint with a port that is open; false: its port is given. */
static bool take_address(const char *endpoint, char *out, size_t size)
{
    size_t length = strlen(endpoint);
    if (length < 2 || strcmp(endpoint + length - 2, ":*") || strncmp(endpoint, "tcp://", 6))
        return false;
    return snprintf(out, size, "%.*s", (int)length - 8, endpoint + 6) < (int)size;
}

/* Asks the kernel at once, where ZeroMQ would make a socket with keys and a thread's work for each port of a range.
 * What can't be asked so is left to ZeroMQ. */
static bool is_taken(const char *address, uint32_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const char *numbers = strcmp(address, "*") == 0 ? "0.0.0.0" : address;
    int fd = inet_pton(AF_INET, numbers, &at.sin_addr) == 1 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return false;
    int reuse = 1; /* as ZeroMQ does: what a dead coordinator's connections still hold is free */
    bool taken = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
                 bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 && errno == EADDRINUSE;
    close(fd);
    return taken;
}

static struct link *bind_there(struct link_context *links, const char *endpoint, const struct endpoint_keys *keys,
                               struct err *err)
{
    return keys->narrow ? link_bind_narrow(links, endpoint, keys->mine, keys->allowed, keys->allowed_count, err)
                        : link_bind(links, endpoint, keys->mine, keys->allowed, keys->allowed_count, err);
}

static struct link *bind_port(struct link_context *links, const char *address, uint32_t port,
                              const struct endpoint_keys *keys, struct err *err)
{
    char *endpoint = mem_format("tcp://%s:%u", address, port);
    struct link *link = bind_there(links, endpoint, keys, err);
    free(endpoint);
    return link;
}

static struct link *bind_in_range(struct link_context *links, const struct spec_ports *ports, const char *address,
                                  const struct endpoint_keys *keys, struct err *err)
{
    struct err why = {"all are taken"};
    struct link *link = NULL;
    for (uint32_t port = ports->first; port <= ports->last && !link; port++)
        if (!is_taken(address, port))
            link = bind_port(links, address, port, keys, &why);
    if (!link)
        err_write(
            err,
            "network.ports is %u-%u, and none of these is left at %s: %s. A search needs two on its coordinator's "
            "node: widen the range, or wait until another search there has ended",
            ports->first, ports->last, address, why.text);
    return link;
}

struct link *endpoint_bind(struct link_context *links, const struct spec_network *network, const char *endpoint,
                           uint32_t before, const struct endpoint_keys *keys, struct err *err)
{
    char address[ADDRESS_SIZE];
    const struct spec_ports *ports = &network->ports;
    bool outside = ports->last && (before < ports->first || before > ports->last);
    if (!take_address(endpoint, address, sizeof address))
        return bind_there(links, endpoint, keys, err);
    struct link *link = before && !outside ? bind_port(links, address, before, keys, NULL) : NULL;
    if (link)
        return link;
    return ports->last ? bind_in_range(links, ports, address, keys, err) : bind_there(links, endpoint, keys, err);
}

/* Takes both ports for a moment. */
static int try_endpoint(struct link_context *links, const struct spec_network *network, const char *endpoint,
                        struct err *err)
{
    struct key_pair pair;
    const char *allowed = pair.public;
    const struct endpoint_keys keys = {&pair, &allowed, 1, false};
    char *beside = endpoint_beside(endpoint);
    struct link *workers = NULL, *commands = NULL;
    if (keys_make(&pair, err) == 0) {
        workers = endpoint_bind(links, network, endpoint, 0, &keys, err);
        commands = workers ? endpoint_bind(links, network, beside, 0, &keys, err) : NULL;
        keys_wipe(&pair);
    }
    bool fine = commands;
    link_close(commands);
    link_close(workers);
    free(beside);
    return fine ? 0 : -1;
}

int endpoint_check(const struct spec_network *network, const char *listen, struct err *err)
{
    if (link_check_endpoint(listen, err))
        return -1;
    char *endpoint = endpoint_resolve(network, listen, err);
    struct link_context *links = endpoint ? link_context_create(err) : NULL;
    int failed = links ? try_endpoint(links, network, endpoint, err) : -1;
    link_context_destroy(links);
    free(endpoint);
    return failed;
}
