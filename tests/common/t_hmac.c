/* Hashes are those of the standards' own examples. */
#include "common/hmac.h"
#include "tests/claims.h"

#include <stdio.h>
#include <string.h>

static void assert_hex(const uint8_t *bytes, const char *wanted)
{
    char text[2 * SHA256_BYTES + 1];
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(text, wanted);
}

static void assert_sha256(const char *text, const char *wanted)
{
    uint8_t hash[SHA256_BYTES];
    sha256(text, strlen(text), hash);
    assert_hex(hash, wanted);
}

/* NIST's examples of one block and two, of nothing, and of lengths about a block's end. */
static void hashes_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_sha256("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sha256("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_sha256("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /* 55 */
                  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_sha256("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /* 64 */
                  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

/* RFC 4231, test cases 1, 2 and 6. */
static void keyed_hashes_are_those_of_rfc_4231(void **state)
{
    (void)state;
    uint8_t key[131], hash[HMAC_BYTES];
    memset(key, 0x0b, 20);
    hmac(key, 20, "Hi There", 8, hash);
    assert_hex(hash, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    hmac("Jefe", 4, "what do ya want for nothing?", 28, hash);
    assert_hex(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    hmac(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First", 54, hash);
    assert_hex(hash, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void a_bit_makes_a_difference(void **state)
{
    (void)state;
    uint8_t a[HMAC_BYTES], b[HMAC_BYTES];
    hmac("key", 3, "text", 4, a);
    memcpy(b, a, sizeof b);
    assert_true(hmac_equal(a, b));
    for (size_t i = 0; i < sizeof b; i++) {
        b[i] ^= (uint8_t)(1u << i % 8);
        assert_false(hmac_equal(a, b));
        b[i] = a[i];
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(keyed_hashes_are_those_of_rfc_4231),
        cmocka_unit_test(a_bit_makes_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
