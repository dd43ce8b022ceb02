/* The codec of messages: one walk over the field table each for encoding, decoding and printing; see msg.h. */
#include "common/msg.h"

#include <assert.h>
#include <string.h>

enum field_type { TYPE_U32, TYPE_U64, TYPE_I64, TYPE_F64, TYPE_BOOL, TYPE_TEXT, TYPE_LIST };

/* One field of a record or a message. */
struct field {
    enum field_type type;
    const char *name, *help;
    size_t offset;              /* in the struct; of a list: of its pointer */
    size_t count_offset;        /* of a list: of its count */
    const struct shape *record; /* of a list: what it holds */
};

/* The fields of one record or message. */
struct shape {
    const char *name;
    size_t size; /* of the struct */
    const struct field *fields;
    size_t count;
};

/* The field lists: msg_fields_hello[], ... and the shapes: msg_shape_hello, ... */
#define RECORD(rname, rhelp)              static const struct field msg_fields_##rname[] = {
#define MESSAGE(KIND, rname, rwho, rhelp) RECORD(rname, rhelp)
#define FIELD(owner, ftype, fname, fhelp)                                                                              \
    {.type = TYPE_##ftype, .name = #fname, .help = fhelp, .offset = offsetof(struct msg_##owner, fname)},
#define LIST(owner, frecord, fname, fhelp)                                                                             \
    {.type = TYPE_LIST,                                                                                                \
     .name = #fname,                                                                                                   \
     .help = fhelp,                                                                                                    \
     .offset = offsetof(struct msg_##owner, fname),                                                                    \
     .count_offset = offsetof(struct msg_##owner, fname##_count),                                                      \
     .record = &msg_shape_##frecord},
#define END(rname)                                                                                                     \
    }                                                                                                                  \
    ;                                                                                                                  \
    static const struct shape msg_shape_##rname = {.name = #rname,                                                     \
                                                   .size = sizeof(struct msg_##rname),                                 \
                                                   .fields = msg_fields_##rname,                                       \
                                                   .count = sizeof msg_fields_##rname / sizeof *msg_fields_##rname};
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

/* What a kind of message, or a record, is called and made of. */
struct kind_row {
    const char *name, *who, *help;
    const struct shape *shape;
};

#define RECORD(rname, rhelp)
#define MESSAGE(KIND, rname, rwho, rhelp) [MSG_##KIND] = {#KIND, rwho, rhelp, &msg_shape_##rname},
#define FIELD(owner, ftype, fname, fhelp)
#define LIST(owner, frecord, fname, fhelp)
#define END(rname)
static const struct kind_row kinds[MSG_KINDS] = {
#include "common/msg_list.h"
};
#undef RECORD
#undef MESSAGE

#define RECORD(rname, rhelp) {#rname, NULL, rhelp, &msg_shape_##rname},
#define MESSAGE(KIND, rname, rwho, rhelp)
static const struct kind_row records[] = {
/* for the documentation */
#include "common/msg_list.h"
};
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

static const char *const type_names[] = {"u32", "u64", "i64", "f64", "bool", "text", "list"};

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
    unsigned char little_endian[8];
    for (size_t i = 0; i < bytes; i++)
        little_endian[i] = (unsigned char)(number >> 8 * i);
    buf_add(out, little_endian, bytes);
}

static void put_text(struct buf *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    assert(length < MSG_LARGEST);
    put_uint(out, 4, length);
    buf_add(out, text ? text : "", length + 1);
}

static void put_shape(struct buf *out, const struct shape *shape, const char *from);

static void put_field(struct buf *out, const struct field *field, const char *from)
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
        buf_add(out, *(const bool *)at ? "\1" : "\0", 1);
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

static void put_shape(struct buf *out, const struct shape *shape, const char *from)
{
    for (size_t i = 0; i < shape->count; i++)
        put_field(out, &shape->fields[i], from);
}

void msg_encode(const struct msg *msg, struct buf *out)
{
    assert(msg->kind > MSG_NONE && msg->kind < MSG_KINDS);
    unsigned char head[4] = {'G', MSG_VERSION, (unsigned char)msg->kind, 0};
    buf_add(out, head, sizeof head);
    put_shape(out, kinds[msg->kind].shape, (const char *)&msg->hello);
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
    *out = 0;
    for (int i = 0; i < bytes; i++)
        *out |= (uint64_t)reader->at[i] << 8 * i;
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
static size_t least_bytes(const struct shape *shape)
{
    static const size_t least[] = {4, 8, 8, 8, 1, 5, 4};
    size_t sum = 0;
    for (size_t i = 0; i < shape->count; i++)
        sum += least[shape->fields[i].type];
    return sum;
}

static int get_shape(struct msg_reader *reader, const struct shape *shape, char *to);

static int get_list(struct msg_reader *reader, const struct field *field, char *to)
{
    uint64_t count;
    if (get_uint(reader, 4, &count))
        return -1;
    if (count > bytes_left(reader) / least_bytes(field->record))
        return err_set(reader->err, "the list '%s' is longer than its message", field->name);
    char *items = count ? arena_zero(&reader->msg->memory, count, field->record->size) : NULL;
    for (uint64_t i = 0; i < count; i++)
        if (get_shape(reader, field->record, items + i * field->record->size))
            return -1;
    *(void **)(void *)(to + field->offset) = items;
    *(uint32_t *)(void *)(to + field->count_offset) = (uint32_t)count;
    return 0;
}

static int get_field(struct msg_reader *reader, const struct field *field, char *to)
{
    uint64_t number;
    switch (field->type) {
    case TYPE_U32:
        if (get_uint(reader, 4, &number))
            return -1;
        *(uint32_t *)(void *)(to + field->offset) = (uint32_t)number;
        return 0;
    case TYPE_U64:
    case TYPE_I64:
    case TYPE_F64:
        if (get_uint(reader, 8, &number))
            return -1;
        memcpy(to + field->offset, &number, sizeof number);
        return 0;
    case TYPE_BOOL:
        if (get_uint(reader, 1, &number))
            return -1;
        if (number > 1)
            return err_set(reader->err, "'%s' is neither true nor false", field->name);
        *(bool *)(to + field->offset) = number == 1;
        return 0;
    case TYPE_TEXT:
        return get_text(reader, (const char **)(void *)(to + field->offset));
    case TYPE_LIST:
        return get_list(reader, field, to);
    }
    return -1;
}

static int get_shape(struct msg_reader *reader, const struct shape *shape, char *to)
{
    for (size_t i = 0; i < shape->count; i++)
        if (get_field(reader, &shape->fields[i], to))
            return -1;
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
    if (get_head(&reader) == 0 && get_shape(&reader, kinds[msg->kind].shape, body_of(msg)) == 0) {
        if (!bytes_left(&reader))
            return 0;
        err_write(err, "%s is followed by %zu bytes too many", kinds[msg->kind].name, bytes_left(&reader));
    }
    msg_fini(msg);
    *msg = (struct msg){0};
    return -1;
}

/* --- for people --- */

enum msg_kind msg_kind_of(const void *bytes, size_t length)
{
    unsigned char kind = length > 2 ? ((const unsigned char *)bytes)[2] : MSG_NONE;
    return kind < MSG_KINDS ? (enum msg_kind)kind : MSG_NONE;
}

const char *msg_kind_name(enum msg_kind kind)
{
    return kind > MSG_NONE && kind < MSG_KINDS ? kinds[kind].name : "?";
}

static void print_shape(struct buf *out, const struct shape *shape, const char *from);

static void print_field(struct buf *out, const struct field *field, const char *from)
{
    enum { SHOWN_ITEMS = 3, SHOWN_LETTERS = 60 };
    const char *at = from + field->offset;
    buf_format(out, " %s=", field->name);
    switch (field->type) {
    case TYPE_U32:
        buf_format(out, "%u", *(const uint32_t *)(const void *)at);
        break;
    case TYPE_U64:
        buf_format(out, "%llu", *(const unsigned long long *)(const void *)at);
        break;
    case TYPE_I64:
        buf_format(out, "%lld", *(const long long *)(const void *)at);
        break;
    case TYPE_F64:
        buf_format(out, "%g", *(const double *)(const void *)at);
        break;
    case TYPE_BOOL:
        buf_text(out, *(const bool *)at ? "true" : "false");
        break;
    case TYPE_TEXT: {
        const char *text = *(const char *const *)(const void *)at;
        buf_format(out, "'%.*s'%s", SHOWN_LETTERS, text ? text : "", text && strlen(text) > SHOWN_LETTERS ? "..." : "");
        break;
    }
    case TYPE_LIST: {
        const char *item = *(const char *const *)(const void *)at;
        uint32_t count = *(const uint32_t *)(const void *)(from + field->count_offset);
        buf_format(out, "%u[", count);
        for (uint32_t i = 0; i < count && i < SHOWN_ITEMS; i++) {
            buf_text(out, "{");
            print_shape(out, field->record, item + i * field->record->size);
            buf_text(out, " }");
        }
        buf_text(out, count > SHOWN_ITEMS ? "...]" : "]");
        break;
    }
    }
}

static void print_shape(struct buf *out, const struct shape *shape, const char *from)
{
    for (size_t i = 0; i < shape->count; i++)
        print_field(out, &shape->fields[i], from);
}

void msg_print(const struct msg *msg, struct buf *out)
{
    buf_text(out, msg_kind_name(msg->kind));
    if (msg->kind > MSG_NONE && msg->kind < MSG_KINDS)
        print_shape(out, kinds[msg->kind].shape, (const char *)&msg->hello);
}

static void document_shape(struct buf *out, const struct shape *shape)
{
    buf_text(out, "| field | type | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *field = &shape->fields[i];
        buf_format(out, "| `%s` | %s%s | %s |\n", field->name, field->record ? "list of " : "",
                   field->record ? field->record->name : type_names[field->type], field->help);
    }
    buf_text(out, "\n");
}

void msg_document(struct buf *out)
{
    buf_format(out,
               "# Messages, version %d\n\nMade from `common/msg_list.h` by `gannet docs messages`. Who says what when "
               "is drawn in "
               "`docs/design.md`.\n\n",
               MSG_VERSION);
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        buf_format(out, "## %s\n\n%s: %s.\n\n", kinds[kind].name, kinds[kind].who, kinds[kind].help);
        document_shape(out, kinds[kind].shape);
    }
    buf_text(out, "# Records in messages\n\n");
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        buf_format(out, "## %s\n\n%s.\n\n", records[i].name, records[i].help);
        document_shape(out, records[i].shape);
    }
}
