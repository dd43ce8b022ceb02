/* The fields of messages and records as tables made of msg_list.h, for what walks over them: the codec (msg.c), the
 * checks (msg_check.c), texts for people (msg_print.c). */
#ifndef GANNET_COMMON_MSG_SHAPE_H
#define GANNET_COMMON_MSG_SHAPE_H

#include "common/msg.h"

enum msg_field_type { TYPE_U32, TYPE_U64, TYPE_I64, TYPE_F64, TYPE_BOOL, TYPE_TEXT, TYPE_LIST };

/* One field of a record or a message. */
struct msg_field {
    enum msg_field_type type;
    const char *name, *help;
    double least, most;             /* of a number, of the bytes of a text, of the items of a list; infinite: any */
    size_t offset;                  /* in the struct; of a list: of its pointer */
    size_t count_offset;            /* of a list: of its count */
    const struct msg_shape *record; /* of a list: what it holds */
};

/* The fields of one record or message. */
struct msg_shape {
    const char *name;
    size_t size; /* of the struct */
    const struct msg_field *fields;
    size_t count;
};

/* What a kind of message, or a record, is called and made of. */
struct msg_kind_row {
    const char *name, *who, *help;
    const struct msg_shape *shape;
};

extern const struct msg_kind_row msg_kinds[MSG_KINDS]; /* by kind */
extern const struct msg_kind_row msg_records[];        /* in the order of the list; the last one has no name */

#endif
