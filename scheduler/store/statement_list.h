/* Every statement that is run on a store again and again; schema.c has those that make it. STATEMENT(id, sql), for whom
 * it is above. The parts in capitals are in sql.h and ended_row.h. */

/* transactions */
STATEMENT(BEGIN, "BEGIN")
STATEMENT(BEGIN_WRITE, "BEGIN IMMEDIATE")
STATEMENT(COMMIT, "COMMIT")
STATEMENT(ROLLBACK, "ROLLBACK")

/* schema.c */
STATEMENT(PUT_ENDING, "INSERT INTO endings VALUES (?1, ?2, ?3, ?4) ON CONFLICT (ending) DO UPDATE"
                      " SET name = ?2, state = ?3, meaning = ?4"
                      " WHERE name IS NOT ?2 OR state IS NOT ?3 OR meaning IS NOT ?4")
STATEMENT(PUT_OPERATION, "INSERT INTO operations VALUES (?1, ?2) ON CONFLICT (operation) DO UPDATE SET name = ?2"
                         " WHERE name <> ?2")
STATEMENT(PUT_PHASE, "INSERT INTO phases VALUES (?1, ?2, ?3) ON CONFLICT (phase) DO UPDATE SET name = ?2, meaning = ?3"
                     " WHERE name IS NOT ?2 OR meaning IS NOT ?3")
STATEMENT(PUT_VERDICT,
          "INSERT INTO verdicts VALUES (?1, ?2, ?3, ?4) ON CONFLICT (verdict) DO UPDATE SET name = ?2, meaning = ?3,"
          " sentence = ?4 WHERE name <> ?2 OR meaning <> ?3 OR sentence <> ?4")
STATEMENT(PUT_COUNTER, "INSERT INTO counters VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (counter) DO UPDATE"
                       " SET name = ?2, unit = ?3, scale = ?4, meaning = ?5"
                       " WHERE name IS NOT ?2 OR unit IS NOT ?3 OR scale IS NOT ?4 OR meaning IS NOT ?5")
STATEMENT(LIST_ENDINGS, "SELECT ending, name, state, meaning FROM endings ORDER BY ending")
STATEMENT(LIST_PHASES, "SELECT phase, name, meaning FROM phases ORDER BY phase")
STATEMENT(LIST_VERDICTS, "SELECT verdict, name, meaning, sentence FROM verdicts ORDER BY verdict")
STATEMENT(LIST_COUNTERS, "SELECT counter, name, unit, scale, meaning FROM counters ORDER BY counter")
STATEMENT(LIST_OPERATIONS, "SELECT operation, name FROM operations ORDER BY operation")
STATEMENT(LIST_VIEWS, "SELECT sql FROM sqlite_master WHERE type = 'view'")

/* store.c, progress.c */
STATEMENT(PUT_EXPERIMENT, "INSERT INTO experiment VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
STATEMENT(PUT_CRITERION, "INSERT INTO criteria VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
STATEMENT(PUT_EARLIER, "INSERT INTO earlier (source, params, loss, seconds) VALUES (?1, ?2, ?3, ?4)")
STATEMENT(PUT_PARAMETER, "INSERT INTO parameters VALUES (?1, ?2, ?3, ?4)")
STATEMENT(PUT_PROGRESS, "INSERT OR REPLACE INTO progress VALUES"
                        " (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
                        "?20, ?21, ?22, ?23, ?24, ?25, ?26)")
STATEMENT(GET_PROGRESS,
          "SELECT state, reason, sessions, started, ended, held, held_since, written, tells,"
          " completed, stopped, failed, cancelled, retried, late, best_trial, best, steps, stepped, max_steps,"
          " idle, run_seconds, cut, ignored, added, recent FROM progress")
STATEMENT(IDENTITY, "SELECT identity FROM experiment")
STATEMENT(GET_GOAL, "SELECT goal = 'maximize' FROM experiment")

/* recall.c, reader_lists.c */
STATEMENT(PUT_PROCESSOR, "INSERT INTO processors (trial, since, model, vector, kernels, gannet)"
                         " SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (SELECT 1 FROM processors"
                         " WHERE number = (SELECT max(number) FROM processors)"
                         " AND model = ?3 AND vector = ?4 AND kernels = ?5 AND gannet = ?6)")
STATEMENT(PROCESSORS, "SELECT trial, model, vector, kernels, gannet FROM processors ORDER BY number")

/* living.c, ends.c */
STATEMENT(RECENT_LIVING, "SELECT trial FROM trials WHERE trial >= ?1 AND ending IS NULL ORDER BY trial")
STATEMENT(PUT_OLDER, "INSERT OR IGNORE INTO older VALUES (?1)")
STATEMENT(DROP_OLDER, "DELETE FROM older WHERE trial = ?1")
STATEMENT(PUT_ENDS, "INSERT INTO ends VALUES (?1, ?2, ?3)")

/* names.c */
STATEMENT(FIND_METRIC, "SELECT metric FROM metrics WHERE name = ?1")
STATEMENT(LAST_METRIC, "SELECT max(metric) FROM metrics")
STATEMENT(PUT_METRIC, "INSERT INTO metrics (name) VALUES (?1)")
STATEMENT(FIND_WORKER, "SELECT worker FROM workers WHERE number = ?1")
STATEMENT(PUT_WORKER, "INSERT INTO workers (number) VALUES (?1)")

/* write_trial.c, write_ignored.c, write_reopened.c */
/* A failure undoes the whole transaction, as store_write does: of a statement of many rows that may fail alone SQLite
 * keeps copies of all pages that it changes. */
#define PROPOSE_INTO                                                                                                   \
    "INSERT OR ROLLBACK INTO trials (trial, params, fingerprint, told_before, from_start, proposed, start_from) "      \
    "VALUES "
STATEMENT(PROPOSE, PROPOSE_INTO PARAMETERS_7)
STATEMENT(PROPOSE_MANY, PROPOSE_INTO MANY_ROWS(PARAMETERS_7))
STATEMENT(ADD_TRIAL, "INSERT INTO trials (trial, params, fingerprint, told_before, from_start, proposed, ending, value,"
                     " ended, told, infeasible, added) VALUES (?1, ?2, ?3, ?4 - 1, 0, ?5, ?6, ?7, ?5, ?4, ?8, 1)")
STATEMENT(RETRY, "UPDATE trials SET failures = failures + ?2, losses = ?3, memory_limit = ?4,"
                 " time_limit = ?5 WHERE trial = ?1")
STATEMENT(END_TRIAL, "UPDATE trials SET paused = 0" ENDED_ROW(ENDED_LEAVE, ENDED_SET,
                                                              ENDED_LEAVE) " WHERE trial = ? AND ending IS NULL")
/* The same of a trial whose row is known (fresh.h): all of it in its place, each column in its order. */
#define END_FRESH_INTO "INSERT OR REPLACE INTO trials (trial" ENDED_ROW(ENDED_NAME, ENDED_NAME, ENDED_NAME) ") VALUES "
#define END_FRESH_ROW  "(?" ENDED_ROW(ENDED_PARAMETER, ENDED_PARAMETER, ENDED_CONSTANT) ")"
STATEMENT(END_FRESH, END_FRESH_INTO END_FRESH_ROW)
STATEMENT(END_FRESH_MANY, END_FRESH_INTO MANY_ROWS(END_FRESH_ROW))
STATEMENT(PAUSE, "UPDATE trials SET paused = 1, reached = ?2, energy = ?3, losses = 0 WHERE trial = ?1")
STATEMENT(CLEAR, "UPDATE trials SET losses = ?2 WHERE trial = ?1")
STATEMENT(RESUME, "UPDATE trials SET paused = 0 WHERE trial = ?1")
STATEMENT(IGNORE, "UPDATE trials SET ignored = ?2 WHERE trial = ?1 AND ending IS NOT NULL AND ignored <> ?2")
STATEMENT(PUT_IGNORED, "INSERT INTO ignored VALUES (?1, ?2, ?3)")
STATEMENT(KEEP_END, "INSERT INTO reopened (told, trial, ending, seconds, step, reopened, energy)"
                    " SELECT told, trial, ending, seconds, step, ?2, energy FROM trials"
                    " WHERE trial = ?1 AND ending IS NOT NULL AND NOT ignored")
STATEMENT(REOPEN,
          "UPDATE trials SET ending = NULL, detail = NULL, value = NULL, infeasible = 0, seconds = NULL, energy = NULL,"
          " ended = NULL, step = NULL, told = NULL, failures = 0, losses = 0, paused = 0, reached = 0"
          " WHERE trial = ?1")
STATEMENT(NUMBER_ENDED, "UPDATE decisions SET told = (SELECT told FROM trials WHERE trial = ?1)"
                        " WHERE trial = ?1 AND decision = ?2 AND told IS NULL")
STATEMENT(CLOSE_RUNS, "UPDATE runs SET ending = ?2 WHERE trial = ?1 AND ending IS NULL")
STATEMENT(ENDING_OF, "SELECT ending, added FROM trials WHERE trial = ?1")
STATEMENT(FIND_BEST, "SELECT trial, value FROM trials WHERE " MAY_BE_BEST " ORDER BY value * ?1, told LIMIT 1")
STATEMENT(PUT_DECISION, "INSERT INTO decisions (trial, decision, step, value, others, seconds, why, told, cut_off,"
                        " bracket) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
STATEMENT(PUT_OUTCOME, "INSERT OR REPLACE INTO outcomes VALUES (?1, ?2, ?3)")

/* write_run.c */
#define LEASE_INTO "INSERT INTO runs (trial, attempt, worker, slot, leased, resumed, memory_limit, time_limit) VALUES "
#define LEASE_CONFLICT                                                                                                 \
    " ON CONFLICT (trial, attempt) DO UPDATE SET worker = excluded.worker, slot = excluded.slot,"                      \
    " leased = excluded.leased, memory_limit = excluded.memory_limit,"                                                 \
    " time_limit = excluded.time_limit, ending = NULL, started = NULL, seconds = NULL, detail = NULL"
STATEMENT(LEASE, LEASE_INTO PARAMETERS_8 LEASE_CONFLICT)
STATEMENT(LEASE_MANY, LEASE_INTO MANY_ROWS(PARAMETERS_8) LEASE_CONFLICT)
/* The end of a run of a trial whose rows are known (fresh.h): all of its row in its place, each column in its order. */
#define END_RUN_INTO                                                                                                   \
    "INSERT OR REPLACE INTO runs (trial, attempt, worker, slot, leased, ending, late, started, seconds, cpu_seconds,"  \
    " peak_memory, detail, resumed, tail, profile, memory_limit, time_limit, verdict, figure, counters, operations)"   \
    " VALUES "
#define END_RUN_FRESH_ROW "(?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
STATEMENT(END_RUN_FRESH, END_RUN_INTO END_RUN_FRESH_ROW)
STATEMENT(END_RUN_FRESH_MANY, END_RUN_INTO MANY_ROWS(END_RUN_FRESH_ROW))
STATEMENT(RETURN_RUN, "DELETE FROM runs WHERE trial = ?1 AND attempt = ?2")
STATEMENT(RETURN_PARTS, "DELETE FROM parts WHERE trial = ?1 AND attempt = ?2")
STATEMENT(RETURN_TRIAL, "UPDATE trials SET attempts = max(attempts, ?2) WHERE trial = ?1")
STATEMENT(END_RUN, "UPDATE runs SET ending = ?3, started = ?4, seconds = ?5, cpu_seconds = ?6, peak_memory = ?7,"
                   " detail = ?8, resumed = coalesce(?9, resumed), tail = ?10, profile = coalesce(?11, profile),"
                   " verdict = ?12, figure = ?13, counters = coalesce(?14, counters),"
                   " operations = coalesce(?15, operations)"
                   " WHERE trial = ?1 AND attempt = ?2")
STATEMENT(WENT_ON, "UPDATE runs SET resumed = ?3 WHERE trial = ?1 AND attempt = ?2 AND resumed <> ?3")
STATEMENT(END_LATE,
          "UPDATE runs SET late = ?3, started = ?4, seconds = ?5, cpu_seconds = ?6, peak_memory = ?7,"
          " detail = coalesce(detail, ?8), tail = ?9, profile = coalesce(?10, profile), verdict = ?11, figure = ?12,"
          " counters = coalesce(?13, counters), operations = coalesce(?14, operations)"
          " WHERE trial = ?1 AND attempt = ?2"
          " AND worker = ?15 AND cpu_seconds IS NULL AND late IS NULL")
STATEMENT(PUT_SAMPLE, "INSERT OR IGNORE INTO samples VALUES " PARAMETERS_7)
STATEMENT(PUT_SAMPLE_MANY, "INSERT OR IGNORE INTO samples VALUES " MANY_ROWS(PARAMETERS_7))

/* write_part.c */
STATEMENT(PUT_PART, "INSERT OR REPLACE INTO parts VALUES (?1, ?2, ?3, ?4, ?5, NULL, NULL)")
STATEMENT(END_PART, "UPDATE parts SET ending = ?4, detail = ?5"
                    " WHERE trial = ?1 AND attempt = ?2 AND worker = ?3 AND ending IS NULL")

/* write_worker.c */
STATEMENT(HAS_JOINED, "SELECT joined IS NOT NULL FROM workers WHERE worker = ?1")
STATEMENT(JOIN, "UPDATE workers SET node = ?2, pid = ?3, version = ?4, machine = ?5, cores = ?6, gpus = ?7,"
                " memory = ?8, joined = coalesce(joined, ?9), gone = NULL, why = NULL, job = ?10, element = ?11,"
                " uncounted = ?12"
                " WHERE worker = ?1")
STATEMENT(GO, "UPDATE workers SET gone = ?2, why = ?3 WHERE worker = ?1")
STATEMENT(PUT_SLOT, "INSERT OR REPLACE INTO slots VALUES (?1, ?2, ?3, ?4, ?5, ?6)")

STATEMENT(JOB_STATE, "SELECT state FROM jobs WHERE job = ?1 AND element = ?2 AND restarts = ?3")
STATEMENT(PUT_JOB, "INSERT INTO jobs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
                   " ON CONFLICT (job, element, restarts) DO UPDATE SET role = coalesce(?4, role),"
                   " submitted = coalesce(?5, submitted), started = coalesce(?6, started), ended = coalesce(?7, ended),"
                   " state = coalesce(?8, state), reason = coalesce(?9, reason), nodes = coalesce(?10, nodes),"
                   " request = coalesce(?11, request), exit = coalesce(?12, exit)")

STATEMENT(END_STARTS, "UPDATE jobs SET state = 'requeued', ended = ?4"
                      " WHERE job = ?1 AND element = ?2 AND restarts < ?3 AND ended IS NULL")

/* write_note.c */
STATEMENT(PUT_EVENT, "INSERT INTO events (time, kind, trial, attempt, worker, text)"
                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6)")

/* recall.c */
STATEMENT(LAST_TRIAL, "SELECT max(trial) FROM trials")
/* Attempts that were to go on later (?3, ?4) behind the last one that came further: to the highest step, from the
 * latest checkpoint, or to a pause (?1). */
#define STALLS                                                                                                         \
    "(SELECT count(*) FROM runs x WHERE x.trial = t.trial AND x.ending IN (?3, ?4) AND x.cpu_seconds IS NOT NULL"      \
    " AND x.attempt > max(coalesce((SELECT min(attempt) FROM samples m WHERE m.trial = t.trial AND m.step ="           \
    " (SELECT max(step) FROM samples m WHERE m.trial = t.trial)), 0),"                                                 \
    " coalesce((SELECT min(attempt) FROM runs y WHERE y.trial = t.trial AND y.resumed > 0 AND y.resumed ="             \
    " (SELECT max(resumed) FROM runs y WHERE y.trial = t.trial)), 0),"                                                 \
    " coalesce((SELECT max(attempt) FROM runs y WHERE y.trial = t.trial AND y.ending = ?1), 0)))"
/* Of a trial that was reopened: since then. */
#define DECISIONS_OF_IT                                                                                                \
    " FROM decisions j WHERE j.trial = t.trial AND j.id >"                                                             \
    " (SELECT coalesce(max(id), 0) FROM decisions e WHERE e.trial = t.trial AND e.decision = ?7)"
STATEMENT(LIVE_TRIALS, "SELECT t.trial, t.params, t.proposed,"
                       " max(t.attempts, coalesce((SELECT max(attempt) FROM runs x WHERE x.trial = t.trial), 0)),"
                       " t.failures, t.losses, CASE WHEN NOT t.paused THEN r.attempt END, w.number, r.slot, "
                       "t.start_from, t.paused, t.reached,"
                       " (SELECT max(attempt) FROM runs x WHERE x.trial = t.trial AND x.cpu_seconds IS NOT NULL),"
                       " (SELECT sum(seconds) FROM runs x WHERE x.trial = t.trial AND x.ending = ?1),"
                       " (SELECT max(step)" DECISIONS_OF_IT "),"
                       " (SELECT decision" DECISIONS_OF_IT " ORDER BY j.id DESC LIMIT 1),"
                       " (SELECT why" DECISIONS_OF_IT " ORDER BY j.id DESC LIMIT 1),"
                       " (SELECT max(resumed) FROM runs x WHERE x.trial = t.trial AND x.cpu_seconds IS NOT NULL),"
                       " (SELECT max(seconds) FROM runs x JOIN endings n ON n.ending = x.ending"
                       " WHERE x.trial = t.trial AND (n.state = 'waiting' OR x.ending IN (?2, ?5))),"
                       " (SELECT max(step) FROM samples m WHERE m.trial = t.trial), " STALLS
                       ", t.memory_limit, t.time_limit, t.energy FROM " TRIALS_LIVING WITH_ITS_RUN
                       " WHERE t.ending IS NULL AND ?6 IN (0, t.trial) ORDER BY t.trial")
#undef DECISIONS_OF_IT
STATEMENT(SAMPLES_SEEN, "SELECT m.attempt, r.resumed, n.name, m.step, m.value FROM samples m"
                        " JOIN metrics n ON n.metric = m.metric"
                        " LEFT JOIN runs r ON r.trial = m.trial AND r.attempt = m.attempt"
                        " WHERE m.trial = ?1 ORDER BY m.attempt, m.number")
STATEMENT(RUNS_OF, "SELECT r.attempt AS attempt, w.number, 0 AS node FROM runs r JOIN workers w ON w.worker = r.worker"
                   " WHERE r.trial = ?1 UNION ALL SELECT p.attempt, w.number, p.node FROM parts p"
                   " JOIN workers w ON w.worker = p.worker WHERE p.trial = ?1 ORDER BY attempt, node")
STATEMENT(PARTS_OF, "SELECT p.node, w.number, w.node, p.slot, p.ending, p.detail FROM parts p"
                    " JOIN workers w ON w.worker = p.worker WHERE p.trial = ?1 AND p.attempt = ?2 ORDER BY p.node")
#define RUNNING TRIALS_LIVING " CROSS JOIN runs r ON r.trial = t.trial AND r.ending IS NULL"
STATEMENT(BUSY_WORKERS, "SELECT w.number, w.node, w.pid, w.job, w.element,"
                        " (SELECT j.state FROM jobs j WHERE j.job = w.job AND j.element = coalesce(w.element, -1)"
                        " ORDER BY j.restarts DESC LIMIT 1) FROM workers w WHERE w.worker IN"
                        " (SELECT r.worker FROM " RUNNING " WHERE t.ending IS NULL UNION SELECT p.worker FROM " RUNNING
                        " JOIN parts p ON p.trial = r.trial AND p.attempt = r.attempt WHERE t.ending IS NULL)"
                        " ORDER BY w.worker")
#undef RUNNING

STATEMENT(DURATIONS, "SELECT params, seconds FROM (SELECT t.trial, t.params, r.seconds FROM trials t"
                     " JOIN runs r ON r.trial = t.trial AND r.ending = t.ending AND r.resumed = 0"
                     " WHERE t.ending = ?1 AND NOT t.ignored AND r.seconds BETWEEN 0 AND 1e12 ORDER BY t.trial DESC "
                     "LIMIT ?2) ORDER BY trial")

/* reader.c and its sisters */
STATEMENT(TRIALS_BY_NUMBER, "SELECT trial FROM trials WHERE trial > ?1 ORDER BY trial")
STATEMENT(TRIALS_BY_VALUE, "SELECT trial FROM trials ORDER BY value IS NULL, ignored, infeasible, value IS NOT NULL "
                           "AND NOT " ENDED_WITH_RESULT("ending") ", value * ?1, told IS NULL, told, trial")
/* ?1 is the kind of the column and ?2 its name, ?3 whether the highest is first, ?4 how many at most. What has no value
 * goes last, numbers go before texts. (The inner limit keeps SQLite from working out the key at each mention.) */
STATEMENT(TRIALS_SORTED, "SELECT trial FROM (SELECT t.trial AS trial, " SORT_KEY " AS key" FROM_TRIALS " LIMIT -1)"
                         " ORDER BY key IS NULL, typeof(key) = 'text', CASE WHEN NOT ?3 THEN key END,"
                         " CASE WHEN ?3 THEN key END DESC, trial LIMIT ?4")
/* What the strategy was told behind place ?1, at most ?2 of it: ends, ends that a person said something of, and ends
 * that were taken back. */
STATEMENT(ENDED, "SELECT x.told, t.trial, " STATE_NAME ", t.ended, coalesce(r.started, r.leased), t.seconds, s.cpus,"
                 " t.value, " IS_FEASIBLE ", t.ignored FROM"
                 " (SELECT told, trial FROM (SELECT told, trial FROM " ENDED_AFTER("?1") IN_TOLD_ORDER
          " LIMIT ?2)"
          " UNION ALL SELECT told, trial FROM ignored WHERE told > ?1"
          " UNION ALL SELECT reopened, trial FROM reopened WHERE reopened > ?1 ORDER BY 1 LIMIT ?2) x"
          " CROSS JOIN trials t ON t.trial = x.trial" WITH_ITS_RUN " ORDER BY x.told")
STATEMENT(ENDED_VALUES, "SELECT told, trial, ended, value, " MAY_BE_BEST ", ignored FROM " ENDED_AFTER("?1")
                            IN_TOLD_ORDER " LIMIT ?2")
STATEMENT(LAST_ENDED, "SELECT told FROM " ENDED_WHERE("1") " ORDER BY place DESC, told DESC LIMIT 1")
/* Of those told behind place ?1 the best, at most ?4, that are better than ?3 (NULL: all); ?2 is 1 or -1. */
STATEMENT(TOP, "SELECT trial, value FROM " ENDED_AFTER("?1") " WHERE (?3 IS NULL OR value * ?2 < ?3) AND " MAY_BE_BEST
                                                             " ORDER BY value * ?2, told LIMIT ?4")
STATEMENT(TAKEN_BACK, "SELECT max((SELECT coalesce(max(told), 0) FROM ignored),"
                      " (SELECT coalesce(max(reopened), 0) FROM reopened))")
/* The trials behind ?1 that live, at most ?2 of them, with the last sample of the objective. */
STATEMENT(
    LIVING,
    "SELECT t.trial, " STATE_NAME ", r.attempt, coalesce(r.started, r.leased, t.proposed), w.node, w.number,"
    " r.slot, m.step, m.value FROM " LIVING_AFTER(
        "?1") " l CROSS JOIN trials t ON t.trial = l.trial" WITH_ITS_RUN
              " LEFT JOIN samples m ON m.trial = t.trial AND m.attempt = r.attempt AND m.number ="
              " (SELECT max(number) FROM samples y WHERE y.trial = t.trial AND y.attempt = r.attempt AND y.metric ="
              " (SELECT metric FROM metrics WHERE name = (SELECT metric FROM experiment)))"
              " WHERE t.ending IS NULL ORDER BY t.trial LIMIT ?2")
STATEMENT(PARAMS, "SELECT params FROM trials WHERE trial = ?1")
/* The last values of the objective of one trial, the newest first. */
STATEMENT(TREND, "SELECT m.value FROM samples m WHERE m.trial = ?1 AND m.metric ="
                 " (SELECT metric FROM metrics WHERE name = (SELECT metric FROM experiment))"
                 " ORDER BY m.attempt DESC, m.number DESC LIMIT ?2")
STATEMENT(TRIAL_NUMBER, "SELECT trial FROM trials WHERE trial = ?1")
STATEMENT(TRIALS_ALIVE, "SELECT trial FROM " LIVING_AFTER("?1") " ORDER BY trial")
STATEMENT(TRIALS_ENDED, "SELECT trial FROM trials WHERE trial > ?1"
                        " AND ending IN (SELECT ending FROM endings WHERE state = ?2) ORDER BY trial")
STATEMENT(TRIAL, "SELECT r.attempt, t.detail, " STATE_NAME ", e.name, " ATTEMPT_COUNT ", t.params, t.value,"
                 " coalesce(r.started, r.leased), t.ended, t.seconds, w.node, r.slot, s.cpus, s.gpus,"
                 " " IS_FEASIBLE ", " JOB_NAME ", t.ignored, t.added, " NODES_OF_RUN ", " VERDICT_OF_RUN
                 ", r.figure" FROM_TRIALS " WHERE t.trial = ?1")
/* Of trial ?1 what a filter may want to know; ?2 says what of that costs a search of its own (reader_facts.c). */
STATEMENT(FACTS, "SELECT r.attempt, " STATE_NAME ", e.name, CASE WHEN ?2 & 1 THEN " ATTEMPT_COUNT
                 " END, t.params, t.value, coalesce(r.started, r.leased), t.ended, t.seconds, w.node, r.slot, s.cpus,"
                 " s.gpus, " IS_FEASIBLE ", " JOB_NAME ", t.ignored, t.added, CASE WHEN ?2 & 2 THEN " NODES_OF_RUN
                 " END, CASE WHEN ?2 & 4 THEN " VERDICT_OF_RUN
                 " END, r.figure, CASE WHEN ?2 & 8 THEN r.profile END" FROM_TRIALS " WHERE t.trial = ?1")
STATEMENT(EARLIER, "SELECT source, params, loss, seconds FROM earlier ORDER BY number")
STATEMENT(CRITERIA, "SELECT name, goal, use, min, max FROM criteria ORDER BY criterion")
STATEMENT(OUTCOMES, "SELECT criterion, value FROM outcomes WHERE trial = ?1 ORDER BY criterion")
STATEMENT(FEASIBLE_TRIALS, "SELECT trial, value FROM trials WHERE " MAY_BE_BEST " ORDER BY told")
STATEMENT(METRIC_NAMES, "SELECT metric, name FROM metrics")
STATEMENT(NEXT_SAMPLE, "SELECT coalesce(max(number) + 1, 0) FROM samples WHERE trial = ?1 AND attempt = ?2")
STATEMENT(SAMPLES, "WITH later AS MATERIALIZED " LATER_RUNS_BEFORE " SELECT metric, step, value, time FROM samples m"
                   " WHERE trial = ?1 AND attempt <= ?2 AND " IS_NOT_TAKEN_BY("later") " ORDER BY attempt, number")
STATEMENT(PROFILE, "SELECT profile, counters FROM runs WHERE trial = ?1 AND attempt = ?2")
STATEMENT(OPERATIONS_OF_RUN, "SELECT operations FROM runs WHERE trial = ?1 AND attempt = ?2 AND operations IS NOT NULL")
STATEMENT(RUNS, "SELECT r.attempt, e.name, l.name, r.detail, w.node, r.slot, s.cpus, s.gpus, r.leased, r.started,"
                " r.seconds, r.cpu_seconds, r.peak_memory, r.tail, " RESUMED_OF_RUN ", " JOB_NAME
                ", r.memory_limit, r.time_limit, CASE WHEN s.gpus <> '' THEN (SELECT count(*) FROM slots o WHERE "
                "o.worker = s.worker"
                " AND o.gpus = s.gpus) END, " NODES_OF_RUN ", " VERDICT_OF_RUN ", r.figure, w.uncounted"
                " FROM runs r LEFT JOIN endings e ON e.ending = r.ending LEFT JOIN "
                "endings l ON l.ending = r.late"
                " LEFT JOIN workers w ON w.worker = r.worker"
                " LEFT JOIN slots s ON s.worker = r.worker AND s.slot = r.slot"
                " WHERE r.trial = ?1 ORDER BY r.attempt")
/* Ended trials, those of known joules, and why the worker that came last measures none (?1); NULL: it does. */
STATEMENT(ENERGY_KNOWN, "SELECT (SELECT count(*) FROM trials WHERE ending IS NOT NULL), (SELECT count(energy) FROM"
                        " trials), (SELECT json_extract(uncounted, ?1) FROM workers ORDER BY worker DESC LIMIT 1)")
STATEMENT(EXPERIMENT, "SELECT name, description, seed, metric, goal, use, strategy, gannet, spec FROM experiment")
STATEMENT(PARAMETERS, "SELECT definition FROM parameters ORDER BY position")
STATEMENT(END_NOTE,
          "SELECT text FROM events WHERE kind = 'experiment' AND text LIKE 'draining: %' ORDER BY id DESC LIMIT 1")
STATEMENT(EVENTS, "SELECT v.id, v.time, v.kind, v.trial, v.attempt, w.node, v.text"
                  " FROM events v LEFT JOIN workers w ON w.worker = v.worker WHERE v.id > ?1 ORDER BY v.id")
STATEMENT(SAMPLE_SIZE, "SELECT count(t.trial), (SELECT count(*) FROM trials) FROM " SAMPLE " sample CROSS JOIN trials t"
                       " ON t.trial = sample.trial")
STATEMENT(
    VERDICTS,
    "SELECT v.name, x.runs, x.seconds, x.lost, x.joules, x.joules_lost, x.joules_runs FROM (SELECT verdict, count(*)"
    " AS runs, sum(seconds) AS seconds, sum(seconds * figure) AS lost, sum(joules) AS joules, sum(joules * figure)"
    " AS joules_lost, count(joules) AS joules_runs FROM (SELECT r.verdict, r.seconds, r.figure, " JOULES_OF_RUN
    " AS joules FROM " SAMPLED_RUNS " WHERE r.verdict IS NOT NULL) GROUP BY verdict) x"
    " JOIN verdicts v ON v.verdict = x.verdict ORDER BY x.seconds DESC, x.verdict")
STATEMENT(BOUNDED_TRIALS, "SELECT t.params, r.verdict" FROM_TRIALS " WHERE r.verdict > 0"
                          " AND t.trial IN " SAMPLE)
STATEMENT(FASTEST_GOOD,
          "SELECT t.trial, t.value, t.seconds, b.seconds FROM progress p JOIN trials b ON b.trial = p.best_trial"
          " JOIN trials t ON abs(t.value - p.best) <= 0.01 * abs(p.best) AND t.seconds > 0"
          " WHERE t.trial IN " SAMPLE " AND NOT t.infeasible AND NOT t.ignored AND " ENDED_WITH_RESULT(
              "t.ending") " ORDER BY t.seconds, t.trial LIMIT 1")
#define SPANS_OF_TRIALS                                                                                                \
    " r.trial > ?1 AND r.trial <= CASE ?2 WHEN 0 THEN (SELECT max(trial) FROM (SELECT DISTINCT trial FROM runs"        \
    " WHERE trial > ?1 ORDER BY trial LIMIT 2000)) ELSE ?2 END"
STATEMENT(
    SPANS,
    "SELECT x.trial, x.attempt, x.part, e.name, w.node, x.worker, x.slot, x.started, x.seconds, x.profile, x.profile,"
    " x.cpu_seconds, x.peak_memory, CASE ?1 WHEN 0 THEN (SELECT min(started) FROM runs) END FROM"
    " (SELECT r.trial, r.attempt, 0 AS part, r.ending, r.worker, r.slot, r.started, r.seconds, r.profile,"
    " r.cpu_seconds, r.peak_memory FROM runs r WHERE" SPANS_OF_TRIALS
    " UNION ALL SELECT r.trial, r.attempt, p.node, p.ending, p.worker, p.slot, r.started, r.seconds, NULL,"
    " NULL, NULL FROM runs r JOIN parts p ON p.trial = r.trial AND p.attempt = r.attempt"
    " WHERE" SPANS_OF_TRIALS ") x LEFT JOIN endings e ON e.ending = x.ending"
    " LEFT JOIN workers w ON w.worker = x.worker ORDER BY x.trial, x.attempt, x.part")
STATEMENT(OPERATIONS, "SELECT r.operations FROM " SAMPLED_RUNS " WHERE r.operations IS NOT NULL")
STATEMENT(PROFILES, "SELECT r.profile FROM " SAMPLED_RUNS " WHERE r.profile IS NOT NULL")
STATEMENT(COUNT_LIVE,
          "SELECT count(*), count(CASE WHEN NOT t.paused THEN r.attempt END), sum(t.paused) FROM " TRIALS_LIVING
          " LEFT JOIN runs r ON r.trial = t.trial AND r.ending IS NULL WHERE t.ending IS NULL")
STATEMENT(WASTED,
          "SELECT sum(r.seconds - coalesce((SELECT max(m.time) FROM samples m WHERE m.trial = r.trial"
          " AND m.attempt = r.attempt AND m.step <= b.resumed), 0)) FROM runs r JOIN runs b ON b.trial = r.trial"
          " AND b.attempt = (SELECT min(x.attempt) FROM runs x WHERE x.trial = r.trial AND x.attempt > r.attempt"
          " AND (x.cpu_seconds IS NOT NULL OR EXISTS (SELECT 1 FROM samples y WHERE y.trial = x.trial"
          " AND y.attempt = x.attempt)))"
          " WHERE r.trial IN (SELECT trial FROM runs WHERE attempt > 1) AND r.ending IS NOT NULL AND r.ending <> ?1")
STATEMENT(JOBS, "SELECT job, nullif(element, -1), restarts, role, state, reason, nodes, submitted, started, ended, exit"
                " FROM jobs ORDER BY coalesce(started, submitted), job, element, restarts")
/* How many attempts each worker had is counted in one walk over all of them. */
#define ATTEMPTS_OF_WORKERS(table) "(SELECT worker, count(*) AS attempts FROM " table " GROUP BY worker)"
STATEMENT(WORKERS, "SELECT w.number, w.node, w.pid, " JOB_NAME ", w.joined, w.gone, w.why,"
                   " coalesce(r.attempts, 0) + coalesce(p.attempts, 0) FROM workers w"
                   " LEFT JOIN " ATTEMPTS_OF_WORKERS("runs") " r ON r.worker = w.worker"
                                                             " LEFT JOIN " ATTEMPTS_OF_WORKERS(
                                                                 "parts") " p ON p.worker = w.worker ORDER BY w.worker")
#undef ATTEMPTS_OF_WORKERS
STATEMENT(ASIDE, "SELECT w.node, w.gone, substr(w.why, ?2) FROM workers w WHERE w.why LIKE ?1 AND NOT EXISTS"
                 " (SELECT 1 FROM workers o WHERE o.node = w.node AND o.joined > w.gone) GROUP BY w.node"
                 " ORDER BY w.gone, w.worker")
STATEMENT(RUN_ENDINGS, "SELECT e.name, count(*), sum(r.seconds) FROM runs r JOIN endings e ON e.ending = r.ending"
                       " GROUP BY r.ending ORDER BY r.ending")
STATEMENT(PROPOSALS, "SELECT trial, params, told_before, from_start FROM trials WHERE NOT added ORDER BY trial")
STATEMENT(
    TELLS,
    "SELECT told, 1, trial, ignored, ending, seconds, step, value, NULL,"
    " CASE WHEN added THEN params END, energy FROM trials"
    " WHERE ending IS NOT NULL UNION ALL SELECT d.told, 0, d.trial, t.ignored, NULL, d.seconds, d.step,"
    " d.value, d.others, NULL, NULL FROM decisions d JOIN trials t ON t.trial = d.trial"
    " WHERE d.told IS NOT NULL AND d.step IS NOT NULL"
    " UNION ALL SELECT told, 2, trial, ignored, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM ignored"
    " UNION ALL SELECT told, 1, trial, 0, ending, seconds, step, NULL, reopened, NULL, energy FROM reopened"
    " UNION ALL SELECT reopened, 3, trial, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM reopened ORDER BY told")
STATEMENT(DECISIONS, "SELECT j.decision, j.trial, j.step, coalesce(o.ending, t.ending), j.value, j.others"
                     " FROM decisions j JOIN trials t ON t.trial = j.trial LEFT JOIN reopened o ON o.told = j.told"
                     " ORDER BY j.id")
STATEMENT(DECIDED, "SELECT decision, step, value, cut_off, bracket, why FROM decisions"
                   " WHERE trial = ?1 AND why IS NOT NULL ORDER BY id")

/* reader_places.c */
STATEMENT(PLACES, "SELECT w.worker, w.number, w.node, w.joined, w.gone, count(s.slot), count(DISTINCT s.numa) FROM"
                  " workers w LEFT JOIN slots s ON s.worker = w.worker GROUP BY w.worker"
                  " ORDER BY w.gone IS NOT NULL, w.node, w.worker")
STATEMENT(PLACE, "SELECT w.worker, w.node, w.pid, w.version, w.machine, w.cores, w.gpus, w.memory, w.joined, w.gone,"
                 " w.why, " JOB_NAME " FROM workers w WHERE w.worker = ?1")
STATEMENT(SLOTS_OF, "SELECT slot, cpus, numa, gpus, memory FROM slots WHERE worker = ?1 ORDER BY slot")
/* What runs on the workers of the list ?1, as the first node of a run or another one, with the last sample of the
 * objective. */
#define RUNS_WHERE(place, condition)                                                                                   \
    "SELECT " place ".worker AS worker, t.trial AS trial, r.attempt AS attempt, " place ".slot AS slot,"               \
    " r.leased AS since, m.step AS step, m.value AS value FROM " TRIALS_LIVING                                         \
    " CROSS JOIN runs r ON r.trial = t.trial"                                                                          \
    " AND r.attempt = " COUNTING_ATTEMPT condition                                                                     \
    " LEFT JOIN samples m ON m.trial = t.trial AND m.attempt = r.attempt AND m.number ="                               \
    " (SELECT max(number) FROM samples y WHERE y.trial = t.trial AND y.attempt = r.attempt AND y.metric ="             \
    " (SELECT metric FROM metrics WHERE name = (SELECT metric FROM experiment)))"                                      \
    " WHERE t.ending IS NULL AND NOT t.paused AND " place ".worker IN"                                                 \
    " (SELECT value FROM json_each(?1))"
STATEMENT(RUNS_AT,
          RUNS_WHERE("r", "") " UNION ALL " RUNS_WHERE(
              "p", " JOIN parts p ON p.trial = r.trial AND p.attempt = r.attempt") " ORDER BY worker, slot, trial")
#undef RUNS_WHERE
/* Attempts that failed, by their worker. */
#define TROUBLES_BEHIND                                                                                                \
    " FROM events v CROSS JOIN runs r ON r.trial = v.trial AND r.attempt = coalesce(v.attempt, (SELECT max(x.attempt)" \
    " FROM runs x WHERE x.trial = v.trial AND x.leased <= v.time))"
#define IS_TROUBLE " WHERE v.id > ?1 AND v.kind IN ('failed', 'retried')"
STATEMENT(TROUBLES,
          "SELECT v.id, r.worker, v.kind, v.trial, v.time, v.text" TROUBLES_BEHIND IS_TROUBLE " ORDER BY v.id LIMIT ?2")
/* The same by how the attempts ended, the last trials that failed, and workers that are gone. */
STATEMENT(FAULTS_SINCE, "SELECT e.name, count(*), sum(r.seconds)" TROUBLES_BEHIND
                        " JOIN endings e ON e.ending = r.ending" IS_TROUBLE " GROUP BY r.ending ORDER BY r.ending")
STATEMENT(FAILED_LAST, "SELECT trial FROM events WHERE id > ?1 AND kind = 'failed' ORDER BY id DESC LIMIT 20")
STATEMENT(LAST_EVENT, "SELECT max(id) FROM events")
STATEMENT(GONE_LAST, "SELECT w.number, w.node, w.pid, " JOB_NAME ", w.joined, w.gone, w.why, NULL FROM workers w WHERE"
                     " w.gone IS NOT NULL AND w.why IS NOT ?1 ORDER BY w.gone DESC, w.worker DESC LIMIT 1")
STATEMENT(GONE_COUNT, "SELECT count(*) FROM workers WHERE gone IS NOT NULL AND why IS NOT ?1")
#undef TROUBLES_BEHIND
#undef IS_TROUBLE

/* reader_attempts.c */
STATEMENT(LAST_REOPENED, "SELECT coalesce(max(reopened), 0) FROM reopened")
/* Attempts of the trials `x`, those that ran on several nodes once for each. When an attempt began is told by its
 * worker's clock, unless that differs from ours. What was lost told nothing: it lasted until something else was done
 * with its trial. */
#define BEGINNING "CASE WHEN abs(r.started - r.leased) <= 10 THEN r.started ELSE r.leased END"
#define SPENT                                                                                                          \
    "coalesce(r.seconds, max(0, coalesce((SELECT min(y.leased) FROM runs y WHERE y.trial = r.trial"                    \
    " AND y.attempt > r.attempt), t.ended) - r.leased))"
#define GPU_USE                                                                                                        \
    "(SELECT json_extract(r.counters, '$[' || n.counter || ']') * 1.0 / n.scale FROM counters n"                       \
    " WHERE n.name = 'gpu_use' AND json_valid(r.counters))"
#define ATTEMPTS_OF(trials)                                                                                            \
    "SELECT x.told AS told, x.trial AS trial, r.attempt AS attempt, 0 AS part, r.worker AS worker, r.slot AS "         \
    "slot, " BEGINNING ", " SPENT ", e.name, e.state, r.cpu_seconds, r.peak_memory, " GPU_USE                          \
    ", r.profile FROM " trials " x"                                                                                    \
    " CROSS JOIN trials t ON t.trial = x.trial LEFT JOIN runs r ON r.trial = x.trial"                                  \
    " LEFT JOIN endings e ON e.ending = r.ending"                                                                      \
    " UNION ALL SELECT x.told, x.trial, r.attempt, p.node, p.worker, p.slot, " BEGINNING ", " SPENT                    \
    ", e.name, e.state, NULL, NULL, NULL, NULL FROM " trials " x CROSS JOIN trials t ON t.trial = x.trial"             \
    " CROSS JOIN runs r ON r.trial = x.trial JOIN parts p ON p.trial = r.trial AND p.attempt = r.attempt"              \
    " LEFT JOIN endings e ON e.ending = r.ending"
STATEMENT(ATTEMPTS_AFTER,
          ATTEMPTS_OF("(SELECT told, trial FROM " ENDED_AFTER("?1") IN_TOLD_ORDER " LIMIT ?2)") " ORDER BY told,"
                                                                                                " trial, attempt, part")
STATEMENT(ATTEMPTS_BEFORE,
          ATTEMPTS_OF("(SELECT told, trial FROM " ENDED_WHERE(
              "c.told < ?1 AND x.told < ?1") " ORDER BY place DESC, told DESC LIMIT ?2)") " ORDER BY told"
                                                                                          " DESC, trial,"
                                                                                          " attempt, part")
STATEMENT(ATTEMPTS_ALIVE, ATTEMPTS_OF("(SELECT NULL AS told, trial FROM " LIVING_AFTER(
                              "?1") " ORDER BY trial LIMIT ?2)") " ORDER BY trial, attempt, part")
#undef ATTEMPTS_OF
#undef GPU_USE
#undef SPENT
#undef BEGINNING

/* reader_learned.c */
STATEMENT(LEARNED,
          "SELECT t.told, t.trial, e.state, t.ended, t.seconds, t.params, t.value, t.infeasible FROM " ENDED_AFTER(
              "?1") " t CROSS JOIN endings e ON e.ending = t.ending WHERE t.told % ?2 = 0 AND NOT t.ignored"
                    " ORDER BY t.place, t.told LIMIT ?3")
STATEMENT(DECISIONS_AFTER, "SELECT id, trial, decision, step, value, why, cut_off, bracket FROM decisions"
                           " WHERE id > ?1 ORDER BY id LIMIT ?2")
STATEMENT(PROPOSED_LAST, "SELECT trial, told_before, from_start, proposed FROM trials ORDER BY trial DESC LIMIT ?1")
