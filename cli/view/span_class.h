/* What became of an attempt, or of a trial, as screens show it: a letter and a tint, never a colour alone. */
#ifndef GANNET_CLI_VIEW_SPAN_CLASS_H
#define GANNET_CLI_VIEW_SPAN_CLASS_H

#include "cli/look.h"

#define SPAN_CLASSES(X)                                                                                                \
    X(RUNNING, 'R', BUSY, "running")                                                                                   \
    X(COMPLETED, 'C', GOOD, "completed")                                                                               \
    X(STOPPED, 'S', WARN, "stopped early")                                                                             \
    X(FAILED, 'F', BAD, "failed")                                                                                      \
    X(CANCELLED, 'X', QUIET, "cancelled")                                                                              \
    X(PAUSED, 'P', WARN, "paused at a checkpoint")                                                                     \
    X(CUT, 'L', BAD, "lost or cut off: its trial goes on elsewhere")                                                   \
    X(WAITING, 'W', QUIET, "waiting")

enum span_class {
#define X(id, letter, tint, help) SPAN_##id,
    SPAN_CLASSES(X)
#undef X
        SPAN_CLASS_COUNT
};

/* Its letter; and of a letter, small ones, too, its tint and its words; what is none is quiet and "?". */
char span_letter(enum span_class class);
enum tint span_tint(char letter);
const char *span_words(char letter);

/* The letter of a trial in that state; ' ' when there is none such. */
char span_letter_of_state(const char *state);

#endif
