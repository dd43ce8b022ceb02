/* The address of this machine as others are told it, for a socket that listens on all of them: by its name where the
 * name is known, since each then takes the way that is right for it; else by number. */
#ifndef GANNET_SCHEDULER_COORDINATOR_ADDRESS_H
#define GANNET_SCHEDULER_COORDINATOR_ADDRESS_H

#include "common/node.h"

#include "common/buf.h"

#include <ifaddrs.h>

enum { ADDRESS_SIZE = NODE_SIZE };

/* `host` when it resolves, else the address of an interface, else the one that only this machine reaches. Returns
 * `out`. */
const char *address_to_tell(const char *host, char out[ADDRESS_SIZE]);

/* The IPv4 address by which other nodes most likely reach this one; 127.0.0.1 when there is no other. Pure. Returns
 * `out`. */
const char *address_of_interfaces(const struct ifaddrs *all, char out[ADDRESS_SIZE]);

/* The IPv4 address of the interface of that name, or the first one in a subnet such as 10.1.0.0/16, of those that are
 * up; NULL: there is none. Pure. Returns `out`. */
const char *address_at(const struct ifaddrs *all, const char *wanted, char out[ADDRESS_SIZE]);

/* Adds what there is to choose from: "lo (127.0.0.1), ib0 (10.1.0.7)". */
void address_list(const struct ifaddrs *all, struct buf *out);

/* Writes the endpoint as others are to use it: an address that stands for all of this machine's is replaced by one that
 * it has. */
void address_write(const char *endpoint, const char *host, char *out, size_t size);

/* The port in an endpoint whose address stands for all of a machine's ("tcp://0.0.0.0:*"); NULL: it is one of them. */
const char *address_port_of_all(const char *endpoint);

#endif
