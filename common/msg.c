/* The codec of messages: one walk over the field table each for encoding and decoding; see msg.h. */
#include "common/msg.h"
#include "common/msg_shape.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* Any message's struct lies at the start of the union. */
static void *body_of(struct msg *msg)
{
    return &msg->hello;
}

void msg_fini(struct msg *msg)
{
    arena_fini(&msg->memory);
}

/* --- to bytes --- */

static void put_uint(struct buf *out, size_t bytes, uint64_t number)
{
    uint64_t little_endian = htole64(number);
    if (out->capacity - out->length <= sizeof little_endian) {
        buf_add(out, &little_endian, bytes);
        return;
    }
    memcpy(out->data + out->length, &little_endian, sizeof little_endian); /* a word at once, of which some may count */
    out->length += bytes;
    out->data[out->length] = '\0';
}

static void put_text(struct buf *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    assert(length < MSG_LARGEST);
    put_uint(out, 4, length);
    buf_add(out, text ? text : "", length + 1);
}

static void put_shape(struct buf *out, const struct msg_shape *shape, const char *from);

static void put_field(struct buf *out, const struct msg_field *field, const char *from)
{
    const char *at = from + field->offset;
    uint64_t wide;
    switch (field->type) {
    case TYPE_U32:
        put_uint(out, 4, *(const uint32_t *)(const void *)at);
        break;
    case TYPE_U64:
    case TYPE_I64:
    case TYPE_F64:
        memcpy(&wide, at, sizeof wide);
        put_uint(out, 8, wide);
        break;
    case TYPE_BOOL:
        put_uint(out, 1, *(const bool *)at);
        break;
    case TYPE_TEXT:
        put_text(out, *(const char *const *)(const void *)at);
        break;
    case TYPE_LIST: {
        const char *item = *(const char *const *)(const void *)at;
        uint32_t count = *(const uint32_t *)(const void *)(from + field->count_offset);
        put_uint(out, 4, count);
        for (uint32_t i = 0; i < count; i++)
            put_shape(out, field->record, item + i * field->record->size);
        break;
    }
    }
}

static void put_shape(struct buf *out, const struct msg_shape *shape, const char *from)
{
    for (size_t i = 0; i < shape->count; i++)
        put_field(out, &shape->fields[i], from);
}

void msg_encode(const struct msg *msg, struct buf *out)
{
    assert(msg->kind > MSG_NONE && msg->kind < MSG_KINDS);
    unsigned char head[4] = {'G', MSG_VERSION, (unsigned char)msg->kind, 0};
    buf_add(out, head, sizeof head);
    put_shape(out, msg_kinds[msg->kind].shape, (const char *)&msg->hello);
}

/* --- from bytes --- */

/* What is left to read. */
struct msg_reader {
    const unsigned char *at, *end;
    struct msg *msg; /* owns what is made on the way */
    struct err *err;
};

static size_t bytes_left(const struct msg_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static int get_uint(struct msg_reader *reader, int bytes, uint64_t *out)
{
    if (bytes_left(reader) < (size_t)bytes)
        return err_set(reader->err, "the message is cut off");
    uint64_t little_endian = 0;
    memcpy(&little_endian, reader->at, (size_t)bytes);
    *out = le64toh(little_endian);
    reader->at += bytes;
    return 0;
}

/* Texts stay where they are in the message's copy of the bytes: the closing zero came with them. */
static int get_text(struct msg_reader *reader, const char **out)
{
    uint64_t length;
    if (get_uint(reader, 4, &length))
        return -1;
    if (length >= bytes_left(reader))
        return err_set(reader->err, "a text is longer than its message");
    if (memchr(reader->at, '\0', length + 1) != reader->at + length)
        return err_set(reader->err, "a text is not closed where its length says");
    *out = (const char *)reader->at;
    reader->at += length + 1;
    return 0;
}

/* The fewest bytes that a record takes: bounds the count of a list before anything is allocated. */
static size_t least_bytes(const struct msg_shape *shape)
{
    static const size_t least[] = {4, 8, 8, 8, 1, 5, 4};
    size_t sum = 0;
    for (size_t i = 0; i < shape->count; i++)
        sum += least[shape->fields[i].type];
    return sum;
}

static int get_shape(struct msg_reader *reader, const struct msg_shape *shape, char *to);

static int get_list(struct msg_reader *reader, const struct msg_field *field, char *to)
{
    uint64_t count;
    if (get_uint(reader, 4, &count))
        return -1;
    if (count && count > bytes_left(reader) / least_bytes(field->record))
        return err_set(reader->err, "the list '%s' is longer than its message", field->name);
    char *items = count ? arena_zero(&reader->msg->memory, count, field->record->size) : NULL;
    for (uint64_t i = 0; i < count; i++)
        if (get_shape(reader, field->record, items + i * field->record->size))
            return -1;
    *(void **)(void *)(to + field->offset) = items;
    *(uint32_t *)(void *)(to + field->count_offset) = (uint32_t)count;
    return 0;
}

/* A text or a list. */
static int get_parts(struct msg_reader *reader, const struct msg_field *field, char *to)
{
    return field->type == TYPE_LIST ? get_list(reader, field, to)
                                    : get_text(reader, (const char **)(void *)(to + field->offset));
}

/* The bytes of a number, by its type; 0: it is none. */
static const unsigned char number_bytes[] = {
    [TYPE_U32] = 4, [TYPE_U64] = 8, [TYPE_I64] = 8, [TYPE_F64] = 8, [TYPE_BOOL] = 1, [TYPE_TEXT] = 0, [TYPE_LIST] = 0};

/* Nearly all fields are numbers of eight or four bytes, and a trial has some eighty. */
static int get_shape(struct msg_reader *reader, const struct msg_shape *shape, char *to)
{
    for (const struct msg_field *field = shape->fields, *end = field + shape->count; field < end; field++) {
        size_t bytes = number_bytes[field->type];
        char *at = to + field->offset;
        if (!bytes && get_parts(reader, field, to))
            return -1;
        if (bytes_left(reader) < bytes)
            return err_set(reader->err, "the message is cut off");
        if (bytes == 8) {
            uint64_t number;
            memcpy(&number, reader->at, sizeof number);
            number = le64toh(number);
            memcpy(at, &number, sizeof number);
        } else if (bytes == 4) {
            uint32_t number;
            memcpy(&number, reader->at, sizeof number);
            number = le32toh(number);
            memcpy(at, &number, sizeof number);
        } else if (bytes) {
            if (*reader->at > 1)
                return err_set(reader->err, "'%s' is neither true nor false", field->name);
            *(bool *)at = *reader->at == 1;
        }
        reader->at += bytes;
    }
    return 0;
}

static int get_head(struct msg_reader *reader)
{
    uint64_t mark, version, kind, zero;
    if (get_uint(reader, 1, &mark) || get_uint(reader, 1, &version) || get_uint(reader, 1, &kind) ||
        get_uint(reader, 1, &zero))
        return -1;
    if (mark != 'G')
        return err_set(reader->err, "this is no message of gannet");
    if (version != MSG_VERSION)
        return err_set(reader->err,
                       "the message has version %u, this gannet speaks version %d; use the same release on both sides",
                       (unsigned)version, MSG_VERSION);
    if (kind == MSG_NONE || kind >= MSG_KINDS || zero)
        return err_set(reader->err, "there is no message of kind %u", (unsigned)kind);
    reader->msg->kind = (enum msg_kind)kind;
    return 0;
}

int msg_decode(struct msg *msg, const void *bytes, size_t length, struct err *err)
{
    *msg = (struct msg){0};
    if (length > MSG_LARGEST)
        return err_set(err, "a message of %zu bytes is larger than the %d allowed", length, MSG_LARGEST);
    unsigned char *copy = arena_copy(&msg->memory, bytes, length);
    struct msg_reader reader = {.at = copy, .end = copy + length, .msg = msg, .err = err};
    if (get_head(&reader) == 0 && get_shape(&reader, msg_kinds[msg->kind].shape, body_of(msg)) == 0) {
        if (!bytes_left(&reader))
            return 0;
        err_write(err, "%s is followed by %zu bytes too many", msg_kinds[msg->kind].name, bytes_left(&reader));
    }
    msg_fini(msg);
    *msg = (struct msg){0};
    return -1;
}
