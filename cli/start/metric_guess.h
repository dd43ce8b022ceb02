/* Which metric a program's source seems to report: the best known name among those that its printing lines have. */
#ifndef GANNET_CLI_START_METRIC_GUESS_H
#define GANNET_CLI_START_METRIC_GUESS_H

#include <stdbool.h>
#include <stddef.h>

struct metric_guess {
    char name[64];
    bool maximize;
    bool chosen;  /* a person named it */
    bool printed; /* the line prints it as name=value, which gannet reads */
    bool in_help; /* its help names it */
    size_t line;  /* of the source, from 1; 0: nothing was found there; without in_help the name is the usual one */
};

struct metric_guess metric_guess(const char *source);

/* Of a help text, for programs without a source here: a name of what is measured on data that was held back. */
struct metric_guess metric_guess_of_help(const char *help);

/* Whether a metric of this name is better when it is larger; *known: the name is one that says so. */
bool metric_guess_maximize(const char *name, bool *known);

#endif
