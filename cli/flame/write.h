/* Where a recording goes: a flame graph, a list of stacks, and what is said about it. */
#ifndef GANNET_CLI_FLAME_WRITE_H
#define GANNET_CLI_FLAME_WRITE_H

#include "cli/console.h"
#include "cli/flame/recording.h"
#include "cli/option.h"

/* The rows of the options that ask for one. */
#define OPTIONS_FLAME                                                                                                  \
    OPTION_VALUE(                                                                                                      \
        "flame", TEXT, "FILE",                                                                                         \
        "a flame graph of it: which functions took the processors, as an SVG file; -: to the\nstandard output"),       \
        OPTION_VALUE("folded", TEXT, "FILE", "the same as text: a stack and its samples a line")

/* Whether one of them was given. */
bool flame_is_wanted(const struct args *args);

/* Refuses files that can't be written before anything is sampled; -1 with a sentence. */
int flame_check(const struct args *args, struct err *err);

/* Writes the files that the options name, and says where they are and what they lack. -1 with a sentence, also when
 * nothing was seen. */
int flame_write(struct console *console, const struct args *args, const char *title, const struct recording *recording,
                struct err *err);

#endif
