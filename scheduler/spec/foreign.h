/* What other tools call things, and what that is here: the first source of suggestions, and of a table in
 * docs/experiment.md for those who come from there. */
#ifndef GANNET_SCHEDULER_SPEC_FOREIGN_H
#define GANNET_SCHEDULER_SPEC_FOREIGN_H

#include "scheduler/spec/tree.h"

#include <stddef.h>

/* A name of another tool. */
struct foreign {
    const char *section; /* where people write it: "" at the top, "parameters.*" in a parameter, "metric", ...; "*":
                          * anywhere but in a parameter */
    const char *tool, *name;
    const char *here;   /* the dotted key that it is here; NULL: none */
    const char *advice; /* what to write when it is not the same with another name; "{}" stands for the value */
};

extern const struct foreign foreign_keys[];
extern const size_t foreign_key_count;

/* The row for a name in a section, whatever its spelling; or NULL. */
const struct foreign *foreign_find(const char *section, const char *name);

/* A word that other tools use for a value. */
struct foreign_word {
    const char *path; /* of the key */
    const char *word;
    const char *here;   /* the word it is here; NULL: none */
    const char *advice; /* what to write when there is none */
};

/* The row for a word, whatever its spelling; or NULL. */
const struct foreign_word *foreign_find_word(const char *path, const char *word);

/* Whether two names are the same but for case, '-' and '_'. */
bool foreign_same_name(const char *a, const char *b);

/* Other tools name a parameter's distribution; here its keys say it. Whether a key of a parameter is their word for it.
 */
bool foreign_is_distribution(const char *name);

/* Says what to write instead of the named distribution in the parameter `map`. */
void foreign_hint_distribution(struct problem *problem, const struct node *map, const struct node *named);

#endif
