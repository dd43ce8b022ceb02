/* HMAC-SHA-256 (RFC 2104, FIPS 180-4): who knows a secret shows it without saying it. For the few bytes by which the
 * processes of a trial know each other; it is no encryption. */
#ifndef GANNET_COMMON_HMAC_H
#define GANNET_COMMON_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64, HMAC_BYTES = SHA256_BYTES };

/* The hash of some bytes. */
void sha256(const void *bytes, size_t length, uint8_t out[SHA256_BYTES]);

/* The keyed hash of some bytes, at most HMAC_MOST of them; the key is of any length. */
enum { HMAC_MOST = 1024 };
void hmac(const void *key, size_t key_length, const void *bytes, size_t length, uint8_t out[HMAC_BYTES]);

/* Whether both are the same, in a time that does not depend on where they differ. */
bool hmac_equal(const uint8_t a[HMAC_BYTES], const uint8_t b[HMAC_BYTES]);

#endif
