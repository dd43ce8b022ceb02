/* The address of this machine as others are told it, for a socket that listens on all of them: by its name where the
 * name is known, since each then takes the way that is right for it; else by number. */
#ifndef GANNET_SCHEDULER_COORDINATOR_ADDRESS_H
#define GANNET_SCHEDULER_COORDINATOR_ADDRESS_H

#include "common/node.h"

#include <ifaddrs.h>

enum { ADDRESS_SIZE = NODE_SIZE };

/* `host` when it resolves, else the address of an interface, else the one that only this machine reaches. Returns
 * `out`. */
const char *address_to_tell(const char *host, char out[ADDRESS_SIZE]);

/* The IPv4 address by which other nodes most likely reach this one; 127.0.0.1 when there is no other. Pure. Returns
 * `out`. */
const char *address_of_interfaces(const struct ifaddrs *all, char out[ADDRESS_SIZE]);

#endif
