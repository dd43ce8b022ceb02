/* Where workers and the command line come in; see door.h. */
#include "scheduler/door.h"

#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "scheduler/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct door {
    const struct rundir *dir;
    char *sockets; /* the private directory of the sockets */
    char *local;   /* ipc endpoint for workers of this node */
    char *control; /* ipc endpoint for the command line */
    struct link *workers;
    struct link *remote; /* for the command line of other hosts; NULL: none */
    struct rendezvous rendezvous;
    bool announced;
};

static struct link *bind_local(struct door *door, struct link_context *links, struct err *err)
{
    return link_bind(links, door->local, NULL, NULL, 0, err);
}

static int read_key(const struct door *door, const char *who, struct key_pair *pair, struct err *err)
{
    char *file = rundir_key(door->dir, who);
    int failed = keys_read(file, pair, err);
    free(file);
    return failed;
}

/* "tcp://192.0.2.1:*" with the port of the coordinator before, so that its workers find us where they look for it; NULL
 * when a port is given or there was none. free() it. */
static char *with_port_of_before(const struct rundir *dir, const char *listen)
{
    struct rendezvous before;
    size_t length = strlen(listen);
    (void)rendezvous_read(dir, &before, NULL); /* what it says of a coordinator that is gone is what we want */
    const char *port = strrchr(before.workers, ':');
    if (length < 2 || strcmp(listen + length - 2, ":*") || strncmp(before.workers, "tcp://", 6) || !port)
        return NULL;
    return mem_format("%.*s%s", (int)(length - 2), listen, port);
}

static struct link *bind_first(struct door *door, struct link_context *links, const char *listen,
                               const struct key_pair *mine, const char *worker, struct err *err)
{
    char *as_before = with_port_of_before(door->dir, listen);
    struct link *link = as_before ? link_bind(links, as_before, mine, &worker, 1, NULL) : NULL;
    free(as_before);
    return link ? link : link_bind(links, listen, mine, &worker, 1, err);
}

/* Over TCP only who has the worker's key of this run directory gets in, */
static struct link *bind_tcp(struct door *door, struct link_context *links, const char *listen, struct err *err)
{
    struct key_pair mine = {0}, worker = {0};
    struct link *link = NULL;
    if (read_key(door, "coordinator", &mine, err) == 0 && read_key(door, "worker", &worker, err) == 0) {
        link = bind_first(door, links, listen, &mine, worker.public, err);
        memcpy(door->rendezvous.public_key, mine.public, sizeof mine.public);
    }
    keys_wipe(&mine);
    keys_wipe(&worker);
    return link;
}

/* and commands are taken only from who has the operator's: what a worker knows is not enough. They come to the same
 * address at a port of its own. */
static int bind_remote(struct door *door, struct link_context *links, const char *listen, struct err *err)
{
    struct key_pair mine = {0}, asked = {0};
    char *any_port = mem_format("%.*s:*", (int)(strrchr(listen, ':') - listen), listen);
    if (rundir_make_key(door->dir, "operator", err) == 0 && read_key(door, "coordinator", &mine, err) == 0 &&
        read_key(door, "operator", &asked, err) == 0) {
        const char *allowed = asked.public;
        door->remote = link_bind(links, any_port, &mine, &allowed, 1, err);
    }
    keys_wipe(&mine);
    keys_wipe(&asked);
    free(any_port);
    return door->remote ? 0 : -1;
}

struct door *door_open(struct link_context *links, const struct rundir *dir, const char *listen, struct err *err)
{
    struct door *door = MEM_NEW(struct door);
    door->dir = dir;
    door->sockets = rundir_sockets(dir, err);
    if (door->sockets) {
        door->local = mem_format("ipc://%s/workers", door->sockets);
        door->control = mem_format("ipc://%s/control", door->sockets);
        door->workers = listen ? bind_tcp(door, links, listen, err) : bind_local(door, links, err);
    }
    if (door->workers && (!listen || bind_remote(door, links, listen, err) == 0))
        return door;
    door_close(door);
    return NULL;
}

/* The address as others are to use it: one that stands for all of this machine's is replaced by one that it has. */
static void write_address(const char *endpoint, const char *host, char *out, size_t size)
{
    static const char *const all[] = {"tcp://0.0.0.0:", "tcp://[::]:"};
    char address[ADDRESS_SIZE];
    for (size_t i = 0; i < 2; i++)
        if (strncmp(endpoint, all[i], strlen(all[i])) == 0) {
            snprintf(out, size, "tcp://%s:%s", address_to_tell(host, address), endpoint + strlen(all[i]));
            return;
        }
    snprintf(out, size, "%s", endpoint);
}

int door_announce(struct door *door, uint64_t session, bool exclusive, struct err *err)
{
    struct rendezvous *rendezvous = &door->rendezvous;
    node_name(rendezvous->node);
    node_host(rendezvous->host);
    rendezvous->pid = (int)getpid();
    rendezvous->session = session;
    rendezvous->exclusive = exclusive;
    write_address(link_endpoint(door->workers), rendezvous->host, rendezvous->workers, sizeof rendezvous->workers);
    if (door->remote)
        write_address(link_endpoint(door->remote), rendezvous->host, rendezvous->remote, sizeof rendezvous->remote);
    snprintf(rendezvous->control, sizeof rendezvous->control, "%s", door->control);
    door->announced = rendezvous_write(door->dir, rendezvous, err) == 0;
    if (door->announced)
        log_info("session %llu: workers connect to %s", (unsigned long long)session, rendezvous->workers);
    return door->announced ? 0 : -1;
}

/* ZeroMQ removes socket files too, but only some time after the close. */
static void remove_sockets(const struct door *door)
{
    static const size_t scheme = sizeof "ipc://" - 1;
    if (!door->sockets)
        return;
    unlink(door->local + scheme);
    unlink(door->control + scheme);
    rmdir(door->sockets);
}

void door_close(struct door *door)
{
    if (!door)
        return;
    if (door->announced)
        rendezvous_remove(door->dir);
    link_close(door->workers);
    link_close(door->remote);
    remove_sockets(door);
    free(door->sockets);
    free(door->local);
    free(door->control);
    free(door);
}

struct link *door_workers(const struct door *door)
{
    return door->workers;
}

const char *door_control(const struct door *door)
{
    return door->control;
}

struct link *door_remote(const struct door *door)
{
    return door->remote;
}
