/* Types that are one word or text: versions, texts, names, paths, switches, words; see key.h. */
#include "scheduler/spec/type.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/expand.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- version --- */

static void version_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)key, (void)owner;
    double version = 1;
    node_number(node, &version);
    if (version > 1)
        problem_say(reading->problems, PROBLEM_NEWER_VERSION, node->mark, "install a newer gannet",
                    "this file needs a newer gannet: it has version %s, this gannet reads version 1", node->text);
    else if (version != 1)
        problem_say(reading->problems, PROBLEM_BAD_VALUE, node->mark, "write 1", "there is no version %s", node->text);
}

static bool version_write(const struct key *key, const void *owner, struct buf *out)
{
    (void)key, (void)owner;
    buf_text(out, "1");
    return true;
}

const struct key_type type_version = {"1", TAKES_NUMBER, version_read, version_write, .schema = "{'const': 1}"};

/* --- texts --- */

/* A text of the length that the row allows; NULL and a problem when it isn't. */
static const char *text_of(struct reading *reading, const struct key *key, const struct node *node)
{
    if ((double)strlen(node->text) >= key->min)
        return node->text;
    problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s is empty", key_show(reading, key).text);
    return NULL;
}

static void store_text(const struct key *key, void *owner, char *text)
{
    if (key->offset == KEY_NOWHERE) {
        free(text);
        return;
    }
    char **at = KEY_AT(owner, key->offset, char *);
    free(*at);
    *at = text;
}

void type_fini_text(const struct key *key, void *owner)
{
    if (key->offset != KEY_NOWHERE)
        free(*KEY_AT(owner, key->offset, char *));
}

static void text_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    const char *text = text_of(reading, key, node);
    if (text)
        store_text(key, owner, mem_text(text));
}

static bool text_write(const struct key *key, const void *owner, struct buf *out)
{
    const char *text = key->offset == KEY_NOWHERE ? NULL : *KEY_AT_CONST(owner, key->offset, char *);
    if (text)
        emit_text(out, text);
    return text;
}

static json_t *text_schema(const struct key *key)
{
    json_t *schema = json_pack("{s:s}", "type", "string");
    if (key->min > 0)
        json_object_set_new(schema, "minLength", json_integer((json_int_t)key->min));
    return schema;
}

const struct key_type type_text = {
    "a text", TAKES_TEXT, text_read, text_write, .make_schema = text_schema, .fini = type_fini_text};

/* --- names --- */

static bool is_name(const char *text)
{
    if (!isalnum((unsigned char)*text) || strlen(text) > TYPE_LONGEST_NAME)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
            return false;
    return true;
}

static void name_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    const char *text = text_of(reading, key, node);
    if (text && is_name(text))
        store_text(key, owner, mem_text(text));
    else if (text)
        problem_hint(
            problem_add(reading->problems, PROBLEM_BAD_NAME, node->mark, "'%s' can't be an experiment's name", text),
            "a name has up to %d letters, digits and ._- and begins with a letter or digit", TYPE_LONGEST_NAME);
}

const struct key_type type_name = {"a text",
                                   TAKES_TEXT,
                                   name_read,
                                   text_write,
                                   .schema = "{'type': 'string', 'pattern': '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'}",
                                   .fini = type_fini_text};

/* --- paths --- */

static void path_read_key(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    const char *text = text_of(reading, key, node);
    bool is_base = key->offset == offsetof(struct spec, base);
    char *path = text ? expand_path(reading, node, is_base ? reading->base : reading->spec->base) : NULL;
    if (path)
        store_text(key, owner, path);
}

static bool path_write_key(const struct key *key, const void *owner, struct buf *out)
{
    const char *path = *KEY_AT_CONST(owner, key->offset, char *);
    if (path)
        expand_write_path(out, path);
    return path;
}

const struct key_type type_path = {
    "a text (a path)", TAKES_TEXT, path_read_key, path_write_key, .make_schema = text_schema, .fini = type_fini_text};

/* --- switches --- */

static void switch_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    (void)reading;
    *KEY_AT(owner, key->offset, bool) = node->scalar.truth;
}

static bool switch_write(const struct key *key, const void *owner, struct buf *out)
{
    buf_text(out, *KEY_AT_CONST(owner, key->offset, bool) ? "true" : "false");
    return true;
}

const struct key_type type_switch = {"true or false", TAKES_SWITCH, switch_read, switch_write,
                                     .schema = "{'type': 'boolean'}"};

static bool flag_write(const struct key *key, const void *owner, struct buf *out)
{
    return *KEY_AT_CONST(owner, key->offset, bool) && switch_write(key, owner, out);
}

const struct key_type type_flag = {"true or false", TAKES_SWITCH, switch_read, flag_write,
                                   .schema = "{'type': 'boolean'}"};

/* --- labels: texts that are Slurm's own --- */

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
    if (!join_labels(node, &text)) {
        key_refuse(reading, key, node);
    } else if ((double)text.length < key->min || !is_one_line(buf_str(&text))) {
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s %s", key_show(reading, key).text,
                    text.length ? "holds a control character" : "is empty");
    } else {
        store_text(key, owner, buf_take(&text));
    }
    buf_fini(&text);
}

const struct key_type type_label = {"a text, or a list of such",
                                    (TAKES_ANY & ~TAKES_NULL & ~TAKES_MAP),
                                    label_read,
                                    text_write,
                                    .schema = "{'type': ['string', 'number', 'array']}",
                                    .fini = type_fini_text};

/* --- words --- */

/* The place of a node's text among the row's words; -1 and a problem when it is none of them. */
static int word_of(struct reading *reading, const struct key *key, const struct node *node)
{
    for (int i = 0; node->kind == NODE_SCALAR && key->words[i]; i++)
        if (strcmp(key->words[i], node->text) == 0)
            return i;
    unknown_word(reading, key, node);
    return -1;
}

static void word_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    int word = word_of(reading, key, node);
    if (word >= 0)
        *KEY_AT(owner, key->offset, int) = word;
}

static bool word_write(const struct key *key, const void *owner, struct buf *out)
{
    buf_text(out, key->words[*KEY_AT_CONST(owner, key->offset, int)]);
    return true;
}

static json_t *word_schema(const struct key *key)
{
    return key_schema_of_words(key->words);
}

const struct key_type type_word = {"one of several words", TAKES_ANY, word_read, word_write,
                                   .make_schema = word_schema};

static void either_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    int word = word_of(reading, key, node);
    if (word >= 0)
        *KEY_AT(owner, key->offset, bool) = word == 1;
    if (word >= 0 && key->also != KEY_NOWHERE)
        *KEY_AT(owner, key->also, bool) = true;
}

static bool either_write(const struct key *key, const void *owner, struct buf *out)
{
    if (key->also != KEY_NOWHERE && !*KEY_AT_CONST(owner, key->also, bool))
        return false;
    buf_text(out, key->words[*KEY_AT_CONST(owner, key->offset, bool)]);
    return true;
}

const struct key_type type_either = {"one of two words", TAKES_ANY, either_read, either_write,
                                     .make_schema = word_schema};
