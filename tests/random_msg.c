/* Random messages; see random_msg.h. The functions for each record are made of the table, apart from the codec's own
 * walk over it: a field that the codec forgot both ways would be seen. */
#include "tests/random_msg.h"

#include <string.h>

/* --- values: often one at the edge --- */

static uint64_t random_bits(struct rng *rng)
{
    switch (rng_below(rng, 4)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return rng_below(rng, 1000);
    default:
        return rng_next(rng);
    }
}

static void fill_U32(struct rng *rng, struct arena *memory, uint32_t *to)
{
    (void)memory;
    *to = (uint32_t)random_bits(rng);
}

static void fill_U64(struct rng *rng, struct arena *memory, uint64_t *to)
{
    (void)memory;
    *to = random_bits(rng);
}

static void fill_I64(struct rng *rng, struct arena *memory, int64_t *to)
{
    (void)memory;
    *to = (int64_t)random_bits(rng);
}

/* Any bits: numbers of all sizes, infinities and every kind of NaN. */
static void fill_F64(struct rng *rng, struct arena *memory, double *to)
{
    (void)memory;
    uint64_t bits = random_bits(rng);
    memcpy(to, &bits, sizeof bits);
}

static void fill_BOOL(struct rng *rng, struct arena *memory, bool *to)
{
    (void)memory;
    *to = rng_below(rng, 2);
}

static void fill_TEXT(struct rng *rng, struct arena *memory, const char **to)
{
    size_t length = rng_below(rng, 4) ? rng_below(rng, 20) : rng_below(rng, 2000);
    char *text = arena_zero(memory, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(1 + rng_below(rng, 255));
    *to = text;
}

static uint32_t random_count(struct rng *rng)
{
    return (uint32_t)(rng_below(rng, 3) ? rng_below(rng, 4) : rng_below(rng, 40));
}

/* fill_slot(), fill_hello(), ... */
#define RECORD(rname, help)                                                                                            \
    static void fill_##rname(struct rng *rng, struct arena *memory, struct msg_##rname *to)                            \
    {
#define MESSAGE(KIND, rname, who, help)       RECORD(rname, help)
#define FIELD(owner, type, name, limit, help) fill_##type(rng, memory, &to->name);
#define LIST(owner, record, name, limit, help)                                                                         \
    to->name##_count = random_count(rng);                                                                              \
    to->name = arena_zero(memory, to->name##_count, sizeof *to->name);                                                 \
    for (uint32_t i = 0; i < to->name##_count; i++)                                                                    \
        fill_##record(rng, memory, &to->name[i]);
#define END(rname) }
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

/* --- comparison --- */

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

#define same_U32(a, b)  same_bits(a, b, sizeof(uint32_t))
#define same_U64(a, b)  same_bits(a, b, sizeof(uint64_t))
#define same_I64(a, b)  same_bits(a, b, sizeof(int64_t))
#define same_F64(a, b)  same_bits(a, b, sizeof(double))
#define same_BOOL(a, b) same_bits(a, b, sizeof(bool))
#define same_TEXT(a, b) (strcmp(*(a), *(b)) == 0)

/* same_slot(), same_hello(), ... */
#define RECORD(rname, help)                                                                                            \
    static bool same_##rname(const struct msg_##rname *a, const struct msg_##rname *b)                                 \
    {                                                                                                                  \
        bool same = true;
#define MESSAGE(KIND, rname, who, help)       RECORD(rname, help)
#define FIELD(owner, type, name, limit, help) same = same && same_##type(&a->name, &b->name);
#define LIST(owner, record, name, limit, help)                                                                         \
    same = same && a->name##_count == b->name##_count;                                                                 \
    for (uint32_t i = 0; same && i < a->name##_count; i++)                                                             \
        same = same_##record(&a->name[i], &b->name[i]);
#define END(rname)                                                                                                     \
    return same;                                                                                                       \
    }
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END

/* --- whole messages --- */

#define RECORD(rname, help)
#define FIELD(owner, type, name, limit, help)
#define LIST(owner, record, name, limit, help)
#define END(rname)

void random_msg(struct rng *rng, enum msg_kind kind, struct msg *msg)
{
    *msg = (struct msg){.kind = kind};
    switch ((int)kind) {
#define MESSAGE(KIND, rname, who, help)                                                                                \
    case MSG_##KIND:                                                                                                   \
        fill_##rname(rng, &msg->memory, &msg->rname);                                                                  \
        break;
#include "common/msg_list.h"
#undef MESSAGE
    }
}

bool same_msg(const struct msg *a, const struct msg *b)
{
    switch (a->kind == b->kind ? (int)a->kind : MSG_NONE) {
#define MESSAGE(KIND, rname, who, help)                                                                                \
    case MSG_##KIND:                                                                                                   \
        return same_##rname(&a->rname, &b->rname);
#include "common/msg_list.h"
#undef MESSAGE
    }
    return false;
}
