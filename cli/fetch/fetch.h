/* What the screen shows of an experiment, read in a thread of its own: nobody who presses a key waits for a disk or a
 * coordinator.
 *
 *     screen                              thread
 *     fetch_want(what is shown)  ------>  reads what is due, section by section
 *     fetch_descriptor readable  <------  a section has come, or reading it failed
 *     fetch_take(section)        <------  its newest value
 *
 * A section that nobody took yet is replaced by a newer one. Wants replace earlier ones; a section is read with the
 * wants of the moment in which its reading begins, and says which these were. */
#ifndef GANNET_CLI_FETCH_FETCH_H
#define GANNET_CLI_FETCH_FETCH_H

#include "cli/fetch/wants.h"
#include "common/err.h"
#include "scheduler/rundir/rundir.h"

#include <jansson.h>

struct fetch;

/* Starts the thread, for one experiment. The directory is copied. NULL with a sentence. */
struct fetch *fetch_start(const struct rundir *dir, struct err *err);

/* Ends the thread, which breaks off what it reads: some hundredths of a second, however much that is. NULL is fine. */
void fetch_stop(struct fetch *fetch);

/* Readable when there is something to take. */
int fetch_descriptor(const struct fetch *fetch);

void fetch_want(struct fetch *fetch, const struct wants *wants);

/* One reading of a section. */
struct section_value {
    json_t *value;      /* owned; NULL: it could not be read, or never was */
    double read;        /* when, seconds since 1970 */
    struct wants wants; /* what it was read for */
    char trouble[400];  /* why the last reading failed; "": it did not */
};
void section_value_fini(struct section_value *value);

/* Moves the newest reading of a section to `out`, which is a value or {0}; of one that failed the trouble alone, and
 * the value that was there stays. False: there is nothing new. */
bool fetch_take(struct fetch *fetch, enum section section, struct section_value *out);

/* What the readings of a section have cost so far. */
struct section_cost {
    uint64_t readings;
    double seconds, longest; /* of processor time, in all and of one reading */
};
struct section_cost fetch_cost(struct fetch *fetch, enum section section);

/* "overview", ... */
const char *section_name(enum section section);

#endif
