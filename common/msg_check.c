/* What a message of somebody else may say at most: one walk over the table of fields and their limits; see msg.h. */
#include "common/msg_shape.h"

#include <math.h>
#include <string.h>

/* What the limit of a field is about: its number, the bytes of its text, the items of its list. */
static double measure_field(const struct msg_field *field, const char *from)
{
    const char *at = from + field->offset;
    switch (field->type) {
    case TYPE_U32:
        return *(const uint32_t *)(const void *)at;
    case TYPE_U64:
        return (double)*(const uint64_t *)(const void *)at;
    case TYPE_I64:
        return (double)*(const int64_t *)(const void *)at;
    case TYPE_F64:
        return *(const double *)(const void *)at;
    case TYPE_BOOL:
        return *(const bool *)(const void *)at;
    case TYPE_TEXT: {
        const char *text = *(const char *const *)(const void *)at;
        return text ? (double)strlen(text) : 0;
    }
    case TYPE_LIST:
        return *(const uint32_t *)(const void *)(from + field->count_offset);
    }
    return NAN;
}

static int refuse_field(const struct msg_shape *shape, const struct msg_field *field, double measure, struct err *err)
{
    const char *unit = field->type == TYPE_TEXT ? " bytes" : field->type == TYPE_LIST ? " items" : "";
    return err_set(err, "'%s' of %s is %.17g%s, from %.17g to %.17g are allowed", field->name, shape->name, measure,
                   unit, field->least, field->most);
}

static int check_shape(const struct msg_shape *shape, const char *from, struct err *err)
{
    for (const struct msg_field *field = shape->fields, *end = field + shape->count; field < end; field++) {
        double measure = measure_field(field, from);
        bool is_within = measure >= field->least && measure <= field->most; /* NaN is not */
        if (!is_within && !(isinf(field->least) && isinf(field->most)))
            return refuse_field(shape, field, measure, err);
        if (field->type != TYPE_LIST)
            continue;
        const char *item = *(const char *const *)(const void *)(from + field->offset);
        uint32_t count = *(const uint32_t *)(const void *)(from + field->count_offset);
        for (uint32_t k = 0; k < count; k++)
            if (check_shape(field->record, item + k * field->record->size, err))
                return -1;
    }
    return 0;
}

int msg_check(const struct msg *msg, struct err *err)
{
    if (msg->kind <= MSG_NONE || msg->kind >= MSG_KINDS)
        return err_set(err, "there is no message of kind %u", (unsigned)msg->kind);
    return check_shape(msg_kinds[msg->kind].shape, (const char *)&msg->hello, err);
}
