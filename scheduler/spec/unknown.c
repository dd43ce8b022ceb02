/* Suggestions for what gannet doesn't have; see unknown.h. */
#include "scheduler/spec/unknown.h"
#include "scheduler/spec/foreign.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <stdlib.h>
#include <string.h>

void unknown_add_choice(struct buf *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        buf_format(out, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

void unknown_hint_nearest(struct problem *problem, const char *name, const char *const *names, size_t count,
                          const char *intro)
{
    const char *nearest = suggest_nearest(name, names, count);
    struct buf list = {0};
    suggest_list(&list, names, count);
    if (nearest)
        problem_hint(problem, "did you mean '%s'?", nearest);
    else if (count)
        problem_hint(problem, "%s %s", intro, buf_str(&list));
    buf_fini(&list);
}

/* --- keys --- */

/* The key of the section whose name is the same but for its spelling. */
static const struct key *same_here(const char *section, unsigned forms, const char *name)
{
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (key_applies(key, forms) && foreign_same_name(key_name(key), name))
            return key;
    return NULL;
}

/* "limits.max_trials: 5" at the top, or a key under another section than its own. */
static const struct key *same_elsewhere(const char *section, const char *name)
{
    const struct key *whole = key_of_path(name);
    if (!*section && whole)
        return whole;
    for (const struct key *key = key_table; key < key_table + key_count; key++)
        if (!strchr(key->path, '*') && !(key->flags & KEY_LATER) && foreign_same_name(key_name(key), name))
            return key;
    return NULL;
}

static size_t names_of(const char *section, unsigned forms, unsigned without, const char **names)
{
    size_t count = 0;
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (key_applies(key, forms) && !(key->flags & without) && *key_name(key) != '$')
            names[count++] = key_name(key);
    return count;
}

/* Keys that come later are near, too: a person who mistypes one hears of both at once. */
static const struct key *nearest_here(const char *section, unsigned forms, const char *name)
{
    const char **names = MEM_ARRAY(const char *, key_count);
    const char *nearest = suggest_nearest(name, names, names_of(section, forms, 0, names));
    free(names);
    return nearest ? key_find(section, nearest) : NULL;
}

const struct key *unknown_meant(const char *section, unsigned forms, const char *name)
{
    const struct foreign *foreign = foreign_find(section, name);
    if (foreign)
        return foreign->here ? key_of_path(foreign->here) : NULL;
    const struct key *key = same_here(section, forms, name);
    if (!key && strcmp(section, "parameters.*") != 0)
        key = same_elsewhere(section, name);
    return key ? key : nearest_here(section, forms, name);
}

/* The advice with the value in place of "{}". */
static void hint_advice(struct problem *problem, const char *advice, const struct node *value)
{
    const char *gap = strstr(advice, "{}");
    if (!gap)
        problem_hint(problem, "%s", advice);
    else
        problem_hint(problem, "%.*s%s%s", (int)(gap - advice), advice, value->kind == NODE_SCALAR ? value->text : "...",
                     gap + 2);
}

/* A key of another section, or one that was written with its dots. */
static void hint_elsewhere(struct problem *problem, const char *section, const struct key *key, const char *name)
{
    int length = (int)key_section_length(key);
    if (length && strcmp(key->path, name) == 0)
        problem_hint(problem, "write %.*s: {%s: ...}", length, key->path, key_name(key));
    else if (length)
        problem_hint(problem, "it belongs under '%.*s'", length, key->path);
    else
        problem_hint(problem, "it belongs to the top of the file, outside of '%s'", section);
}

/* All keys of a section, when nothing better is known. */
static void hint_all(struct problem *problem, const char *section, unsigned forms)
{
    static const char *const own[][2] = {{"strategy", "a strategy's own options go under 'options'; "},
                                         {"trial", "a kernel's own options go under 'options'; "}};
    const char **names = MEM_ARRAY(const char *, key_count), *before = "";
    struct buf list = {0};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i][0], section) == 0)
            before = own[i][1];
    suggest_list(&list, names, names_of(section, forms, KEY_LATER, names));
    problem_hint(problem, "%sthe keys here are %s", before, buf_str(&list));
    buf_fini(&list);
    free(names);
}

/* Says what was meant: `key` (NULL: nobody knows), or what another tool's name is here. False when nothing is known. */
static bool hint_meant(struct problem *problem, const char *section, const struct entry *entry, const struct key *key)
{
    const struct foreign *foreign = foreign_find(section, entry->key);
    if (foreign && foreign->advice)
        hint_advice(problem, foreign->advice, entry->node);
    else if (foreign)
        problem_hint(problem, "%s's '%s' is '%s' here", foreign->tool, foreign->name,
                     key_is_in(key, section) ? key_name(key) : key->path);
    else if (key && !key_is_in(key, section))
        hint_elsewhere(problem, section, key, entry->key);
    else if (key && foreign_same_name(key_name(key), entry->key))
        problem_hint(problem, "write '%s'", key_name(key));
    else if (key)
        problem_hint(problem, "did you mean '%s'?%s", key_name(key),
                     key->flags & KEY_LATER ? " It comes with a later version." : "");
    return foreign || key;
}

static const char *form_words(unsigned form)
{
    return form == KEY_IN_RANGE    ? "a range"
           : form == KEY_IN_CHOICE ? "a choice"
           : form == KEY_IN_NORMAL ? "a normal parameter"
                                   : "a constant";
}

/* A key that parameters have, but not in this form. */
static void wrong_form(struct reading *reading, const char *section, unsigned forms, const struct entry *entry)
{
    hint_all(problem_add(reading->problems, PROBLEM_CONFLICT, entry->mark, "'%s' is %s, which has no '%s'",
                         reading->parameter, form_words(forms), entry->key),
             section, forms);
}

static const struct key *unknown_parameter_key(struct reading *reading, const char *section, unsigned forms,
                                               const struct entry *entry)
{
    const struct key *meant = unknown_meant(section, forms, entry->key);
    struct problem *problem = problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark,
                                          "unknown key '%s' in parameter '%s'", entry->key, reading->parameter);
    if (foreign_is_distribution(entry->key))
        foreign_hint_distribution(problem, reading->map, entry->node);
    else if (hint_meant(problem, section, entry, meant))
        return meant;
    else if (entry->node->kind == NODE_MAP)
        problem_hint(problem, "parameters don't nest; write '%s.%s: ...' under 'parameters'", reading->parameter,
                     entry->key);
    else
        hint_all(problem, section, forms);
    return NULL;
}

const struct key *unknown_key(struct reading *reading, const char *section, unsigned forms, const struct entry *entry)
{
    if (reading->parameter && key_find(section, entry->key)) {
        wrong_form(reading, section, forms, entry);
        return NULL;
    }
    if (reading->parameter)
        return unknown_parameter_key(reading, section, forms, entry);
    const struct key *meant = unknown_meant(section, forms, entry->key);
    struct problem *problem =
        *section ? problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "unknown key '%s' in '%s'",
                               entry->key, section)
                 : problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "unknown key '%s'", entry->key);
    if (!hint_meant(problem, section, entry, meant))
        hint_all(problem, section, forms);
    return meant;
}

/* --- words --- */

static void hint_word(struct problem *problem, const struct key *key, const struct node *node)
{
    const struct foreign_word *foreign = foreign_find_word(key->path, node->text);
    size_t count = 0;
    while (key->words[count])
        count++;
    const char *nearest = foreign ? foreign->here : suggest_nearest(node->text, key->words, count);
    if (nearest)
        problem_hint(problem, "did you mean '%s'?", nearest);
    else if (foreign)
        hint_advice(problem, foreign->advice, node);
}

void unknown_word(struct reading *reading, const struct key *key, const struct node *node)
{
    struct buf choice = {0};
    unknown_add_choice(&choice, key->words);
    struct problem *problem = problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s takes %s, not %s",
                                          key_show(reading, key).text, buf_str(&choice), node_show(node).text);
    buf_fini(&choice);
    if (node->kind == NODE_SCALAR)
        hint_word(problem, key, node);
}
