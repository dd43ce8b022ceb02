/* The words of a command line; see words.h. */
#include "cli/screen/words.h"
#include "cli/command.h"
#include "common/buf.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct word_list {
    char **items; /* NULL at the end */
    size_t count, capacity;
};

static void insert_word(struct word_list *words, size_t at, char *word)
{
    MEM_GROW(words->items, words->capacity, words->count + 2);
    memmove(words->items + at + 1, words->items + at, (words->count - at) * sizeof *words->items);
    words->items[at] = word;
    words->items[++words->count] = NULL;
}

/* Reads one word; what stands behind it, or NULL: a quote has no end. */
static const char *read_word(const char *line, struct buf *out)
{
    char quote = 0;
    for (; *line && (quote || !isspace((unsigned char)*line)); line++)
        if (*line == quote)
            quote = 0;
        else if (!quote && (*line == '\'' || *line == '"'))
            quote = *line;
        else if (*line == '\\' && quote != '\'' && line[1])
            buf_add(out, ++line, 1);
        else
            buf_add(out, line, 1);
    return quote ? NULL : line;
}

static int split(const char *line, struct word_list *words, struct err *err)
{
    while (isspace((unsigned char)*line))
        line++;
    while (line && *line) {
        struct buf word = {0};
        line = read_word(line, &word);
        insert_word(words, words->count, buf_take(&word));
        while (line && isspace((unsigned char)*line))
            line++;
    }
    return line ? 0 : err_set(err, "a quote in it has no end");
}

/* Whether a first argument is no experiment: a trial's number, "best", or NAME=VALUE. */
static bool is_inside(const char *word)
{
    return !word || strspn(word, "0123456789,-") == strlen(word) || strcmp(word, "best") == 0 || strchr(word, '=');
}

static int fill_in(struct word_list *words, const char *directory, struct err *err)
{
    const struct command *command = command_find(words->items[1]);
    if (!command || !command->arguments || strncmp(command->arguments[0].name, "EXP", 3) != 0 || !directory)
        return 0;
    struct syntax syntax = {.command = command->name,
                            .arguments = (const struct argument[]){{"WORD...", "", false}, {0}},
                            .options = command->options};
    struct args args;
    int status = args_read(&syntax, (int)words->count - 2, words->items + 2, &args, err);
    bool missing = !status && is_inside(args_rest(&args, 0));
    args_fini(&args);
    if (missing)
        insert_word(words, 2, mem_text(directory));
    return status;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

char **words_of(const char *line, const char *directory, struct err *err)
{
    struct word_list words = {0};
    insert_word(&words, 0, mem_text("gannet"));
    int status = split(line, &words, err);
    if (!status && words.count > 1 && strcmp(words.items[1], "gannet") == 0) { /* it may be written, too */
        free(words.items[1]);
        memmove(words.items + 1, words.items + 2, (words.count - 1) * sizeof *words.items);
        words.count--;
    }
    if (!status)
        status = words.count > 1 ? fill_in(&words, directory, err) : err_set(err, "no command stands there");
    if (!status)
        return words.items;
    words_free(words.items);
    return NULL;
}
