/* ZeroMQ whose calls fail on demand, waiting too. It defines functions of ZeroMQ's itself, which stand before those of
 * the library: one file of a test program includes this. */
#ifndef GANNET_TESTS_ZMQ_FAULTS_H
#define GANNET_TESTS_ZMQ_FAULTS_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <zmq.h>

/* Of this thread alone: the handler of keys has calls of its own. The call number `at` from now on (1: the next one)
 * fails with this errno; 0: none does. */
static _Thread_local struct {
    unsigned at;
    int number;
    bool came;
} fault;

static bool fails(void)
{
    if (!fault.at || --fault.at)
        return false;
    fault.came = true;
    errno = fault.number;
    return true;
}

static void fail_at(unsigned at, int number)
{
    fault.at = at;
    fault.number = number;
    fault.came = false;
}

static bool mend(void)
{
    fault.at = 0;
    return fault.came;
}

#define NEXT(type, name, ...)                                                                                          \
    static _Thread_local type (*next)(__VA_ARGS__);                                                                    \
    if (!next)                                                                                                         \
        *(void **)&next = dlsym(RTLD_NEXT, name);

/* These stand before those of the library. */
void *zmq_ctx_new(void)
{
    NEXT(void *, "zmq_ctx_new", void)
    return fails() ? NULL : next();
}

void *zmq_socket(void *context, int type)
{
    NEXT(void *, "zmq_socket", void *, int)
    return fails() ? NULL : next(context, type);
}

int zmq_setsockopt(void *socket, int option, const void *value, size_t length)
{
    NEXT(int, "zmq_setsockopt", void *, int, const void *, size_t)
    return fails() ? -1 : next(socket, option, value, length);
}

int zmq_getsockopt(void *socket, int option, void *value, size_t *length)
{
    NEXT(int, "zmq_getsockopt", void *, int, void *, size_t *)
    return fails() ? -1 : next(socket, option, value, length);
}

int zmq_bind(void *socket, const char *endpoint)
{
    NEXT(int, "zmq_bind", void *, const char *)
    return fails() ? -1 : next(socket, endpoint);
}

int zmq_connect(void *socket, const char *endpoint)
{
    NEXT(int, "zmq_connect", void *, const char *)
    return fails() ? -1 : next(socket, endpoint);
}

int zmq_send(void *socket, const void *bytes, size_t length, int flags)
{
    NEXT(int, "zmq_send", void *, const void *, size_t, int)
    return fails() ? -1 : next(socket, bytes, length, flags);
}

int zmq_msg_recv(zmq_msg_t *message, void *socket, int flags)
{
    NEXT(int, "zmq_msg_recv", zmq_msg_t *, void *, int)
    return fails() ? -1 : next(message, socket, flags);
}

int zmq_socket_monitor(void *socket, const char *place, int events)
{
    NEXT(int, "zmq_socket_monitor", void *, const char *, int)
    return fails() ? -1 : next(socket, place, events);
}

int zmq_msg_init_data(zmq_msg_t *message, void *data, size_t length, zmq_free_fn *let_go, void *context)
{
    NEXT(int, "zmq_msg_init_data", zmq_msg_t *, void *, size_t, zmq_free_fn *, void *)
    return fails() ? -1 : next(message, data, length, let_go, context);
}

int zmq_msg_send(zmq_msg_t *message, void *socket, int flags)
{
    NEXT(int, "zmq_msg_send", zmq_msg_t *, void *, int)
    return fails() ? -1 : next(message, socket, flags);
}

int zmq_ctx_term(void *context)
{
    NEXT(int, "zmq_ctx_term", void *)
    return fails() ? -1 : next(context);
}

/* An older library, and one that lacks what we need. */
static bool is_old, is_bare;

void zmq_version(int *major, int *minor, int *patch)
{
    NEXT(void, "zmq_version", int *, int *, int *)
    next(major, minor, patch);
    if (is_old)
        *major = 4, *minor = 3, *patch = 2;
}

int zmq_has(const char *what)
{
    NEXT(int, "zmq_has", const char *)
    return is_bare && strcmp(what, "curve") == 0 ? 0 : next(what);
}

#endif
