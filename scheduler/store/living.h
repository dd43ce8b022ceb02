/* Which trials have not ended. Readers find them among a million others without an index, which would be written twice
 * for each trial: numbers count up and most trials end soon, so those that live are near the end. From progress.recent
 * on the table `trials` is looked through; the few before it that live all the same are in the table `older`.
 *
 *     a trial begins, or waits again    it lives: remembered when it is recent, else put into `older`
 *     a trial ends                      forgotten, or taken out of `older`
 *     before each commit                `recent` goes on behind trials that have ended. When those that live are few
 *                                       among the recent ones, the oldest of them go into `older`
 *
 * Within the transaction that writes the events. When it fails, all is forgotten, and read at the next one. */
#ifndef GANNET_SCHEDULER_STORE_LIVING_H
#define GANNET_SCHEDULER_STORE_LIVING_H

#include "common/err.h"
#include "scheduler/store/db.h"

enum {
    /* Recent trials at most. Some 6,000 live at once when trials are shortest (fresh.h). */
    LIVING_MOST = 16384,
    /* So many recent trials are looked through however few of them live: a third of a millisecond. */
    LIVING_SPARE = 1024,
    /* And so many for each that lives: who reads it looks at a few more rows for it. */
    LIVING_EACH = 4,
};

struct living {
    bool known;
    uint64_t next;                   /* all that live are before it */
    uint64_t count;                  /* of the recent trials that live */
    uint64_t bits[LIVING_MOST / 64]; /* which of the recent trials do, by their number modulo LIVING_MOST */
};

/* Reads what lives, unless that is known. `recent` is progress.recent, here and below. */
int living_read(struct living *living, uint64_t *recent, struct db *db, struct err *err);

int living_begin(struct living *living, uint64_t *recent, uint64_t trial, struct db *db, struct err *err);
int living_end(struct living *living, uint64_t recent, uint64_t trial, struct db *db, struct err *err);

/* What is left to do before a commit. */
int living_settle(struct living *living, uint64_t *recent, struct db *db, struct err *err);

void living_forget(struct living *living);

#endif
