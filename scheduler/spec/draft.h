/* A parameter on its way from the experiment file into the space. */
#ifndef GANNET_SCHEDULER_SPEC_DRAFT_H
#define GANNET_SCHEDULER_SPEC_DRAFT_H

#include "scheduler/spec/key.h"
#include "search/space.h"

/* What `type:` says; the order of the words in the table of keys. */
enum number_type { NUMBER_FLOAT, NUMBER_INT };

struct draft {
    const char *name;
    struct source_mark mark; /* of the name */
    const struct node *node; /* its value in the file */
    bool valid;              /* nothing was wrong with it so far */
    bool has_type;
    int type; /* enum number_type, when has_type */
    struct param param;
    char *arg; /* how it becomes an argument; NULL: as all do */
};

/* All of them, in the order of the file. */
struct parameters {
    struct draft *drafts;
    uint32_t count;
};

/* Reads a parameter but for its conditions, which need the others: fills *draft, whose param the caller frees with
 * param_fini in any case; reports what is wrong. */
void draft_read(struct reading *reading, const struct entry *entry, struct draft *draft);

/* The value of a node as this parameter takes it: a whole real becomes an int for an int parameter, an int a real for a
 * real one, a choice the value in the list. When it can't take the node: reports it under this code and is false. *out
 * is freed with value_fini. */
bool draft_fit(struct reading *reading, enum problem_code code, const struct param *param, const struct node *node,
               struct value *out);

/* The draft of that name, or NULL. */
struct draft *draft_find(const struct parameters *parameters, const char *name);

/* Reports a name that no parameter has, with the one it is near to. */
void draft_unknown(struct reading *reading, enum problem_code code, struct source_mark mark, const char *name,
                   const struct parameters *parameters);

/* Reads `when:` of a draft, once all were read: its conditions go into the param. */
void draft_read_conditions(struct reading *reading, const struct parameters *parameters, struct draft *draft);

/* Reads what one parent must be, the value of an entry of `when:`. */
void draft_read_condition(struct reading *reading, const struct param *parent, const struct entry *entry,
                          struct condition *condition);

/* Reports a circle of conditions and is true when there is one. */
bool draft_find_circle(struct reading *reading, const struct parameters *parameters);

#endif
