/* Where workers and the command line come in; see listener.h. */
#include "scheduler/coordinator/listener.h"

#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/sockets.h"
#include "scheduler/coordinator/address.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/coordinator/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listener {
    const struct rundir *dir;
    const struct spec_network *network;
    struct sockets sockets; /* the directory of the local ones */
    struct link *workers;
    struct link *control; /* for the command line */
    struct discovery discovery;
    bool announced;
};

/* The port of the coordinator before, so that its workers find us where they look for it; 0: there was none. */
static uint32_t port_of_before(const struct rundir *dir)
{
    struct discovery before;
    (void)discovery_read(dir, &before, NULL); /* what it says of a coordinator that is gone is what we want */
    const char *port = strncmp(before.workers, "tcp://", 6) ? NULL : strrchr(before.workers, ':');
    return port ? (uint32_t)strtoul(port + 1, NULL, 10) & UINT16_MAX : 0;
}

/* Only who has the key of this run directory gets in: workers the worker's, */
static struct link *bind_workers(struct listener *listener, struct link_context *links, const char *listen,
                                 const struct key_pair *mine, struct err *err)
{
    struct key_pair worker = {0};
    struct link *link = NULL;
    char *endpoint = listen ? mem_text(listen) : mem_format("ipc://%s/workers", listener->sockets.path);
    const char *allowed = worker.public;
    if (rundir_read_key(listener->dir, "worker", &worker, err) == 0)
        link = endpoint_bind(links, listener->network, endpoint, port_of_before(listener->dir),
                             &(struct endpoint_keys){mine, &allowed, 1, false}, err);
    keys_wipe(&worker);
    free(endpoint);
    return link;
}

/* The keys of those who may ask, in the order of their roles. */
static int read_asking(const struct rundir *dir, struct key_pair asking[SERVICE_ROLES], struct err *err)
{
    for (enum service_role role = 0; role < SERVICE_ROLES; role++)
        if (rundir_make_key(dir, service_role_name(role), err) ||
            rundir_read_key(dir, service_role_name(role), &asking[role], err))
            return -1;
    return 0;
}

/* and questions are taken only from who has the operator's or the viewer's: what a worker knows is not enough. With TCP
 * they come to the same address at a port of its own, from this host, too: libzmq survives a TCP listener without a
 * free descriptor, and no local one. */
static int bind_commands(struct listener *listener, struct link_context *links, const char *listen,
                         const struct key_pair *mine, struct err *err)
{
    struct key_pair asking[SERVICE_ROLES] = {0};
    const char *const allowed[SERVICE_ROLES] = {asking[SERVICE_OPERATOR].public, asking[SERVICE_VIEWER].public};
    const struct endpoint_keys keys = {mine, allowed, SERVICE_ROLES, false};
    char *endpoint = listen ? endpoint_beside(listen) : mem_format("ipc://%s/control", listener->sockets.path);
    bool bound = read_asking(listener->dir, asking, err) == 0 &&
                 (listener->control = endpoint_bind(links, listener->network, endpoint, 0, &keys, err));
    for (enum service_role role = 0; role < SERVICE_ROLES; role++)
        keys_wipe(&asking[role]);
    free(endpoint);
    return bound ? 0 : -1;
}

static int bind_all(struct listener *listener, struct link_context *links, const char *listen, struct err *err)
{
    struct key_pair mine = {0};
    if (rundir_read_key(listener->dir, "coordinator", &mine, err))
        return -1;
    memcpy(listener->discovery.public_key, mine.public, sizeof mine.public);
    listener->workers = bind_workers(listener, links, listen, &mine, err);
    int failed = listener->workers ? bind_commands(listener, links, listen, &mine, err) : -1;
    keys_wipe(&mine);
    return failed;
}

/* `listen` with what the keys say of it. */
static int bind_over_tcp(struct listener *listener, struct link_context *links, const char *listen, struct err *err)
{
    char *endpoint = link_check_endpoint(listen, err) ? NULL : endpoint_resolve(listener->network, listen, err);
    int failed = endpoint ? bind_all(listener, links, endpoint, err) : -1;
    free(endpoint);
    return failed;
}

struct listener *listener_open(struct link_context *links, const struct rundir *dir, const char *listen,
                               const struct spec_network *network, struct err *err)
{
    struct listener *listener = MEM_NEW(struct listener);
    listener->dir = dir;
    listener->network = network;
    int failed = listen                                  ? bind_over_tcp(listener, links, listen, err)
                 : sockets_make(&listener->sockets, err) ? -1
                                                         : bind_all(listener, links, NULL, err);
    if (!failed)
        return listener;
    listener_close(listener);
    return NULL;
}

int listener_announce(struct listener *listener, uint64_t session, bool exclusive, struct err *err)
{
    struct discovery *discovery = &listener->discovery;
    node_name(discovery->node);
    node_host(discovery->host);
    discovery->pid = (int)getpid();
    discovery->session = session;
    discovery->exclusive = exclusive;
    address_write(link_endpoint(listener->workers), discovery->host, discovery->workers, sizeof discovery->workers);
    address_write(link_endpoint(listener->control), discovery->host, discovery->control, sizeof discovery->control);
    listener->announced = discovery_write(listener->dir, discovery, err) == 0;
    if (listener->announced)
        log_info("session %llu: workers connect to %s", (unsigned long long)session, discovery->workers);
    return listener->announced ? 0 : -1;
}

void listener_close(struct listener *listener)
{
    if (!listener)
        return;
    if (listener->announced)
        discovery_remove(listener->dir);
    link_close(listener->workers);
    link_close(listener->control);
    sockets_remove(&listener->sockets); /* ZeroMQ removes the files too, but only some time after the close */
    free(listener);
}

struct link *listener_workers(const struct listener *listener)
{
    return listener->workers;
}

struct link *listener_control(const struct listener *listener)
{
    return listener->control;
}

const struct discovery *listener_discovery(const struct listener *listener)
{
    return &listener->discovery;
}
