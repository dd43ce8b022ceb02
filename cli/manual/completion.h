/* The completion scripts of shells, made from the tables of commands and options. */
#ifndef GANNET_CLI_MANUAL_COMPLETION_H
#define GANNET_CLI_MANUAL_COMPLETION_H

#include "cli/command.h"

/* Adds the script of one shell. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

/* What stands for the first argument of a command. */
bool completion_takes_experiment(const struct command *command);
bool completion_takes_file(const struct command *command);

/* Adds a text on one line; a backslash comes before each of the characters in `escaped`. */
void completion_add_line(const char *text, const char *escaped, struct buf *out);

/* Adds the words of "json|yaml", separated by spaces. */
void completion_add_words(const char *words, struct buf *out);

#endif
