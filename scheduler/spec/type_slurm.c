/* Types of the keys under `slurm`: texts that are Slurm's own, and memory of a node; see key.h. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/emit.h"

#include <ctype.h>
#include <stdlib.h>

/* --- labels --- */

/* Slurm's words may be numbers (an account 1234, 4 GPUs), so any scalar is taken as it was written. */
static bool is_label(const struct node *node)
{
    return node->kind == NODE_SCALAR && !node_is(node, SCALAR_NULL);
}

/* The parts as one text; false when one of them is no label. */
static bool join_labels(const struct node *node, struct buf *out)
{
    if (is_label(node))
        buf_text(out, node->text);
    for (uint32_t i = 0; node->kind == NODE_LIST && i < node->count; i++) {
        if (!is_label(node->entries[i].node))
            return false;
        buf_text(out, i ? "," : "");
        buf_text(out, node->entries[i].node->text);
    }
    return is_label(node) || node->kind == NODE_LIST;
}

/* It goes into one line of a job's description. */
static bool is_one_line(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return false;
    return true;
}

static void label_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    struct buf text = {0};
    char words[KEY_WORDS];
    if (!join_labels(node, &text)) {
        key_refuse(reading, key, node);
    } else if ((double)text.length < key->min || !is_one_line(buf_str(&text))) {
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s %s",
                    key_words(reading, key, words, sizeof words),
                    text.length ? "holds a control character" : "is empty");
    } else {
        char **at = KEY_AT(owner, key->offset, char *);
        free(*at);
        *at = buf_take(&text);
    }
    buf_fini(&text);
}

static bool label_write(const struct key *key, const void *owner, struct buf *out)
{
    const char *text = *KEY_AT_CONST(owner, key->offset, char *);
    if (text)
        emit_text(out, text);
    return text;
}

static json_t *label_schema(const struct key *key)
{
    (void)key;
    return type_schema_of_any((const char *const[]){"string", "number", "array", NULL});
}

const struct key_type type_label = {"a text, or a list of such", label_read, label_write, label_schema};

/* --- memory --- */

static void memory_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    double number;
    if (!node_number(node, &number) || number != 0)
        type_size.read(reading, key, node, owner);
    else
        *KEY_AT(owner, key->offset, uint64_t) = 0;
    *KEY_AT(owner, key->also, bool) = true;
}

static bool memory_write(const struct key *key, const void *owner, struct buf *out)
{
    if (!*KEY_AT_CONST(owner, key->also, bool))
        return false;
    if (!type_size.write(key, owner, out))
        buf_text(out, "0");
    return true;
}

static json_t *memory_schema(const struct key *key)
{
    return json_pack("{s:[{s:i}, o]}", "anyOf", "const", 0, type_size.schema(key));
}

const struct key_type type_memory = {"a size such as 512M or 32G, or 0", memory_read, memory_write, memory_schema};
