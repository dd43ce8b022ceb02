/* Which trials ended, in the order in which the strategy was told: what ended since a reader looked last is found by
 * the table `ends`, which has one row for those of a commit. An index would cost each trial as much as a sixth of its
 * row. The row says between which places they are, and the place of each is in its row of `trials`. */
#ifndef GANNET_SCHEDULER_STORE_ENDS_H
#define GANNET_SCHEDULER_STORE_ENDS_H

#include "common/err.h"
#include "scheduler/store/db.h"
#include "scheduler/store/whole.h"

enum { ENDS_MOST = 512 }; /* in a row: who wants the last one reads them all */

/* Ends that are not written yet. {0}: none. */
struct ends {
    int count;
    uint64_t first, last; /* the places of the first and the last of them */
    size_t length;
    char trials[ENDS_MOST * (WHOLE_DIGITS + 1) + 2];
};

int ends_add(struct ends *ends, uint64_t told, uint64_t trial, struct db *db, struct err *err);

/* Before a commit, and before a trial that ended is to end once more. */
int ends_write(struct ends *ends, struct db *db, struct err *err);

void ends_forget(struct ends *ends); /* those that are not written */

#endif
