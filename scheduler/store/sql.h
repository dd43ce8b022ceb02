/* Parts of SQL that several statements and views share. */
#ifndef GANNET_SCHEDULER_STORE_SQL_H
#define GANNET_SCHEDULER_STORE_SQL_H

/* Rows of parameters. A row costs a third less in a statement of many than in one of its own. */
#define PARAMETERS_7    "(?, ?, ?, ?, ?, ?, ?)"
#define PARAMETERS_8    "(?, ?, ?, ?, ?, ?, ?, ?)"
#define FOUR_ROWS(row)  row ", " row ", " row ", " row
#define MANY_ROWS(row)  FOUR_ROWS(row) ", " FOUR_ROWS(row) ", " FOUR_ROWS(row) ", " FOUR_ROWS(row)
#define MANY_ROWS_COUNT 16

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

/* Whether a trial with this ending has a result (scheduler/core/tally.c): one that failed or was cancelled has none,
 * even when it came to a value. */
#define ENDED_WITH_RESULT(ending)                                                                                      \
    ending " IN (SELECT e.ending FROM endings e WHERE e.state IN ('completed', 'stopped'))"
#define MAY_BE_BEST "value IS NOT NULL AND NOT infeasible AND NOT ignored AND " ENDED_WITH_RESULT("ending")

/* Whether no attempt behind sample `m` up to this one came to its step once more, or began at the beginning without
 * that a later one went on from there or beyond: a trial that goes on from a checkpoint continues the samples of the
 * attempts before. One that has nothing to show takes nothing back, nor does one that went on before this step and did
 * not come so far: the worker after it is told that the sample is recorded, and reports it no more
 * (scheduler/core/samples.c). A trainer that is killed has not said from where it went on. */
#define IS_NOT_TAKEN_AGAIN(attempt)                                                                                    \
    "NOT EXISTS (SELECT 1 FROM runs b WHERE b.trial = m.trial AND b.attempt > m.attempt AND b.attempt <= " attempt     \
    " AND (b.resumed = 0 OR b.resumed < m.step) AND EXISTS (SELECT 1 FROM samples y WHERE y.trial = b.trial"           \
    " AND y.attempt = b.attempt) AND (" CAME_TO_STEP " OR (b.resumed = 0"                                              \
    " AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.trial = b.trial AND c.attempt > b.attempt AND c.attempt "           \
    "<= " attempt                                                                                                      \
    " AND c.resumed > 0 AND c.resumed >= m.step AND EXISTS (SELECT 1 FROM samples z WHERE z.trial = c.trial"           \
    " AND z.attempt = c.attempt)))))"
/* Whether run `b` came to the step of sample `m`: its last sample tells, mostly. */
#define CAME_TO_STEP                                                                                                   \
    "((SELECT y.step FROM samples y WHERE y.trial = b.trial AND y.attempt = b.attempt ORDER BY y.number DESC LIMIT 1)" \
    " >= m.step OR EXISTS (SELECT 1 FROM samples y WHERE y.trial = b.trial AND y.attempt = b.attempt"                  \
    " AND y.step >= m.step))"

/* The same, of a trial with very many samples: from what its later runs came to, which is looked for once. `later` has
 * a row for each of these, as LATER_RUNS makes it. */
#define IS_NOT_TAKEN_BY(later)                                                                                         \
    "NOT EXISTS (SELECT 1 FROM " later " b WHERE b.attempt > m.attempt AND (b.resumed = 0 OR b.resumed < m.step)"      \
    " AND (b.top >= m.step OR (b.resumed = 0 AND NOT EXISTS (SELECT 1 FROM " later                                     \
    " c WHERE c.attempt > b.attempt AND c.resumed > 0 AND c.resumed >= m.step))))"
#define LATER_RUNS(of_trial, until)                                                                                    \
    "(SELECT x.attempt AS attempt, x.resumed AS resumed, max(y.step) AS top FROM runs x CROSS JOIN samples y"          \
    " ON y.trial = x.trial AND y.attempt = x.attempt WHERE x.trial = " of_trial " AND x.attempt BETWEEN 2 AND " until  \
    " GROUP BY x.attempt)"
/* Of trial ?1, up to attempt ?2. */
#define LATER_RUNS_BEFORE LATER_RUNS("?1", "?2")
/* These as one value, which a statement about many trials works out once for each, and as rows again. */
#define LATER_RUNS_LISTED(of_trial, until)                                                                             \
    "(SELECT json_group_array(json_array(attempt, resumed, top)) AS list FROM " LATER_RUNS(of_trial, until) ")"
#define LATER_RUNS_OF(list)                                                                                            \
    "(SELECT json_extract(value, '$[0]') AS attempt, json_extract(value, '$[1]') AS resumed,"                          \
    " json_extract(value, '$[2]') AS top FROM json_each(" list "))"

/* The step that run `r` went on from; 0: it began at the beginning; NULL: that is not known, since it reported nothing.
 */
#define RESUMED_OF_RUN                                                                                                 \
    "CASE WHEN r.resumed > 0 OR EXISTS (SELECT 1 FROM samples y WHERE y.trial = r.trial AND y.attempt = r.attempt)"    \
    " THEN r.resumed END"

/* Of a run on several nodes all of their names, in their order; NULL of one on a single node. */
#define NODES_OF_RUN                                                                                                   \
    "(SELECT w.node || group_concat(',' || x.node, '') FROM (SELECT y.node AS node FROM parts p"                       \
    " JOIN workers y ON y.worker = p.worker WHERE p.trial = r.trial AND p.attempt = r.attempt ORDER BY p.node) x)"

/* The trials behind number `after` that have not ended (living.h). */
#define LIVING_AFTER(after)                                                                                            \
    "(SELECT trial FROM older WHERE trial > " after " UNION SELECT trial FROM trials WHERE trial > " after             \
    " AND trial >= (SELECT recent FROM progress) AND ending IS NULL)"
#define TRIALS_LIVING LIVING_AFTER("0") " l CROSS JOIN trials t ON t.trial = l.trial"

/* Trials that ended, with their place in the order of tells (ends.h), where this holds of `c`, the row of the table
 * ends, and of `x`, the trial. A trial that was tried again since is in the row that has its last place. Sorted by
 * IN_TOLD_ORDER they are read one row of ends after the other, as many as are wanted. */
#define ENDED_WHERE(condition)                                                                                         \
    "(SELECT x.*, c.told AS place FROM ends c CROSS JOIN"                                                              \
    " json_each(CASE WHEN json_valid(c.trials) THEN c.trials END) j CROSS JOIN trials x ON x.trial = j.value"          \
    " AND x.told BETWEEN c.told AND c.last WHERE " condition ")"
#define ENDED_AFTER(told)                                                                                              \
    ENDED_WHERE("c.told >= coalesce((SELECT max(told) FROM ends WHERE told <= " told "), 0) AND x.told > " told)
#define IN_TOLD_ORDER " ORDER BY place, told"

/* The name of the verdict about run `r`; NULL: there is none. */
#define VERDICT_OF_RUN "(SELECT v.name FROM verdicts v WHERE v.verdict = r.verdict)"

/* Joules of run `r`, of those parts that are known, which are the counters ?2, ?3 and ?4; NULL: none is. */
#define JOULES_OF_RUN                                                                                                  \
    "(SELECT sum(json_extract(r.counters, '$[' || n.counter || ']') * 1.0 / n.scale) FROM counters n"                  \
    " WHERE json_valid(r.counters) AND n.counter IN (?2, ?3, ?4))"

/* The job of worker `w`, as Slurm writes it: 123, or 123_4 of an array; NULL: it was in none. */
#define JOB_NAME "w.job || coalesce('_' || w.element, '')"

/* How many attempts trial `t` had. */
#define ATTEMPT_COUNT "(SELECT count(*) FROM runs x WHERE x.trial = t.trial)"

/* Trials `t` with all that belongs to them: ending, run that counts, worker, slot. */
#define FROM_TRIALS " FROM trials t" WITH_ITS_RUN
#define WITH_ITS_RUN                                                                                                   \
    " LEFT JOIN endings e ON e.ending = t.ending"                                                                      \
    " LEFT JOIN runs r ON r.trial = t.trial AND r.attempt = " COUNTING_ATTEMPT                                         \
    " LEFT JOIN workers w ON w.worker = r.worker LEFT JOIN slots s ON s.worker = r.worker AND s.slot = r.slot"

/* One trial of every ?1, by its number, and their runs `r`. Which one of each ?1 follows the multiples of the golden
 * ratio, which fall evenly into any period: the trials of a grid have one. After each the next is looked for that there
 * is, so that no number of a damaged store makes it long; a damaged index may say one that is not above. */
#define EVERY       "max(?1, 1)"
#define OF_PART(p)  "((" p ") * " EVERY " + 1 + ((((" p ") * 2654435769) & 4294967295) * " EVERY " >> 32))"
#define AFTER(t)    "max(" OF_PART("(" t " - 1) / " EVERY " + 1") ", " t " + 1)"
#define NEXT_CHOSEN "(SELECT min(t.trial) FROM trials t WHERE t.trial >= " AFTER("chosen.trial") ")"
#define SAMPLE                                                                                                         \
    "(SELECT trial FROM trials WHERE ?1 <= 1 UNION ALL SELECT trial FROM (WITH RECURSIVE chosen(trial, before) AS"     \
    " (SELECT min(trial), 0 FROM trials WHERE trial > 0 AND ?1 > 1 UNION ALL SELECT " NEXT_CHOSEN ", chosen.trial"     \
    " FROM chosen WHERE chosen.trial > chosen.before) SELECT trial FROM chosen WHERE trial > before))"
#define SAMPLED_RUNS SAMPLE " sample CROSS JOIN runs r ON r.trial = sample.trial"

/* The phases that occurred in run `r`, with their times `j`; their name, which the program may have given; and those
 * times as columns. */
#define PHASES_OF_RUN "json_each(r.profile) j LEFT JOIN phases n ON n.phase = json_extract(j.value, '$[0]')"
#define NAME_OF_PHASE "coalesce(n.name, json_extract(j.value, '$[0]'))"
#define PHASE_SECONDS "json_extract(j.value, '$[1]') / 1e9"
#define PHASE_TIMES                                                                                                    \
    PHASE_SECONDS " AS seconds, json_extract(j.value, '$[2]') AS count,"                                               \
                  " coalesce(json_extract(j.value, '$[3]') / 1e9, " PHASE_SECONDS ") AS min,"                          \
                  " coalesce(json_extract(j.value, '$[4]') / 1e9, " PHASE_SECONDS ") AS max,"                          \
                  " CASE json_array_length(j.value) WHEN 3 THEN " PHASE_SECONDS                                        \
                  " ELSE json_extract(j.value, '$[5]') / 1e9 END AS p50,"                                              \
                  " CASE json_array_length(j.value) WHEN 3 THEN " PHASE_SECONDS                                        \
                  " ELSE json_extract(j.value, '$[6]') / 1e9 END AS p95"

/* Of the trial in FROM_TRIALS; and that a sample `m` of it counts, by that list in `q`. */
#define LATER_RUNS_OF_TRIAL LATER_RUNS_LISTED("t.trial", "r.attempt")
#define IS_NOT_TAKEN_LATER  IS_NOT_TAKEN_BY(LATER_RUNS_OF("q.list"))

/* What FROM_TRIALS has in the column of kind ?1 and name ?2: a parameter, the last sample of a metric, the seconds of a
 * phase, else a member of the trial's JSON object. NULL: nothing. */
#define SORT_KEY                                                                                                       \
    "CASE ?1 WHEN 'param' THEN (SELECT j.value FROM json_each(t.params) j WHERE j.key = ?2)"                           \
    " WHEN 'metric' THEN (SELECT m.value FROM " LATER_RUNS_OF_TRIAL " q CROSS JOIN samples m ON m.trial = t.trial"     \
    " AND m.attempt <= r.attempt AND m.metric = (SELECT metric FROM metrics WHERE name = ?2)"                          \
    " WHERE " IS_NOT_TAKEN_LATER " ORDER BY m.step DESC, m.attempt DESC, m.number DESC LIMIT 1)"                       \
    " WHEN 'time' THEN (SELECT " PHASE_SECONDS " FROM " PHASES_OF_RUN " WHERE " NAME_OF_PHASE " = ?2)"                 \
    " ELSE CASE ?2 WHEN 'trial' THEN t.trial WHEN 'state' THEN " STATE_NAME " WHEN 'reason' THEN e.name"               \
    " WHEN 'attempts' THEN " ATTEMPT_COUNT                                                                             \
    " WHEN 'started' THEN coalesce(r.started, r.leased) WHEN 'ended' THEN t.ended WHEN 'seconds' THEN t.seconds"       \
    " WHEN 'node' THEN w.node WHEN 'slot' THEN r.slot WHEN 'value' THEN t.value"                                       \
    " WHEN 'step' THEN (SELECT max(m.step) FROM samples m WHERE m.trial = t.trial AND m.attempt <= r.attempt)"         \
    " WHEN 'feasible' THEN " IS_FEASIBLE " WHEN 'ignored' THEN t.ignored WHEN 'added' THEN t.added END END"

/* How people and other programs read times: 2026-11-20T14:02:11.123Z, by strftime(UTC, seconds, 'unixepoch'). */
#define UTC "'%Y-%m-%dT%H:%M:%fZ'"

#endif
