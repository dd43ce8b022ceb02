/* Messages as structs and as bytes. The list of messages and fields is msg_list.h; the structs below are made of it:
 * FIELD(hello, TEXT, node, ..) is `msg.hello.node`, LIST(offer, slot, slots, ..) is `msg.offer.slots[i]` with
 * `msg.offer.slots_count`.
 *
 * A message to be sent is filled in by its sender, who keeps the texts and lists alive until msg_encode returns, or
 * takes them from `msg.memory`. A decoded message owns everything in it. */
#ifndef GANNET_COMMON_MSG_H
#define GANNET_COMMON_MSG_H

#include "common/arena.h"
#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MSG_VERSION = 11,
    MSG_LARGEST = 8 << 20 /* bytes of one message; 100,000 samples are 4 MiB. Larger ones are refused unread. */
};

/* Limits that several fields of msg_list.h have. Numbers up to 2^53 are whole in JSON and in doubles, too. */
#define MSG_MOST_NUMBER  0x1p53 /* trials and steps */
#define MSG_MOST_BYTES   0x1p63 /* "no limit" is a little less where a kernel says it */
#define MSG_MOST_ATTEMPT 1e9
#define MSG_MOST_SAMPLES 0x1p31 /* of one run */

typedef uint32_t msg_u32;
typedef uint64_t msg_u64;
typedef int64_t msg_i64;
typedef double msg_f64;
typedef bool msg_bool;
typedef const char *msg_text;

#define MSG_TYPE_U32  msg_u32
#define MSG_TYPE_U64  msg_u64
#define MSG_TYPE_I64  msg_i64
#define MSG_TYPE_F64  msg_f64
#define MSG_TYPE_BOOL msg_bool
#define MSG_TYPE_TEXT msg_text

/* struct msg_slot, struct msg_lease, ..., struct msg_hello, ... */
#define RECORD(name, help)                    struct msg_##name {
#define MESSAGE(KIND, name, who, help)        struct msg_##name {
#define FIELD(owner, type, name, limit, help) MSG_TYPE_##type name;
#define LIST(owner, record, name, limit, help)                                                                         \
    struct msg_##record *name;                                                                                         \
    uint32_t name##_count;
#define END(name)                                                                                                      \
    }                                                                                                                  \
    ;
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

/* MSG_HELLO, ... */
enum msg_kind {
    MSG_NONE,
#define RECORD(name, help)
#define MESSAGE(KIND, name, who, help) MSG_##KIND,
#define FIELD(owner, type, name, limit, help)
#define LIST(owner, record, name, limit, help)
#define END(name)
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
    MSG_KINDS
};

/* One message; {.kind = MSG_..} is one to fill in. */
struct msg {
    enum msg_kind kind;
    struct arena memory; /* what msg_fini frees */
    union {
#define RECORD(name, help)
#define MESSAGE(KIND, name, who, help) struct msg_##name name;
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END
    };
};

/* Frees the message's own memory; the message may be filled in anew. */
void msg_fini(struct msg *msg);

/* Adds the message's bytes to out. A NULL text is sent as "". */
void msg_encode(const struct msg *msg, struct buf *out);

/* Reads one whole message into *msg, which is overwritten, not freed. On failure -1 with a sentence, *msg holds
 * nothing, and no byte outside bytes[0 .. length-1] was read: any bytes may be given. */
int msg_decode(struct msg *msg, const void *bytes, size_t length, struct err *err);

/* Whether a message keeps to the limits of msg_list.h; -1 with a sentence when it does not: whoever sent it is broken.
 */
int msg_check(const struct msg *msg, struct err *err);

/* The kind of an encoded message; MSG_NONE: these bytes are none. */
enum msg_kind msg_kind_of(const void *bytes, size_t length);

/* "HELLO", ...; "?" for a number that is none. */
const char *msg_kind_name(enum msg_kind kind);

/* Adds the message for people: "STOP_RUN trial=131 attempt=1 ending=8". Long texts and lists are cut. */
void msg_print(const struct msg *msg, struct buf *out);

/* Adds docs/messages.md: every message with its fields, from the table. */
void msg_document(struct buf *out);

#endif
