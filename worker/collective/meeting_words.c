/* See meeting_words.h. */
#include "worker/collective/meeting_words.h"

#include <string.h>

/* "gannet-1" of a little-endian machine; counts up when what is said changes. */
#define MAGIC 0x312d74656e6e6167u

/* All that a hash is of; without gaps between its members. */
struct signed_joining {
    char what[8];
    uint64_t host;
    struct meeting_challenge challenge;
    uint64_t trial;
    uint32_t attempt, member, members, port;
    uint8_t nonce[MEETING_NONCE];
};

struct signed_welcome {
    char what[8];
    uint8_t challenge[MEETING_NONCE], nonce[MEETING_NONCE];
    struct sockaddr_storage next;
};

/* The keyed hash of some bytes; the secret is of any length. */
static void sign_bytes(const struct meeting *meeting, const void *bytes, size_t length, uint8_t mac[MEETING_MAC])
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, (const unsigned char *)meeting->secret, strlen(meeting->secret));
    crypto_auth_hmacsha256_update(&state, bytes, length);
    crypto_auth_hmacsha256_final(&state, mac);
}

struct meeting_challenge meeting_challenge(void)
{
    struct meeting_challenge challenge = {.magic = MAGIC};
    randombytes_buf(challenge.nonce, sizeof challenge.nonce);
    return challenge;
}

bool meeting_challenge_is_ours(const struct meeting_challenge *challenge)
{
    return challenge->magic == MAGIC;
}

void meeting_sign_joining(const struct meeting *meeting, uint32_t host, const struct meeting_challenge *challenge,
                          const struct meeting_joining *joining, uint8_t mac[MEETING_MAC])
{
    struct signed_joining all = {.what = "joining",
                                 .host = host,
                                 .challenge = *challenge,
                                 .trial = joining->trial,
                                 .attempt = joining->attempt,
                                 .member = joining->member,
                                 .members = joining->members,
                                 .port = joining->port};
    memcpy(all.nonce, joining->nonce, sizeof all.nonce);
    sign_bytes(meeting, &all, sizeof all, mac);
}

void meeting_sign_welcome(const struct meeting *meeting, const struct meeting_challenge *challenge,
                          const struct meeting_joining *joining, const struct meeting_welcome *welcome,
                          uint8_t mac[MEETING_MAC])
{
    struct signed_welcome all = {.what = "welcome"};
    memcpy(all.challenge, challenge->nonce, sizeof all.challenge);
    memcpy(all.nonce, joining->nonce, sizeof all.nonce);
    memcpy(&all.next, &welcome->next, sizeof all.next);
    sign_bytes(meeting, &all, sizeof all, mac);
}
