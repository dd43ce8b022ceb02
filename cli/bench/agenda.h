/* What is to happen on the virtual clock: ends of trials, the earliest first, those of the same time by their number.
 */
#ifndef GANNET_CLI_BENCH_AGENDA_H
#define GANNET_CLI_BENCH_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agenda_entry {
    double time;
    uint64_t trial;
    void *what; /* the caller's */
};

/* {0} is an empty agenda. */
struct agenda {
    struct agenda_entry *heap; /* a binary heap: no entry is before the one at half its place */
    size_t count, capacity;
};

/* Does not free what entries point to. */
void agenda_fini(struct agenda *agenda);

void agenda_add(struct agenda *agenda, struct agenda_entry entry);

/* Takes out the first entry; false: there is none. */
bool agenda_next(struct agenda *agenda, struct agenda_entry *out);

#endif
