/* A TCP listener of ZeroMQ that is to take no connections for a while. zmq_unbind would end the connections that stand,
 * too. */
#ifndef GANNET_COMMON_LISTENING_H
#define GANNET_COMMON_LISTENING_H

/* The descriptor that listens at the port of "tcp://ADDRESS:PORT" in this process, which ZeroMQ tells nobody; -1: none
 * was found. */
int listening_find(const char *endpoint);

/* From the one to the other it takes no connections; who tries to connect is not refused, TCP tries again. -1 is fine.
 */
void listening_pause(int fd);
void listening_resume(int fd);

#endif
