/* A person's program, asked for its options: it is run once with --help, with nothing to read, within a time, and what
 * it writes is bounded. Of Python programs argparse and click themselves say what the options are; of others the help
 * is read (help_text.h, hydra.h). */
#ifndef GANNET_CLI_START_USER_PROGRAM_H
#define GANNET_CLI_START_USER_PROGRAM_H

#include "common/buf.h"
#include "common/err.h"
#include "common/texts.h"

#include <jansson.h>

struct user_program {
    struct texts words; /* the command without the options that are searched: "python3", "train.py" */
    char *source;       /* the Python file that it runs; NULL: it is not known */
};

void user_program_fini(struct user_program *program); /* {0} is fine */

/* What a person would call it: train.py, of python3 -m pkg.train: train. free() it. */
char *user_program_name(const struct user_program *program);

/* Of one text: a file (a Python file is run by python3), or a command with arguments, its words as a shell divides
 * them. -1 with a sentence: there is no such program, or the text needs a shell. */
int user_program_of_text(const char *text, struct user_program *out, struct err *err);

/* Of words as they were typed. */
int user_program_of_words(const char *const *words, size_t count, struct user_program *out, struct err *err);

/* Its options, an array of objects; those that are not known are missing:
 *     name        "lr": how a person calls it, without dashes
 *     spelling    "--lr": as it is given on a command line; of a positional argument none
 *     type        "float", "int", "text", "bool" (takes true or false), "path", "flag" (takes no value)
 *     negative    of a flag: the spelling that switches it off
 *     default, choices, min, max
 *     many        takes several values
 *     required    true
 *     plain       true: it is given as name=value
 *     given       true: the command has it already, as far as that is known
 *     help        a sentence
 * *help is what it said. NULL with a sentence: it can't be started, took longer than `seconds`, or failed. */
json_t *user_program_options(const struct user_program *program, double seconds, struct buf *help, struct err *err);

#endif
