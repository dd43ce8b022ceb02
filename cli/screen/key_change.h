/* What the capital letters change, by the commands of the command line. Pure. */
#ifndef GANNET_CLI_SCREEN_KEY_CHANGE_H
#define GANNET_CLI_SCREEN_KEY_CHANGE_H

#include "cli/screen/screen.h"

/* Whether a key can't change anything now; adds why. */
bool key_change_refuse(const struct model *model, enum screen_key key, struct buf *why);

/* Adds the question: "Stop the search digits? What runs may finish first. y/N ". */
void key_change_question(const struct model *model, enum screen_key key, struct buf *out);

/* The words of the command that does what was asked, NULL at the end; "gannet" and "gannet-worker" stand for our
 * programs. free() each and the list (words_free). */
char **key_change_words(const struct model *model);

/* Whether a command of that name only looks: it changes no experiment. One that is not known does. */
bool key_change_only_looks(const char *command);

#endif
