/* Reading maps by the table of keys; see key.h. */
#include "scheduler/spec/key.h"
#include "scheduler/spec/text.h"
#include "scheduler/spec/type.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t key_section_length(const struct key *key)
{
    const char *dot = strrchr(key->path, '.');
    return dot ? (size_t)(dot - key->path) : 0;
}

const char *key_name(const struct key *key)
{
    const char *dot = strrchr(key->path, '.');
    return dot ? dot + 1 : key->path;
}

bool key_is_in(const struct key *key, const char *section)
{
    size_t length = key_section_length(key);
    return strlen(section) == length && strncmp(key->path, section, length) == 0;
}

bool key_applies(const struct key *key, unsigned forms)
{
    return !forms || key->flags & forms;
}

const struct key *key_next(const char *section, const struct key *before)
{
    for (const struct key *key = before ? before + 1 : key_table; key < key_table + key_count; key++)
        if (key_is_in(key, section))
            return key;
    return NULL;
}

const struct key *key_find(const char *section, const char *name)
{
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (strcmp(key_name(key), name) == 0)
            return key;
    return NULL;
}

const struct key *key_of_path(const char *path)
{
    for (const struct key *key = key_table; key < key_table + key_count; key++)
        if (strcmp(key->path, path) == 0)
            return key;
    return NULL;
}

/* The bytes of a name that are shown; names are short, but a file may hold anything. */
static int shown_length(const char *name)
{
    enum { MOST = 80 };
    size_t length = strlen(name);
    return (int)(length > MOST ? text_whole(name, MOST) : length);
}

struct key_shown key_show(const struct reading *reading, const struct key *key)
{
    struct key_shown shown;
    if (reading->parameter)
        snprintf(shown.text, sizeof shown.text, "'%s' of '%.*s'", key_name(key), shown_length(reading->parameter),
                 reading->parameter);
    else
        snprintf(shown.text, sizeof shown.text, "'%s'", key->path);
    return shown;
}

/* What to write instead of a scalar of the wrong kind. */
static void hint_kind(struct problem *problem, const struct key *key, const struct node *node)
{
    const struct key_type *type = key->type;
    bool is_text = node_is(node, SCALAR_TEXT);
    if (type == &type_texts || type == &type_scalars || type == &type_constraints)
        problem_hint(problem, is_text && type != &type_scalars ? "write [\"%s\"]" : "write [%s]", node->text);
    else if (type == &type_switch && scalar_was_switch(node->text))
        problem_hint(problem, "write true or false");
    else if (!node->plain && scalar_resolve(node->text).kind != SCALAR_TEXT)
        problem_hint(problem, "leave the quotes out");
    else if (!is_text && (type == &type_text || type == &type_name || type == &type_path || type == &type_command))
        problem_hint(problem, "put it in quotes: \"%s\"", node->text);
}

void key_refuse(struct reading *reading, const struct key *key, const struct node *node)
{
    struct problem *problem = problem_add(reading->problems, PROBLEM_WRONG_TYPE, node->mark, "%s takes %s, not %s",
                                          key_show(reading, key).text, key->type->words, node_show(node).text);
    if (node->kind == NODE_SCALAR && *node->text)
        hint_kind(problem, key, node);
}

void key_read(struct reading *reading, const struct key *key, const struct node *node, void *owner)
{
    unsigned kind = node->kind == NODE_SCALAR ? 1u << node->scalar.kind
                    : node->kind == NODE_LIST ? TAKES_LIST
                                              : TAKES_MAP;
    if (key->type->takes & kind)
        key->type->read(reading, key, node, owner);
    else
        key_refuse(reading, key, node);
}

static void report_missing(struct reading *reading, const struct key *key, struct source_mark place)
{
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_MISSING_KEY, place, "%s is missing", key_show(reading, key).text);
    problem_hint(problem, "%c%s", tolower((unsigned char)*key->help), key->help + 1);
}

static void report_later(struct reading *reading, const struct key *key, struct source_mark place)
{
    problem_say(reading->problems, PROBLEM_NOT_YET, place, "leave it out",
                "%s comes with a later version of gannet: %s", key_show(reading, key).text, key->later);
}

/* Reads one key; the row that it is or was meant to be: then that one isn't missing as well. NULL when it is none. */
static const struct key *read_entry(struct reading *reading, const char *section, unsigned forms,
                                    const struct entry *entry, void *owner)
{
    const struct key *key = key_find(section, entry->key);
    if (!key || !key_applies(key, forms))
        return unknown_key(reading, section, forms, entry);
    if (key->flags & KEY_LATER) {
        report_later(reading, key, entry->mark);
    } else {
        reading->place = entry->mark;
        key_read(reading, key, entry->node, owner);
    }
    return key;
}

/* Defaults go the way of what a person writes: the same scalars, the same checks. A section of which nothing was
 * written still has its defaults. */
static void read_default(struct reading *reading, const struct key *key, struct source_mark place, void *owner)
{
    if (key->default_value) {
        struct node node = {.kind = NODE_SCALAR,
                            .text = key->default_value,
                            .plain = true,
                            .scalar = scalar_resolve(key->default_value),
                            .weight = 1};
        key_read(reading, key, &node, owner);
    } else if (key_next(key->path, NULL)) {
        key_read_map(reading, key->path, 0, NULL, place, owner);
    }
}

void key_read_map(struct reading *reading, const char *section, unsigned forms, const struct node *map,
                  struct source_mark place, void *owner)
{
    bool *given = MEM_ARRAY(bool, key_count);
    for (uint32_t i = 0; map && i < map->count; i++) {
        const struct key *key = read_entry(reading, section, forms, &map->entries[i], owner);
        if (key)
            given[key - key_table] = true;
    }
    for (const struct key *key = NULL; (key = key_next(section, key));) {
        if (given[key - key_table] || !key_applies(key, forms))
            continue;
        if (key->flags & KEY_REQUIRED)
            report_missing(reading, key, place);
        else
            read_default(reading, key, place, owner);
    }
    free(given);
}

void key_fini_all(struct spec *spec)
{
    for (const struct key *key = key_table; key < key_table + key_count; key++)
        if (key->type->fini && !strchr(key->path, '*'))
            key->type->fini(key, spec);
}

void key_exclude(struct reading *reading, const char *section, const char *one, const char *other, const char *sentence,
                 const char *hint)
{
    const struct node *map = node_find(reading->root, section);
    const struct entry *first = node_entry(map, one), *second = node_entry(map, other);
    if (first && second)
        problem_say(reading->problems, PROBLEM_CONFLICT, (first->mark.line > second->mark.line ? first : second)->mark,
                    hint, "%s", sentence);
}
