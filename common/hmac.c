/* See hmac.h. The names of the variables are those of FIPS 180-4, section 6.2. */
#include "common/hmac.h"

#include <assert.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void expand_block(const uint8_t *block, uint32_t w[64])
{
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

static void add_block(uint32_t hash[8], const uint8_t *block)
{
    uint32_t w[64], v[8]; /* v is a b c d e f g h */
    expand_block(block, w);
    memcpy(v, hash, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t S1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t T1 = v[7] + S1 + ch + K[t] + w[t];
        uint32_t S0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        uint32_t T2 = S0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += T1;
        v[0] = T1 + T2;
    }
    for (int i = 0; i < 8; i++)
        hash[i] += v[i];
}

void sha256(const void *bytes, size_t length, uint8_t out[SHA256_BYTES])
{
    uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[2 * SHA256_BLOCK] = {0};
    size_t rest = length % SHA256_BLOCK, whole = length - rest;
    size_t end = rest + 9 > SHA256_BLOCK ? 2 * SHA256_BLOCK : SHA256_BLOCK;
    for (size_t i = 0; i < whole; i += SHA256_BLOCK)
        add_block(hash, (const uint8_t *)bytes + i);
    memcpy(last, (const uint8_t *)bytes + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[end - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    for (size_t i = 0; i < end; i += SHA256_BLOCK)
        add_block(hash, last + i);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        out[i] = (uint8_t)(hash[i / 4] >> (24 - i % 4 * 8));
}

/* The hash of the key, each byte changed by `mask`, and the bytes behind it. */
static void hash_behind(const uint8_t key[SHA256_BLOCK], uint8_t mask, const void *bytes, size_t length,
                        uint8_t out[SHA256_BYTES])
{
    uint8_t all[SHA256_BLOCK + HMAC_MOST];
    assert(length <= HMAC_MOST);
    for (size_t i = 0; i < SHA256_BLOCK; i++)
        all[i] = key[i] ^ mask;
    memcpy(all + SHA256_BLOCK, bytes, length);
    sha256(all, SHA256_BLOCK + length, out);
}

void hmac(const void *key, size_t key_length, const void *bytes, size_t length, uint8_t out[HMAC_BYTES])
{
    uint8_t block[SHA256_BLOCK] = {0}, inner[SHA256_BYTES];
    if (key_length > SHA256_BLOCK)
        sha256(key, key_length, block);
    else
        memcpy(block, key, key_length);
    hash_behind(block, 0x36, bytes, length, inner);
    hash_behind(block, 0x5c, inner, sizeof inner, out);
}

bool hmac_equal(const uint8_t a[HMAC_BYTES], const uint8_t b[HMAC_BYTES])
{
    volatile uint8_t differs = 0;
    for (size_t i = 0; i < HMAC_BYTES; i++)
        differs |= (uint8_t)(a[i] ^ b[i]);
    return !differs;
}
