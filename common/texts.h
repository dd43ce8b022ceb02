/* A list of texts that it owns, with a NULL behind the last one, as arguments and environments are passed. */
#ifndef GANNET_COMMON_TEXTS_H
#define GANNET_COMMON_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct texts {
    char **items; /* NULL at the end; NULL itself while the list is empty */
    size_t count, capacity;
};

/* {0} is an empty list. */
void texts_fini(struct texts *list);

/* Adds a text, which the list owns from now on. */
void texts_add(struct texts *list, char *text);

/* Adds copies of all up to NULL; `more` may be NULL. */
void texts_add_all(struct texts *list, const char *const *more);

/* The value that a variable has in a list of "NAME=VALUE" with NULL at its end, the last of several; NULL: none. `list`
 * may be NULL. */
const char *texts_variable(const char *const *list, const char *name);

/* Whether a word of this length is among those of one text, "a,b", which `between` separates; NULL has none. */
bool texts_lists(const char *words, char between, const char *word, size_t length);

#endif
