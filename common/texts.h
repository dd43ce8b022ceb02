/* A list of texts that it owns, with a NULL behind the last one, as arguments and environments are passed. */
#ifndef GANNET_COMMON_TEXTS_H
#define GANNET_COMMON_TEXTS_H

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

#endif
