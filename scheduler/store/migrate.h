/* From a schema version to the next, step by step; each step is one transaction. */
#ifndef GANNET_SCHEDULER_STORE_MIGRATE_H
#define GANNET_SCHEDULER_STORE_MIGRATE_H

#include "common/err.h"
#include "scheduler/store/db.h"

#include <stddef.h>

/* What makes version `from` + 1 out of version `from`. */
struct migration {
    int from;
    const char *sql;
};

/* Takes a store of `version` to version `target`. -1 with a sentence; the steps before the one that failed stay done.
 */
int migrate_run(struct db *db, int version, int target, const struct migration *steps, size_t count, struct err *err);

/* The same with gannet's own steps, to the present version. */
int migrate_to_present(struct db *db, int version, struct err *err);

#endif
