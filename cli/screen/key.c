/* The table of keys; see key.h. */
#include "cli/screen/key.h"
#include "cli/screen/screen.h"

#include <stdbool.h>
#include <string.h>

static const struct key_row rows[PRESS_COUNT] = {
#define KEY(id, spellings, screens, changes, word, help) [PRESS_##id] = {spellings, screens, changes, word, help},
#include "cli/screen/key_list.h"
#undef KEY
};

static const struct prompt_key_row prompt_rows[PROMPT_KEYS] = {
    [PROMPT_KEY_NONE] = {"", ""},
#define PROMPT_KEY(id, spellings, help) [PROMPT_KEY_##id] = {spellings, help},
#include "cli/screen/prompt_key_list.h"
#undef PROMPT_KEY
};

static const char *const screen_names[SCREENS_COUNT] = {
#define SCREEN(id, name) #name,
#include "cli/screen/screen_list.h"
#undef SCREEN
};

/* Whether `word` is one of those in `words`, which spaces part. */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    while (*words) {
        size_t here = strcspn(words, " ");
        if (here == length && memcmp(words, word, length) == 0)
            return true;
        words += here + (words[here] == ' ');
    }
    return false;
}

const struct key_row *key_row(enum screen_key key)
{
    return &rows[key];
}

enum screen_key key_of(const char *spelling, enum screen screen)
{
    for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++) {
        const struct key_row *row = &rows[key];
        if (has_word(row->spellings, spelling) && (!*row->screens || has_word(row->screens, screen_names[screen])))
            return key;
    }
    return PRESS_NONE;
}

const struct prompt_key_row *prompt_key_row(enum prompt_key key)
{
    return &prompt_rows[key];
}

enum prompt_key prompt_key_of(const char *spelling)
{
    for (enum prompt_key key = PROMPT_KEY_NONE + 1; key < PROMPT_KEYS; key++)
        if (has_word(prompt_rows[key].spellings, spelling))
            return key;
    return PROMPT_KEY_NONE;
}

/* Each word in a code of its own: "`j` `Down`". */
static void add_words(const char *words, struct buf *out)
{
    const char *between = "";
    while (*words) {
        size_t length = strcspn(words, " ");
        buf_format(out, "%s`%.*s`", between, (int)length, words);
        words += length + (words[length] == ' ');
        between = " ";
    }
}

static void add_screens(struct buf *out)
{
    unsigned digit = 0;
    buf_text(out, "| screen | opened by | what it shows |\n|---|---|---|\n");
    for (enum screen i = 0; i < SCREENS_COUNT; i++) {
        const struct screen_kind *kind = screen_kind(i);
        buf_format(out, "| `%s` | ", screen_name(i));
        if (kind->page)
            buf_text(out, "another screen");
        else
            buf_format(out, "`%u`", ++digit);
        buf_format(out, " | %s |\n", kind->help);
    }
}

void key_document(struct buf *out)
{
    buf_text(out,
             "# Screens and keys\n\nMade by `gannet docs keys` from the tables in `cli/screen`; [status.md](status.md) "
             "shows what they look like.\n\n");
    add_screens(out);
    buf_text(out, "\n| keys | on | what they do |\n|---|---|---|\n");
    for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++) {
        const struct key_row *row = key_row(key);
        buf_text(out, "| ");
        add_words(row->spellings, out);
        buf_text(out, " | ");
        if (*row->screens)
            add_words(row->screens, out);
        else
            buf_text(out, "all");
        buf_format(out, " | %s%s |\n", row->help, row->changes ? " (asks first)" : "");
    }
    buf_text(out, "\nWhile a line is typed at the bottom (`:` and `/`):\n\n| keys | what they do |\n|---|---|\n");
    for (enum prompt_key key = PROMPT_KEY_NONE + 1; key < PROMPT_KEYS; key++) {
        buf_text(out, "| ");
        add_words(prompt_key_row(key)->spellings, out);
        buf_format(out, " | %s |\n", prompt_key_row(key)->help);
    }
}
