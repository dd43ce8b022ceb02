/* docs/keys.md: the screens and their keys, from the tables of both. */
#include "cli/screen/key.h"
#include "cli/screen/screen.h"

#include <string.h>

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
