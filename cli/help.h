/* The texts that the tables of commands and options make: help, lists, docs/cli.md. */
#ifndef GANNET_CLI_HELP_H
#define GANNET_CLI_HELP_H

#include "cli/command.h"

/* Adds what `gannet help` shows: the commands by group. */
void help_list(const struct look *look, struct buf *out);

/* Adds what `gannet COMMAND --help` shows. */
void help_command(const struct command *command, const struct look *look, struct buf *out);

/* Parts of these: the heading of a group; "gannet run FILE [options]"; "-n, --workers N". */
const char *help_heading(enum group group);
void help_usage(const struct command *command, struct buf *out);
void help_option_name(const struct option *option, struct buf *out);

/* Adds docs/cli.md. */
void help_document(struct buf *out);

#endif
