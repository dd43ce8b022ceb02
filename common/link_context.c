/* ZeroMQ itself, started and ended; see link_context.h and link.h. */
#include "common/link_context.h"
#include "common/mem.h"
#include "common/threads.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <zmq.h>

/* Each connection takes a descriptor. No further than anybody needs: some programs close all up to the limit one by
 * one. */
static void raise_open_files(void)
{
    enum { ENOUGH = 1 << 18 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    rlim_t wanted = limit.rlim_max < ENOUGH ? limit.rlim_max : ENOUGH;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int check_library(struct err *err)
{
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    if (major * 10000 + minor * 100 + patch < 40303)
        return err_set(err, "libzmq %d.%d.%d has known holes; install 4.3.3 or later", major, minor, patch);
    if (!zmq_has("curve"))
        return err_set(err, "this libzmq was built without CURVE; install one that has it");
    return 0;
}

void link_version(char *out, size_t size)
{
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    snprintf(out, size, "%d.%d.%d", major, minor, patch);
}

/* libzmq starts its two threads with the first socket, and ends the process in its own words when it can't. */
static void start_threads(void *zmq)
{
    void *first = zmq_socket(zmq, ZMQ_PAIR);
    if (first)
        zmq_close(first);
}

struct link_context *link_context_create(struct err *err)
{
    enum { ZMQ_THREADS = 2 };
    if (check_library(err) || threads_check(ZMQ_THREADS, err))
        return NULL;
    raise_open_files();
    struct link_context *context = MEM_NEW(struct link_context);
    context->zmq = zmq_ctx_new();
    if (!context->zmq) {
        err_write(err, "can't start ZeroMQ: %s", zmq_strerror(errno));
        free(context);
        return NULL;
    }
    zmq_ctx_set(context->zmq, ZMQ_BLOCKY, 0);
    start_threads(context->zmq);
    return context;
}

void link_context_destroy(struct link_context *context)
{
    if (!context)
        return;
    assert(!context->links);        /* an open socket would make us wait for ever */
    zmq_ctx_shutdown(context->zmq); /* wakes the ZAP handler for the last time */
    zap_stop(context->zap);
    while (zmq_ctx_term(context->zmq) && errno == EINTR)
        continue;
    free(context);
}
