/* Runs on several nodes; see rank_gang.h. */
#include "common/mem.h"
#include "worker/collective/meeting.h"
#include "worker/trainer/gang_parts.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The trainers of all nodes have loaded their data, or are at it: a large file takes minutes from a slow server. */
static const double patience = 600;

/* A coordinator hears within milliseconds that a process has died, and of a worker as soon as its connection breaks. */
enum { TELL_MS = 5000 };

/* --- who is lost --- */

/* The name of a node in "a,b,c". */
static const char *find_host(const char *hosts, uint32_t node, int *length)
{
    for (uint32_t i = 0; i < node && *hosts; i++)
        hosts += strcspn(hosts, ",") + (hosts[strcspn(hosts, ",")] == ',');
    *length = (int)strcspn(hosts, ",");
    return hosts;
}

/* Says who is gone, in whatever thread noticed it. The worker's order to end comes within the moment when the
 * coordinator knows more, and the end of the worker when it is that which is gone. */
static _Noreturn void lose_node(void *context, uint32_t node, const char *sentence)
{
    const struct rank_gang *gang = context;
    struct pollfd worker = {.fd = gang->socket, .events = POLLIN};
    int length;
    const char *host = find_host(gang->hosts, node, &length);
    dprintf(STDERR_FILENO, "gannet-trainer: node %u of %u (%.*s) is gone: %s\n", node, gang->nodes, length, host,
            sentence);
    poll(&worker, 1, TELL_MS);
    _exit(EXIT_NODE_LOST);
}

/* --- beginning and end --- */

int gang_join_nodes(struct rank_gang *gang, uint32_t node, uint32_t nodes, struct tcp_ring *ring, struct err *err)
{
    struct across_setup setup = {.shared = gang->shared, .node = node, .nodes = nodes, .ring = ring};
    gang->across = across_create(&setup, err);
    if (!gang->across)
        return -1;
    gang->node = node;
    gang->nodes = nodes;
    gang->collective = across_face(gang->across);
    return 0;
}

void gang_part_nodes(struct rank_gang *gang)
{
    across_destroy(gang->across);
    gang->across = NULL;
    gang->collective = gang->local;
    gang->node = 0;
    gang->nodes = 1;
}

/* "ADDRESS SECRET"; -1 with a sentence. What it says is kept in `text`. */
static int read_meeting(char *text, struct meeting *out, struct err *err)
{
    char *space = strchr(text, ' ');
    if (!space)
        return err_set(err, "its lease does not say where its nodes meet");
    *space = '\0';
    out->address = text;
    out->secret = space + 1;
    return 0;
}

static int hold_meeting(struct rank_gang *gang, const struct gang_nodes *nodes, char *text, struct tcp_ring_setup *ring,
                        struct err *err)
{
    struct meeting meeting = {.member = nodes->node,
                              .members = nodes->nodes,
                              .port = nodes->port,
                              .first_port = (uint16_t)nodes->ports.first,
                              .last_port = (uint16_t)nodes->ports.last,
                              .trial = nodes->trial,
                              .attempt = nodes->attempt,
                              .patience = patience,
                              .is_halted = nodes->is_halted,
                              .context = nodes->context};
    *ring = (struct tcp_ring_setup){.member = nodes->node, .members = nodes->nodes, .lost = lose_node, .context = gang};
    if (read_meeting(text, &meeting, err))
        return -1;
    shared_enter(gang->shared);
    int result = meeting_hold(&meeting, &ring->next, &ring->before, err);
    shared_leave(gang->shared);
    return result;
}

int rank_gang_enter(struct rank_gang *gang, const struct gang_nodes *nodes, struct err *err)
{
    struct tcp_ring_setup ring;
    struct order order = {.kind = ORDER_ENTER, .node = nodes->node, .nodes = nodes->nodes};
    char *text = mem_text(nodes->meeting);
    int result = nodes->node < nodes->nodes ? hold_meeting(gang, nodes, text, &ring, err)
                                            : err_set(err, "its lease is of node %u of %u", nodes->node, nodes->nodes);
    free(text);
    if (result)
        return result == MEETING_HALTED ? GANG_HALTED : -1;
    free(gang->hosts);
    gang->hosts = mem_text(nodes->hosts);
    if (gang_join_nodes(gang, nodes->node, nodes->nodes, tcp_ring_create(&ring), err))
        return -1;
    gang_order(&gang->local, &order, NULL);
    return 0;
}

void rank_gang_leave(struct rank_gang *gang)
{
    struct order order = {.kind = ORDER_LEAVE};
    if (!gang || !gang->across)
        return;
    gang_order(&gang->collective, &order, NULL);
    gang_part_nodes(gang);
}
