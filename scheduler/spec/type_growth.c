/* Types that say how much more comes next: "x2", "x1.5", or "+4G" and "+30m". */
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"
#include "common/growth.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TIMES = 1000 };

static bool read_factor(const char *text, struct growth *out)
{
    double factor;
    if (!units_number(text, &factor) || !(factor > 1 && factor <= MOST_TIMES))
        return false;
    *out = (struct growth){.factor = factor};
    return true;
}

static bool read_size(const char *text, struct growth *out)
{
    struct err err;
    uint64_t bytes;
    if (units_size(text, &bytes, &err) || bytes < 1 << 20)
        return false;
    *out = (struct growth){.amount = (double)bytes};
    return true;
}

static bool read_seconds(const char *text, struct growth *out)
{
    struct err err;
    double seconds;
    if (units_duration(text, &seconds, &err) || seconds < 1e-3)
        return false;
    *out = (struct growth){.amount = seconds};
    return true;
}

static void read_growth(struct reading *reading, const struct key *key, const struct node *node, struct growth *out,
                        bool (*read_amount)(const char *text, struct growth *out), const char *example)
{
    const char *text = node->text;
    if (*text == 'x' ? !read_factor(text + 1, out) : *text == '+' ? !read_amount(text + 1, out) : true)
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s is not %s: '%s'",
                                 key_show(reading, key).text, key->type->words, text),
                     "write x2 for twice as much, up to x%d, or %s for so much more", MOST_TIMES, example);
}

static bool write_factor(struct growth growth, struct buf *out)
{
    if (growth.factor <= 0)
        return false;
    buf_text(out, "x");
    emit_decimal(out, growth.factor, 9);
    return true;
}

static struct growth growth_of(const struct key *key, const void *owner)
{
    return *KEY_AT_CONST(owner, key->offset, struct growth);
}

static void more_memory_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    read_growth(reading, key, node, KEY_AT(owner, key->offset, struct growth), read_size, "+4G");
}

static bool more_memory_write(const struct key *key, const void *owner, struct buf *out)
{
    struct growth growth = growth_of(key, owner);
    if (!growth_is_given(growth) || write_factor(growth, out))
        return growth_is_given(growth);
    double kib = growth.amount / 1024;
    buf_text(out, "\"+");
    if (fmod(kib, 1 << 20) == 0)
        buf_format(out, "%.0fG", kib / (1 << 20));
    else if (fmod(kib, 1 << 10) == 0)
        buf_format(out, "%.0fM", kib / (1 << 10));
    else
        buf_format(out, "%.10fK", kib);
    buf_text(out, "\"");
    return true;
}

static void more_time_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    read_growth(reading, key, node, KEY_AT(owner, key->offset, struct growth), read_seconds, "+30m");
}

static bool more_time_write(const struct key *key, const void *owner, struct buf *out)
{
    struct growth growth = growth_of(key, owner);
    if (!growth_is_given(growth) || write_factor(growth, out))
        return growth_is_given(growth);
    buf_text(out, "\"+");
    emit_decimal(out, growth.amount, 6);
    buf_text(out, "s\"");
    return true;
}

const struct key_type type_more_memory = {
    "a factor such as x2, or an amount such as +4G", TAKES_TEXT, more_memory_read, more_memory_write,
    .schema = "{'type': 'string', 'pattern': '^(x[0-9]+(\\\\.[0-9]+)?|\\\\+[0-9]+(\\\\.[0-9]*)?[KMGT]i?B?)$'}"};
const struct key_type type_more_time = {
    "a factor such as x2, or an amount such as +30m", TAKES_TEXT, more_time_read, more_time_write,
    .schema = "{'type': 'string', 'pattern': '^(x[0-9]+(\\\\.[0-9]+)?|\\\\+([0-9]+(\\\\.[0-9]*)?(ms|s|m|h|d))+)$'}"};
