/* The reader itself, for the files of the reading half alone. */
#ifndef GANNET_SCHEDULER_STORE_READER_STATE_H
#define GANNET_SCHEDULER_STORE_READER_STATE_H

#include "common/arena.h"
#include "common/map.h"
#include "common/metric.h"
#include "scheduler/store/db.h"
#include "scheduler/store/reader.h"

#include <stdatomic.h>

struct reader {
    struct db *db;           /* between reader_begin and reader_end */
    char *path;              /* NULL: it works on its store's connection */
    struct db own;           /* else on this one, which is open between reader_begin and reader_end */
    bool holds, open;        /* reader_hold was called; `own` is open */
    const atomic_bool *stop; /* reader_stop_at; NULL: nothing stops it */
    struct map metrics;      /* numbers of metrics -> their names, as far as they were needed; proper UTF-8 */
    struct metrics criteria; /* what trials are judged by; none: not read yet */
    struct arena memory;     /* owns their names */
};

/* Every public function begins and ends with these: between them there is a connection, and one state of the store is
 * seen. In the meantime nothing is open, so that a reader that lives long is in nobody's way. */
int reader_begin(struct reader *reader, struct err *err);
void reader_end(struct reader *reader);

/* Ends the reading of `json`: that is returned, or freed when something failed. */
json_t *reader_finish(struct reader *reader, int failed, json_t *json);

/* Frees what the reader remembers; its store's connection is not touched. */
void reader_fini(struct reader *reader);

/* The name of a metric by its number; valid as long as the reader. NULL with a sentence. */
const char *reader_metric(struct reader *reader, int64_t metric, struct err *err);

#endif
