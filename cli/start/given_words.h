/* What a program is given already: of `gannet init -- python3 train.py fit data.csv` the file, when the help of `fit`
 * names one. */
#ifndef GANNET_CLI_START_GIVEN_WORDS_H
#define GANNET_CLI_START_GIVEN_WORDS_H

#include "common/texts.h"

#include <jansson.h>

/* The option of which the word is the spelling, alone or with "=VALUE" behind it; NULL: the help names none. */
json_t *given_words_option(const json_t *options, const char *word);

/* Marks the options (user_program.h) that stand among the words from `first` on, behind the program's own name: "given"
 * is true. The help's usage tells subcommands from arguments. */
void given_words_mark(const struct texts *words, size_t first, const char *help, json_t *options);

#endif
