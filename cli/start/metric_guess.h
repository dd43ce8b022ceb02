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
    size_t line;  /* of the source, from 1; 0: nothing was found, and the name is the usual one */
};

struct metric_guess metric_guess(const char *source);

/* Whether a metric of this name is better when it is larger; *known: the name is one that says so. */
bool metric_guess_maximize(const char *name, bool *known);

#endif
