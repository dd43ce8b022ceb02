/* Parts of SQL that several statements and views share. */
#ifndef GANNET_SCHEDULER_STORE_SQL_H
#define GANNET_SCHEDULER_STORE_SQL_H

/* The attempt that counts for trial `t`: of a running trial the one that runs, of an ended one the one that ended as
 * the trial did, else its last; of a paused one its last. A waiting trial has none. */
#define COUNTING_ATTEMPT                                                                                               \
    "coalesce((SELECT max(attempt) FROM runs x WHERE x.trial = t.trial AND x.ending IS t.ending),"                     \
    " (SELECT max(attempt) FROM runs x WHERE x.trial = t.trial AND (t.ending IS NOT NULL OR t.paused)))"

/* The state of trial `t`, whose ending is row `e` and whose attempt that counts is row `r`. */
#define STATE_NAME                                                                                                     \
    "CASE WHEN t.ending IS NOT NULL THEN coalesce(e.state, 'unknown') WHEN t.paused THEN 'paused'"                     \
    " WHEN r.attempt IS NULL THEN 'waiting' ELSE 'running' END"

/* Whether trial `t` keeps every limit: 1 or 0; NULL when it has no value. */
#define IS_FEASIBLE "CASE WHEN t.value IS NOT NULL THEN t.infeasible = 0 END"

/* Whether no attempt from sample `m` on up to this one began at or before its step: a trial that goes on from a
 * checkpoint continues the samples of the attempts before. */
#define IS_NOT_TAKEN_AGAIN(attempt)                                                                                    \
    "NOT EXISTS (SELECT 1 FROM runs b WHERE b.trial = m.trial AND b.attempt > m.attempt AND b.attempt <= " attempt     \
    " AND (b.resumed < m.step OR b.resumed = 0))"

/* How many attempts trial `t` had. */
#define ATTEMPT_COUNT "(SELECT count(*) FROM runs x WHERE x.trial = t.trial)"

/* Trials `t` with all that belongs to them: ending, run that counts, worker, slot. */
#define FROM_TRIALS                                                                                                    \
    " FROM trials t LEFT JOIN endings e ON e.ending = t.ending"                                                        \
    " LEFT JOIN runs r ON r.trial = t.trial AND r.attempt = " COUNTING_ATTEMPT                                         \
    " LEFT JOIN workers w ON w.worker = r.worker LEFT JOIN slots s ON s.worker = r.worker AND s.slot = r.slot"

/* How people and other programs read times: 2026-11-20T14:02:11.123Z, by strftime(UTC, seconds, 'unixepoch'). */
#define UTC "'%Y-%m-%dT%H:%M:%fZ'"

#endif
