/* A command line as it is typed behind ":", as the words of a command about the experiment that is open. Pure. */
#ifndef GANNET_CLI_SCREEN_WORDS_H
#define GANNET_CLI_SCREEN_WORDS_H

#include "common/err.h"

/* The words, NULL at the end, of which the first is "gannet"; free() each and the list. Words are parted by blanks;
 * quotes and backslashes are as in a shell. Where the command takes an experiment and none is named, `directory` is
 * put in: "logs 12" becomes "logs DIR 12". NULL with a sentence. */
char **words_of(const char *line, const char *directory, struct err *err);
void words_free(char **words);

#endif
