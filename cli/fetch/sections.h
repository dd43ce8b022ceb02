/* How a section is read: the contract of the functions that section_list.h names. They run in the thread of fetch.c. */
#ifndef GANNET_CLI_FETCH_SECTIONS_H
#define GANNET_CLI_FETCH_SECTIONS_H

#include "cli/data/source.h"
#include "cli/fetch/wants.h"

/* What a section keeps from one reading to the next, so that only what has changed is read. */
struct section_memory {
    void *data;
    void (*free)(void *data);
    bool more; /* set by the section: it has read a part of what there is, and goes on at once */
};

/* What a reading has to work with. */
struct section_reading {
    struct source *source; /* open; a coordinator that is gone is looked for again now and then */
    const struct wants *wants;
    struct section_memory *memory; /* its own; {0} at the first reading */
};

/* The value, json_decref it; NULL with a sentence. May block; must not keep what grows with the experiment but in
 * compact columns. */
typedef json_t *section_function(const struct section_reading *reading, struct err *err);

#define SECTION(id, name, seconds, shape) section_function section_##name;
#include "cli/fetch/section_list.h"
#undef SECTION

#endif
