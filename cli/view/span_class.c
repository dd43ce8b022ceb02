/* What became of an attempt; see span_class.h. */
#include "cli/view/span_class.h"

#include "scheduler/core/snapshot.h"

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

char span_letter_of_state(const char *state)
{
    static const enum span_class classes[TRIAL_STATES] = {
        [TRIAL_WAITING] = SPAN_WAITING,     [TRIAL_RUNNING] = SPAN_RUNNING, [TRIAL_PAUSED] = SPAN_PAUSED,
        [TRIAL_COMPLETED] = SPAN_COMPLETED, [TRIAL_STOPPED] = SPAN_STOPPED, [TRIAL_FAILED] = SPAN_FAILED,
        [TRIAL_CANCELLED] = SPAN_CANCELLED};
    int number = trial_state_named(state);
    return number < 0 ? ' ' : span_letter(classes[number]);
}
