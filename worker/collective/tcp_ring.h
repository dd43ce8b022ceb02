/* A ring of processes, one of each node of a run: each sends to the next one and hears from the one before it, over TCP
 * connections that meeting.h makes. A sum goes around twice, in as many parts as there are members (reduce-scatter,
 * then all-gather; Patarasu and Yuan 2009): each member sends and hears less than twice its numbers, however many there
 * are.
 *
 * All members make the same calls in the same order. None of them fails: when a connection breaks, or what comes is not
 * what is due, `lost` is called. A member that does not answer is waited for as long as its system does; a system that
 * does not is lost after a minute. */
#ifndef GANNET_WORKER_COLLECTIVE_TCP_RING_H
#define GANNET_WORKER_COLLECTIVE_TCP_RING_H

#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the process: `member` is gone, the sentence says how that is known. */
typedef void tcp_ring_lost(void *context, uint32_t member, const char *sentence);

struct tcp_ring_setup {
    uint32_t member, members; /* which one this is, of at least 2 */
    int next, before;         /* the connections; the same one when there are two members */
    tcp_ring_lost *lost;
    void *context;
};

/* A piece of what is summed. */
struct tcp_ring_piece {
    float *numbers;
    size_t count;
};

struct tcp_ring;

struct tcp_ring *tcp_ring_create(const struct tcp_ring_setup *setup); /* has the connections from now on */
void tcp_ring_destroy(struct tcp_ring *ring);                         /* NULL is fine */

/* Each number becomes its sum over the members. The pieces, one behind the other, are as long in all of them; how they
 * are divided is each member's own matter. The order in which a number is added is always the same, and so are the bits
 * in all members. */
void tcp_ring_sum(struct tcp_ring *ring, const struct tcp_ring_piece *pieces, size_t count);

/* `all` is `length` bytes of each member, one member behind the other; this one's are there, and the others' come. */
void tcp_ring_gather(struct tcp_ring *ring, void *all, size_t length);

/* Whether the system at the other end of a connection in this state owes an answer, and has for too long. */
bool tcp_ring_is_silent(const struct tcp_info *info);

/* The bytes become those of member `root`. */
void tcp_ring_tell(struct tcp_ring *ring, uint32_t root, void *bytes, size_t length);

#endif
