/* The three questions of `gannet init` on a terminal: what trains, what is searched, what counts. An empty answer takes
 * what is proposed. */
#ifndef GANNET_CLI_START_QUESTIONS_H
#define GANNET_CLI_START_QUESTIONS_H

#include "common/buf.h"
#include "common/err.h"

#include <jansson.h>
#include <stdio.h>

/* Who is asked. */
struct questions {
    FILE *in, *out;
};

/* Asks, until `take` (which may say why not) has taken the answer. -1 with a sentence when there are no answers any
 * more. `proposal` may be empty. */
int questions_ask(const struct questions *questions, const char *question, const char *proposal,
                  int (*take)(void *context, const char *answer, struct err *err), void *context, struct err *err);

/* The Python program of this directory that is most likely meant; NULL: there is none, or several. free() it. */
char *questions_find_program(void);

/* Adds what would be searched of a program's options, a line each. */
void questions_show(const json_t *options, struct buf *out);

#endif
