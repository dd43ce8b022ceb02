/* Hashes of what may run; see policy.h. */
#include "cli/report/policy.h"

#include <sodium.h>
#include <string.h>

void policy_hash(const char *text, struct buf *out)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char shown[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2base64(shown, sizeof shown, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    buf_format(out, "'sha256-%s'", shown);
}
