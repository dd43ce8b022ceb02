/* Messages and their table as texts for people; see msg.h. */
#include "common/msg_shape.h"

#include <math.h>
#include <string.h>

static const char *const type_names[] = {"u32", "u64", "i64", "f64", "bool", "text", "list"};

enum msg_kind msg_kind_of(const void *bytes, size_t length)
{
    unsigned char kind = length > 2 ? ((const unsigned char *)bytes)[2] : MSG_NONE;
    return kind < MSG_KINDS ? (enum msg_kind)kind : MSG_NONE;
}

const char *msg_kind_name(enum msg_kind kind)
{
    return kind > MSG_NONE && kind < MSG_KINDS ? msg_kinds[kind].name : "?";
}

static void print_shape(struct buf *out, const struct msg_shape *shape, const char *from);

static void print_field(struct buf *out, const struct msg_field *field, const char *from)
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

static void print_shape(struct buf *out, const struct msg_shape *shape, const char *from)
{
    for (size_t i = 0; i < shape->count; i++)
        print_field(out, &shape->fields[i], from);
}

void msg_print(const struct msg *msg, struct buf *out)
{
    buf_text(out, msg_kind_name(msg->kind));
    if (msg->kind > MSG_NONE && msg->kind < MSG_KINDS)
        print_shape(out, msg_kinds[msg->kind].shape, (const char *)&msg->hello);
}

/* "4096", "2^53". */
static void document_number(struct buf *out, double number)
{
    int exponent;
    bool power = number > 1e12 && frexp(number, &exponent) <= 0.5;
    buf_format(out, power ? "2^%.0f" : "%.17g", power ? exponent - 1 : number);
}

static void document_limit(struct buf *out, const struct msg_field *field)
{
    if (isinf(field->least) && isinf(field->most)) {
        buf_text(out, "any");
        return;
    }
    bool from_zero = !(field->least > 0) && !(field->least < 0);
    buf_text(out, from_zero ? "up" : "");
    if (!from_zero)
        document_number(out, field->least);
    buf_text(out, " to ");
    document_number(out, field->most);
    buf_text(out, field->type == TYPE_TEXT ? " bytes" : field->type == TYPE_LIST ? " items" : "");
}

static void document_shape(struct buf *out, const struct msg_shape *shape)
{
    buf_text(out, "| field | type | limit | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < shape->count; i++) {
        const struct msg_field *field = &shape->fields[i];
        buf_format(out, "| `%s` | %s%s | ", field->name, field->record ? "list of " : "",
                   field->record ? field->record->name : type_names[field->type]);
        document_limit(out, field);
        buf_format(out, " | %s |\n", field->help);
    }
    buf_text(out, "\n");
}

void msg_document(struct buf *out)
{
    buf_format(
        out,
        "# Messages, version %d\n\nMade from `common/msg_list.h` by `gannet docs messages`. Who says what when "
        "is drawn in "
        "`docs/design.md`.\n\nA worker that says something beyond a limit is set aside: it gets no more leases, its "
        "runs go elsewhere, and `gannet status` says why. So is one that gives back leases, lets runs be cut "
        "off or says HELLO thousands of times without bringing any trial to an end, or reports more than 25,000 "
        "samples "
        "a metric of one run (`scheduler/core/conduct.h`). A trainer that does is ended.\n\n",
        MSG_VERSION);
    for (int kind = MSG_NONE + 1; kind < MSG_KINDS; kind++) {
        buf_format(out, "## %s\n\n%s: %s.\n\n", msg_kinds[kind].name, msg_kinds[kind].who, msg_kinds[kind].help);
        document_shape(out, msg_kinds[kind].shape);
    }
    buf_text(out, "# Records in messages\n\n");
    for (size_t i = 0; msg_records[i].name; i++) {
        buf_format(out, "## %s\n\n%s.\n\n", msg_records[i].name, msg_records[i].help);
        document_shape(out, msg_records[i].shape);
    }
}
