/* Types that are numbers: whole ones, reals, durations, sizes; see key.h. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/emit.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

static void mark_given(const struct key *key, void *owner)
{
    if (key->also != KEY_NOWHERE)
        *KEY_AT(owner, key->also, bool) = true;
}

static bool is_given(const struct key *key, const void *owner)
{
    return key->also == KEY_NOWHERE || *KEY_AT_CONST(owner, key->also, bool);
}

/* Reports a number that is too small or too large; `limit` is the bound in words. */
static void refuse_range(struct reading *reading, const struct key *key, const struct node *node, bool below,
                         const char *limit)
{
    problem_hint(problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s can't be %s",
                             key_show(reading, key).text, node->text),
                 below ? "the least is %s" : "the most is %s", limit);
}

static bool in_range(const struct key *key, double number)
{
    return number >= key->min && number <= key->max;
}

/* A bound of whole numbers; the largest int64_t for 2^63. */
static int64_t whole_bound(double number)
{
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

/* --- whole numbers --- */

static bool is_wide(const struct key *key)
{
    return key->max > UINT32_MAX;
}

/* 1e3 is a whole number, too. */
static void whole_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    double number = 0;
    node_number(node, &number);
    if (number != floor(number)) {
        key_refuse(reading, key, node);
    } else if (!in_range(key, number) || (node_is(node, SCALAR_REAL) && number >= 0x1p63)) {
        bool below = number < key->min;
        char limit[32];
        snprintf(limit, sizeof limit, "%lld", (long long)whole_bound(below ? key->min : key->max));
        refuse_range(reading, key, node, below, limit);
    } else {
        uint64_t whole = node_is(node, SCALAR_INT) ? (uint64_t)node->scalar.integer : (uint64_t)number;
        if (is_wide(key))
            *KEY_AT(owner, key->offset, uint64_t) = whole;
        else
            *KEY_AT(owner, key->offset, uint32_t) = (uint32_t)whole;
        mark_given(key, owner);
    }
}

/* Without a flag, 0 below the least value means that none was given. */
static bool whole_write(const struct key *key, const void *owner, struct buf *out)
{
    uint64_t whole =
        is_wide(key) ? *KEY_AT_CONST(owner, key->offset, uint64_t) : *KEY_AT_CONST(owner, key->offset, uint32_t);
    if (!is_given(key, owner) || (double)whole < key->min)
        return false;
    buf_format(out, "%llu", (unsigned long long)whole);
    return true;
}

static json_t *whole_schema(const struct key *key)
{
    return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)whole_bound(key->min), "maximum",
                     (json_int_t)whole_bound(key->max));
}

const struct key_type type_whole = {"a whole number", TAKES_NUMBER, whole_read, whole_write,
                                    .make_schema = whole_schema};

/* --- reals --- */

static void number_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    double number = 0;
    node_number(node, &number);
    if (!isfinite(number) || (key->type == &type_positive && number <= 0)) {
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, key->type->hint, "%s can't be %s",
                    key_show(reading, key).text, node->text);
    } else {
        *KEY_AT(owner, key->offset, double) = number;
        mark_given(key, owner);
    }
}

static bool number_write(const struct key *key, const void *owner, struct buf *out)
{
    if (!is_given(key, owner))
        return false;
    emit_number(out, *KEY_AT_CONST(owner, key->offset, double));
    return true;
}

const struct key_type type_number = {"a number",
                                     TAKES_NUMBER,
                                     number_read,
                                     number_write,
                                     .schema = "{'type': 'number'}",
                                     .hint = "write a finite number"};

const struct key_type type_bound = {"a number", TAKES_NUMBER, number_read, .schema = "{'type': 'number'}",
                                    .hint = "bounds are finite"};

const struct key_type type_positive = {"a number above 0", TAKES_NUMBER, number_read,
                                       .schema = "{'type': 'number', 'exclusiveMinimum': 0}",
                                       .hint = "it must be above 0, and finite"};

/* --- durations --- */

/* The grain of durations, in 1/s: what is read is rounded to it, so that what is written reads back as the same. */
#define MICROSECONDS 1e6

static void refuse_unit(struct reading *reading, const struct key *key, const struct node *node, const struct err *err)
{
    problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s: %s", key_show(reading, key).text, err->text);
}

static void duration_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct err err;
    double seconds;
    if (units_duration(node->text, &seconds, &err)) {
        refuse_unit(reading, key, node, &err);
        return;
    }
    char limit[32];
    seconds = round(seconds * MICROSECONDS) / MICROSECONDS;
    bool below = seconds < key->min;
    if (in_range(key, seconds))
        *KEY_AT(owner, key->offset, double) = seconds;
    else
        refuse_range(reading, key, node, below, units_show_duration(below ? key->min : key->max, limit, sizeof limit));
}

/* In the largest unit that is a whole number of, else in seconds. */
static bool duration_write(const struct key *key, const void *owner, struct buf *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"m", 60}};
    double seconds = *KEY_AT_CONST(owner, key->offset, double);
    if (seconds < key->min)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds > units[i].seconds && fmod(seconds, units[i].seconds) == 0) {
            buf_format(out, "%.0f%s", seconds / units[i].seconds, units[i].name);
            return true;
        }
    emit_decimal(out, seconds, 6);
    buf_text(out, "s");
    return true;
}

const struct key_type type_duration = {
    "a duration such as 90s, 40m, 12h or 1d12h", TAKES_TEXT | TAKES_NUMBER, duration_read, duration_write,
    .schema = "{'type': 'string', 'pattern':"
              " '^(([0-9]+(\\\\.[0-9]*)?(ms|s|m|h|d))+|([0-9]{1,4}-)?[0-9]{1,4}:[0-5]?[0-9](:[0-5]?[0-9])?)$'}"};

/* --- sizes --- */

static void size_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct err err;
    uint64_t bytes;
    if (units_size(node->text, &bytes, &err))
        refuse_unit(reading, key, node, &err);
    else if (!in_range(key, (double)bytes))
        refuse_range(reading, key, node, true, "1M");
    else
        *KEY_AT(owner, key->offset, uint64_t) = bytes;
}

/* Adds a part of 1024 as the decimals of K, exactly: 1/1024 has ten of them. */
static void emit_fraction(struct buf *out, uint64_t part)
{
    char digits[16];
    int length = snprintf(digits, sizeof digits, "%010llu", (unsigned long long)(part * 9765625)); /* 10^10 / 1024 */
    while (digits[length - 1] == '0')
        length--;
    buf_format(out, ".%.*sK", length, digits);
}

/* In the largest unit that is a whole number of; else with a fraction of K. */
static bool size_write(const struct key *key, const void *owner, struct buf *out)
{
    static const char letters[] = "TGMK";
    uint64_t bytes = *KEY_AT_CONST(owner, key->offset, uint64_t);
    if ((double)bytes < key->min)
        return false;
    for (size_t i = 0; i < sizeof letters - 1; i++) {
        uint64_t unit = (uint64_t)1 << 10 * (sizeof letters - 1 - i);
        if (bytes % unit == 0) {
            buf_format(out, "%llu%c", (unsigned long long)(bytes / unit), letters[i]);
            return true;
        }
    }
    buf_format(out, "%llu", (unsigned long long)(bytes / 1024));
    emit_fraction(out, bytes % 1024);
    return true;
}

#define SIZE_SCHEMA "{'type': 'string', 'pattern': '^[0-9]+(\\\\.[0-9]*)?[KMGT]i?B?$'}"

const struct key_type type_size = {"a size such as 512M or 32G", TAKES_TEXT | TAKES_NUMBER, size_read, size_write,
                                   .schema = SIZE_SCHEMA};

/* --- memory of a node --- */

static void memory_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    double number;
    if (!node_number(node, &number) || number != 0)
        size_read(reading, key, node, owner);
    else
        *KEY_AT(owner, key->offset, uint64_t) = 0;
    *KEY_AT(owner, key->also, bool) = true;
}

static bool memory_write(const struct key *key, const void *owner, struct buf *out)
{
    if (!*KEY_AT_CONST(owner, key->also, bool))
        return false;
    if (!size_write(key, owner, out))
        buf_text(out, "0");
    return true;
}

const struct key_type type_memory = {"a size such as 512M or 32G, or 0", TAKES_TEXT | TAKES_NUMBER, memory_read,
                                     memory_write, .schema = "{'anyOf': [{'const': 0}, " SIZE_SCHEMA "]}"};
