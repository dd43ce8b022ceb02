/* The completion scripts of shells, made from the tables of commands and options. */
#ifndef GANNET_CLI_MANUAL_COMPLETION_H
#define GANNET_CLI_MANUAL_COMPLETION_H

#include "cli/command.h"

/* Adds the script of one shell. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

#endif
