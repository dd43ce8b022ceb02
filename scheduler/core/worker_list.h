/* Workers one by one, for who looks at them: what snapshot.h says of a worker, and what runs in each of its slots. A
 * coordinator may have ten thousand, so they are read in pages, or by their names. */
#ifndef GANNET_SCHEDULER_CORE_WORKER_LIST_H
#define GANNET_SCHEDULER_CORE_WORKER_LIST_H

#include "scheduler/core/core.h"

#include <jansson.h>

enum {
    WORKER_LIST_LONGEST = 200
}; /* workers that are given at once; a slot takes up to 500 bytes, a worker has up to 4096 */

/* The workers of these names (the numbers by which they name themselves, in 16 hexadecimal digits), in that order; one
 * that is not known is passed over. `names`: an array; what is no such text is passed over, too. */
json_t *worker_list_named(const struct core *core, double now, const json_t *names);

/* At most `limit` workers whose names are behind this one (0: the first ones), in the order of their names.
 *
 * Each is an object: the members of a worker of a snapshot, and: joined (seconds ago, null: it was before this
 * session), left (seconds until the time of its job is up, null: not known), fruitless (runs that it gave back or that
 * were cut off since one came to an end), connected, `running`: an array of {slot, trial, attempt, seconds, ahead,
 * stuck, why} of the slots that have a trial or wait; `ahead` counts the trials behind the one that runs, `why` is what
 * it lacks. */
json_t *worker_list_page(const struct core *core, double now, uint64_t after, size_t limit);

#endif
