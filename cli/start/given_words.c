/* Arguments that a person typed; see given_words.h. */
#include "cli/start/given_words.h"
#include "cli/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the usage has the word before its first option or argument: "usage: train.py fit [-h] data". */
static bool is_subcommand(const char *help, const char *word)
{
    const char *usage = strcasestr(help, "usage:");
    if (!usage)
        return false;
    usage += strlen("usage:");
    usage += strspn(usage, " ");
    size_t head = strcspn(usage, "[<{(\n"), size = strlen(word);
    for (const char *at = usage, *end = usage + head; at < end; at += strspn(at, " ")) {
        size_t length = strcspn(at, " [<{(\n");
        if (!length || *at == '-')
            return false;
        if (length == size && memcmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}

json_t *given_words_option(const json_t *options, const char *word)
{
    size_t index, length = strcspn(word, "=");
    json_t *option;
    json_array_foreach((json_t *)options, index, option)
    {
        const char *spelling = json_text(option, "spelling");
        if (strlen(spelling) == length && strncmp(spelling, word, length) == 0)
            return option;
    }
    return NULL;
}

/* The next argument that none of the words was for; one that takes several takes all of them. */
static json_t *next_argument(const json_t *options)
{
    size_t index;
    json_t *option;
    json_array_foreach((json_t *)options, index, option)
    {
        bool is_open = !json_is_true(json_object_get(option, "given")) || json_is_true(json_object_get(option, "many"));
        if (!*json_text(option, "spelling") && is_open)
            return option;
    }
    return NULL;
}

void given_words_mark(const struct texts *words, size_t first, const char *help, json_t *options)
{
    for (size_t i = first; i < words->count; i++) {
        const char *word = words->items[i];
        bool is_option = *word == '-' && word[1];
        json_t *option = is_option ? given_words_option(options, word) : NULL;
        if (option && !strchr(word, '=') && strcmp(json_text(option, "type"), "flag") != 0)
            i++; /* its value */
        if (!is_option && !is_subcommand(help, word))
            option = next_argument(options);
        if (option)
            json_object_set_new(option, "given", json_true());
    }
}
