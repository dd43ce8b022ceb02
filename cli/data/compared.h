/* Experiments that are compared: contenders, each with one experiment or several that are its seeds, as a person names
 * them:
 *
 *     gp                a contender of one experiment
 *     gp-1,gp-2,gp-3    one of three
 *     'gp-*'            of all experiments below runs/ whose names match
 *     tuned=gp-1,gp-2   with a name of its own */
#ifndef GANNET_CLI_DATA_COMPARED_H
#define GANNET_CLI_DATA_COMPARED_H

#include "cli/data/trial_data.h"
#include "common/err.h"

struct compared_group {
    char *name;
    struct trial_data *seeds; /* of each experiment its trials */
    char **experiments;       /* and how it is named */
    size_t count, seed_capacity, experiment_capacity;
};

struct compared_store {
    char *path, *argument; /* the store, and the argument that named it */
};

struct compared {
    struct compared_group *items;
    size_t count, capacity;
    struct compared_store *stores; /* of all seeds so far */
    size_t store_count, store_capacity;
};

/* Adds the contender of an argument. 0, or an exit status with a sentence, also where one of its experiments was added
 * before: a seed that counts twice is no evidence. */
int compared_add(struct compared *compared, const char *argument, struct err *err);

/* Makes one contender of those whose names differ in a last number alone: gp-1, gp-2 are seeds of gp. */
void compared_join(struct compared *compared);

/* Whether they can be compared: two at least, all with the same first objective in the same direction. -1 with a
 * sentence. */
int compared_check(const struct compared *compared, struct err *err);
void compared_fini(struct compared *compared);

#endif
