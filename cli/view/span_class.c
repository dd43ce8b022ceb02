/* What became of an attempt; see span_class.h. */
#include "cli/view/span_class.h"

#include <stddef.h>

static const struct span_row {
    char letter;
    enum tint tint;
    const char *words;
} rows[SPAN_CLASS_COUNT] = {
#define X(id, letter, tint, help) {letter, TINT_##tint, help},
    SPAN_CLASSES(X)
#undef X
};

char span_letter(enum span_class class)
{
    return rows[class].letter;
}

/* NULL: it is none. */
static const struct span_row *find_row(char letter)
{
    for (size_t i = 0; i < SPAN_CLASS_COUNT; i++)
        if (rows[i].letter == letter || rows[i].letter - 'A' + 'a' == letter)
            return &rows[i];
    return NULL;
}

enum tint span_tint(char letter)
{
    const struct span_row *row = find_row(letter);
    return row ? row->tint : TINT_QUIET;
}

const char *span_words(char letter)
{
    const struct span_row *row = find_row(letter);
    return row ? row->words : "?";
}
