/* The options that a help text names, as argparse, click, getopt's users, clap and their relatives lay it out: lines
 * that begin with a dash, then the words about it, which may go on over lines that stand further to the right. */
#ifndef GANNET_CLI_START_HELP_TEXT_H
#define GANNET_CLI_START_HELP_TEXT_H

#include <jansson.h>

/* An array of objects as user_program.h has them; of any text. Never NULL. */
json_t *help_text_options(const char *text);

#endif
