/* The address of this node as the workers of other nodes reach it: that by which it reaches the coordinator itself, so
 * that the choice of the network (network.interface) holds for what kernels on several nodes say to each other, too. */
#ifndef GANNET_WORKER_AGENT_ADDRESS_H
#define GANNET_WORKER_AGENT_ADDRESS_H

enum { AGENT_ADDRESS_SIZE = 64 };

/* The numeric address of this end of a way to `endpoint`, as in tcp://node1:5555; 127.0.0.1 when that is no TCP, or
 * does not resolve. A name that stands for the loopback on its own host (127.0.1.1, as Debian has it) is passed over
 * for the first address that others can reach. Returns `out`. */
const char *address_toward(const char *endpoint, char out[AGENT_ADDRESS_SIZE]);

#endif
