/* The tables of messages and records; see msg_shape.h. */
#include "common/msg_shape.h"

#include <math.h>

/* The limits of msg_list.h. */
#define ANY                 .least = -INFINITY, .most = INFINITY
#define UPTO(limit)         .least = 0, .most = (limit)
#define RANGE(lower, upper) .least = (lower), .most = (upper)

/* The field lists: msg_fields_hello[], ... and the shapes: msg_shape_hello, ... */
#define RECORD(rname, rhelp)              static const struct msg_field msg_fields_##rname[] = {
#define MESSAGE(KIND, rname, rwho, rhelp) RECORD(rname, rhelp)
#define FIELD(owner, ftype, fname, flimit, fhelp)                                                                      \
    {flimit, .type = TYPE_##ftype, .name = #fname, .help = fhelp, .offset = offsetof(struct msg_##owner, fname)},
#define LIST(owner, frecord, fname, flimit, fhelp)                                                                     \
    {flimit,                                                                                                           \
     .type = TYPE_LIST,                                                                                                \
     .name = #fname,                                                                                                   \
     .help = fhelp,                                                                                                    \
     .offset = offsetof(struct msg_##owner, fname),                                                                    \
     .count_offset = offsetof(struct msg_##owner, fname##_count),                                                      \
     .record = &msg_shape_##frecord},
#define END(rname)                                                                                                     \
    }                                                                                                                  \
    ;                                                                                                                  \
    static const struct msg_shape msg_shape_##rname = {.name = #rname,                                                 \
                                                       .size = sizeof(struct msg_##rname),                             \
                                                       .fields = msg_fields_##rname,                                   \
                                                       .count =                                                        \
                                                           sizeof msg_fields_##rname / sizeof *msg_fields_##rname};
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

#define RECORD(rname, rhelp)
#define MESSAGE(KIND, rname, rwho, rhelp) [MSG_##KIND] = {#KIND, rwho, rhelp, &msg_shape_##rname},
#define FIELD(owner, ftype, fname, flimit, fhelp)
#define LIST(owner, frecord, fname, flimit, fhelp)
#define END(rname)
const struct msg_kind_row msg_kinds[MSG_KINDS] = {
#include "common/msg_list.h"
};
#undef RECORD
#undef MESSAGE

#define RECORD(rname, rhelp) {#rname, NULL, rhelp, &msg_shape_##rname},
#define MESSAGE(KIND, rname, rwho, rhelp)
const struct msg_kind_row msg_records[] = {
#include "common/msg_list.h"
    {0}};
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END
