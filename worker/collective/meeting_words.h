/* What is said where nodes meet, byte by byte; see meeting.h. Numbers are in the order of the machine: nodes of two
 * kinds can't share sums, and don't understand the first word of each other. */
#ifndef GANNET_WORKER_COLLECTIVE_MEETING_WORDS_H
#define GANNET_WORKER_COLLECTIVE_MEETING_WORDS_H

#include "worker/collective/meeting.h"

#include <netinet/in.h>
#include <sodium.h>

enum { MEETING_NONCE = 16, MEETING_MAC = crypto_auth_hmacsha256_BYTES };

/* The first word, of who listens. */
struct meeting_challenge {
    uint64_t magic;
    uint8_t nonce[MEETING_NONCE];
};

/* Who connects. */
struct meeting_joining {
    uint64_t trial;
    uint32_t attempt;
    uint32_t member, members;
    uint32_t port; /* where it listens for the one before it; 0: nowhere */
    uint8_t nonce[MEETING_NONCE];
    uint8_t mac[MEETING_MAC];
};

/* All are there. */
struct meeting_welcome {
    struct sockaddr_storage next; /* where the next one listens; family 0: nothing is said of it */
    uint8_t mac[MEETING_MAC];
};

/* A challenge that has never been before. */
struct meeting_challenge meeting_challenge(void);
bool meeting_challenge_is_ours(const struct meeting_challenge *challenge);

/* The keyed hashes: of who joins member `host`, and of what it is answered. */
void meeting_sign_joining(const struct meeting *meeting, uint32_t host, const struct meeting_challenge *challenge,
                          const struct meeting_joining *joining, uint8_t mac[MEETING_MAC]);
void meeting_sign_welcome(const struct meeting *meeting, const struct meeting_challenge *challenge,
                          const struct meeting_joining *joining, const struct meeting_welcome *welcome,
                          uint8_t mac[MEETING_MAC]);

/* Member 0 waits for all others at a listening socket, `sockets`[members]; any other one for the one before it, in
 * sockets[member - 1]. 0, MEETING_HALTED, or -1 with a sentence; what was connected is closed then. */
int meeting_receive(const struct meeting *meeting, int listener, double until, int *sockets, struct err *err);

#endif
