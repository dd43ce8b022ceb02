/* Suggestions for what gannet doesn't have; see unknown.h. */
#include "scheduler/spec/unknown.h"
#include "scheduler/spec/distribution.h"
#include "scheduler/spec/foreign.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool unknown_same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "-_");
        b += strspn(b, "-_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

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

static bool hint_foreign(struct problem *problem, const char *section, const struct entry *entry)
{
    const struct foreign *foreign = foreign_find(section, entry->key);
    if (!foreign)
        return false;
    if (foreign->advice) {
        hint_advice(problem, foreign->advice, entry->node);
        return true;
    }
    const struct key *key = key_of_path(foreign->here);
    bool near =
        key && strncmp(key->path, section, key_section_length(key)) == 0 && strlen(section) == key_section_length(key);
    problem_hint(problem, "%s's '%s' is '%s' here", foreign->tool, foreign->name, near ? key_name(key) : foreign->here);
    return true;
}

static bool hint_spelling(struct problem *problem, const char *section, unsigned forms, const char *name)
{
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if ((!forms || key->flags & forms) && unknown_same_name(key_name(key), name)) {
            problem_hint(problem, "write '%s'", key_name(key));
            return true;
        }
    return false;
}

/* "limits.max_trials: 5" at the top, or a key under another section than its own. */
static bool hint_section(struct problem *problem, const char *section, const char *name)
{
    const struct key *whole = key_of_path(name);
    if (!*section && whole && key_section_length(whole)) {
        problem_hint(problem, "write %.*s: {%s: ...}", (int)key_section_length(whole), whole->path, key_name(whole));
        return true;
    }
    for (const struct key *key = key_table; key < key_table + key_count; key++) {
        size_t length = key_section_length(key);
        if (strchr(key->path, '*') || key->flags & KEY_LATER || !unknown_same_name(key_name(key), name))
            continue;
        if (length)
            problem_hint(problem, "it belongs under '%.*s'", (int)length, key->path);
        else
            problem_hint(problem, "it belongs to the top of the file, outside of '%s'", section);
        return true;
    }
    return false;
}

static size_t names_of(const char *section, unsigned forms, unsigned without, const char **names)
{
    size_t count = 0;
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if ((!forms || key->flags & forms) && !(key->flags & without) && *key_name(key) != '$')
            names[count++] = key_name(key);
    return count;
}

/* Keys that come later are suggested, too: a person who mistypes one hears of both at once. */
static bool hint_nearest(struct problem *problem, const char *section, unsigned forms, const char *name)
{
    const char **names = MEM_ARRAY(const char *, key_count);
    const char *nearest = suggest_nearest(name, names, names_of(section, forms, 0, names));
    if (nearest) {
        bool later = key_find(section, nearest)->flags & KEY_LATER;
        problem_hint(problem, "did you mean '%s'?%s", nearest, later ? " It comes with a later version." : "");
    }
    free(names);
    return nearest;
}

static void hint_all(struct problem *problem, const char *section, unsigned forms)
{
    const char **names = MEM_ARRAY(const char *, key_count);
    struct buf list = {0};
    suggest_list(&list, names, names_of(section, forms, KEY_LATER, names));
    problem_hint(problem, "the keys here are %s", buf_str(&list));
    buf_fini(&list);
    free(names);
}

static const char *form_words(unsigned form)
{
    return form == KEY_IN_RANGE    ? "a range"
           : form == KEY_IN_CHOICE ? "a choice"
           : form == KEY_IN_NORMAL ? "a normal parameter"
                                   : "a constant";
}

static void unknown_parameter_key(struct reading *reading, const char *section, unsigned forms,
                                  const struct entry *entry)
{
    if (key_find(section, entry->key)) {
        hint_all(problem_add(reading->problems, PROBLEM_CONFLICT, entry->mark, "'%s' is %s, which has no '%s'",
                             reading->parameter, form_words(forms), entry->key),
                 section, forms);
        return;
    }
    struct problem *problem = problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark,
                                          "unknown key '%s' in parameter '%s'", entry->key, reading->parameter);
    if (distribution_is_key(entry->key))
        distribution_hint(problem, reading->map, entry->node);
    else if (hint_foreign(problem, section, entry) || hint_spelling(problem, section, forms, entry->key) ||
             hint_nearest(problem, section, forms, entry->key))
        return;
    else if (entry->node->kind == NODE_MAP)
        problem_hint(problem, "parameters don't nest; write '%s.%s: ...' under 'parameters'", reading->parameter,
                     entry->key);
    else
        hint_all(problem, section, forms);
}

void unknown_key(struct reading *reading, const char *section, unsigned forms, const struct entry *entry)
{
    if (reading->parameter) {
        unknown_parameter_key(reading, section, forms, entry);
        return;
    }
    struct problem *problem =
        *section ? problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "unknown key '%s' in '%s'",
                               entry->key, section)
                 : problem_add(reading->problems, PROBLEM_UNKNOWN_KEY, entry->mark, "unknown key '%s'", entry->key);
    if (!hint_spelling(problem, section, forms, entry->key) && !hint_foreign(problem, section, entry) &&
        !hint_section(problem, section, entry->key) && !hint_nearest(problem, section, forms, entry->key))
        hint_all(problem, section, forms);
}

/* --- words --- */

void unknown_word(struct reading *reading, const struct key *key, const struct node *node)
{
    char words[KEY_WORDS], what[NODE_WORDS];
    struct buf choice = {0};
    unknown_add_choice(&choice, key->words);
    struct problem *problem = problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "%s takes %s, not %s",
                                          key_words(reading, key, words, sizeof words), buf_str(&choice),
                                          node_words(node, what, sizeof what));
    buf_fini(&choice);
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
