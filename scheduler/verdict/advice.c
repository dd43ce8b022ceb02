/* Advice by its table; see advice.h. */
#include "scheduler/verdict/advice.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    enum verdict_kind kind;
    unsigned whom;
    const char *text;
} rows[] = {
#define X(kind, whom, text) {VERDICT_##kind, FOR_##whom, text},
    ADVICES(X)
#undef X
};

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '\n' || !text[length]);
}

/* The frozen experiment is written by us: a kernel's name stands in a line of its own below `trial:`. */
static const char *find_kernel(const char *spec)
{
    static const char line[] = "\n  kernel: ";
    const char *found = strstr(spec, line);
    return found ? found + strlen(line) : NULL;
}

/* Options stand in a line, parameters each in one. */
static bool is_augmented(const char *spec)
{
    static const char *const params[] = {"flip: ", "crop: ", "shift: ", "cutout: "};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        if (strstr(spec, params[i]))
            return true;
    return false;
}

unsigned advice_whom(const char *spec)
{
    const char *kernel = find_kernel(spec), *options = strstr(spec, "\n  options: ");
    if (!kernel)
        return FOR_PROGRAM;
    if (is_word(kernel, "gbt"))
        return FOR_KERNEL | FOR_TREES;
    if (is_word(kernel, "synth") || is_word(kernel, "table"))
        return FOR_KERNEL;
    unsigned whom = FOR_KERNEL | FOR_NETWORK;
    if (is_word(kernel, "mlp") || is_word(kernel, "logreg"))
        whom |= FOR_SMALL;
    const char *made = options ? strstr(options, "generate") : NULL, *end = options ? strchr(options + 1, '\n') : NULL;
    if (made && (!end || made < end))
        whom |= is_augmented(spec) ? FOR_AUGMENTED : FOR_MEMORY;
    return whom;
}

const char *advice_find(enum verdict_kind kind, unsigned whom)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind && rows[i].whom & whom)
            return rows[i].text;
    return "";
}
