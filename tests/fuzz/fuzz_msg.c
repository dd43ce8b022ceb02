/* The message decoder against any bytes: what it takes must print, encode, and decode to the same again.
 *
 * The start of the corpus is made here: a few random messages of every kind, in the directory GANNET_FUZZ_SEEDS. */
#include "common/mem.h"
#include "common/msg.h"
#include "tests/random_msg.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_msg: %s\n", what);
    abort();
}

static void write_seed(enum msg_kind kind, uint64_t number)
{
    struct rng rng = rng_make(number, "seed", (uint64_t)kind);
    struct msg msg;
    struct buf bytes = {0};
    random_msg(&rng, kind, &msg);
    msg_encode(&msg, &bytes);
    char *name = mem_format("%s-%llu", msg_kind_name(kind), (unsigned long long)number);
    fuzz_seed(name, bytes.data, bytes.length);
    free(name);
    buf_fini(&bytes);
    msg_fini(&msg);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++)
        for (uint64_t number = 0; number < 4; number++)
            write_seed((enum msg_kind)kind, number);
    return 0;
}

/* The length of the encoding is the length of what was read: no byte is ignored. */
static void check_message(struct msg *msg, const uint8_t *data, size_t size)
{
    struct buf bytes = {0}, printed = {0};
    struct msg again;
    msg_print(msg, &printed);
    require(printed.length > 0, "a message prints as nothing");
    msg_encode(msg, &bytes);
    require(bytes.length == size && memcmp(bytes.data, data, size) == 0, "a message encodes to other bytes");
    require(msg_decode(&again, bytes.data, bytes.length, NULL) == 0, "what was encoded does not decode");
    require(same_msg(msg, &again), "what was encoded decodes to another message");
    msg_fini(&again);
    buf_fini(&bytes);
    buf_fini(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct msg msg;
    struct err err = {""};
    if (msg_decode(&msg, data, size, &err) == 0) {
        check_message(&msg, data, size);
        msg_fini(&msg);
    } else {
        require(err.text[0] && msg.kind == MSG_NONE, "a refusal without a sentence");
    }
    return 0;
}
