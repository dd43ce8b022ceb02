/* What a store has to hold before a search goes on from it: SQLite takes any value in any column, and files are damaged
 * or changed by hand. A check is a row here; the first row of a table that breaks it is named with what is expected.
 *
 *     CHECK(id, table, key)                    key: SQL that names the row
 *     EXPECT(column, good, expected)           good: SQL that is true when the column is as it should be
 *     NUMBER(column), TIME(column), ...        the same for what often comes
 *     END(from)                                where the rows come from
 *
 * Of runs, of samples and of most of a trial only those of trials that have not ended are looked at: nothing else is
 * taken up again. */

/* Numbers and texts as they are allowed. NULL is none of them; texts and blobs are above all numbers for SQLite. A
 * number with a fraction is read without it. */
#define WHOLE(column, least, most) "(" column " BETWEEN " least " AND " most ")"
#define REAL(column, least, most)  WHOLE(column, least, most)
#define OR_NULL(column, good)      "(" column " IS NULL OR " good ")"
#define OBJECT(column)                                                                                                 \
    "(typeof(" column ") = 'text' AND CASE WHEN json_valid(" column ") THEN json_type(" column ") = 'object' END)"

#define MOST_NUMBER            "9007199254740992"
#define MOST_ATTEMPT           "1000000000"
#define MOST_SECONDS           "1e12"
#define MOST_ENDING            "255"
#define A_NUMBER               "a whole number from 0 to " MOST_NUMBER
#define A_TIME                 "a time in seconds"
#define A_JSON                 "a JSON object"
#define NUMBER(column)         EXPECT(column, WHOLE(column, "0", MOST_NUMBER), A_NUMBER)
#define NUMBER_OR_NULL(column) EXPECT(column, OR_NULL(column, WHOLE(column, "0", MOST_NUMBER)), A_NUMBER " or NULL")
#define TIME(column)           EXPECT(column, REAL(column, "-" MOST_SECONDS, MOST_SECONDS), A_TIME)
#define TIME_OR_NULL(column)                                                                                           \
    EXPECT(column, OR_NULL(column, REAL(column, "-" MOST_SECONDS, MOST_SECONDS)), A_TIME " or NULL")
#define VALUE_OR_NULL(column)                                                                                          \
    EXPECT(column, OR_NULL(column, REAL(column, "-1.7976931348623157e308", "1.7976931348623157e308")),                 \
           "a number or NULL")

CHECK(EXPERIMENT, "experiment", "'1'")
EXPECT("seed", "typeof(seed) = 'integer'", "a whole number")
EXPECT("goal", "goal IN ('minimize', 'maximize')", "minimize or maximize")
EXPECT("use", "use IN ('last', 'best')", "last or best")
END("experiment")

CHECK(CRITERIA, "criteria", "criterion")
EXPECT("criterion", WHOLE("criterion", "1", "64"), "a whole number from 1 to 64")
EXPECT("name", "(typeof(name) = 'text' AND name <> '')", "a name")
EXPECT("goal", OR_NULL("goal", "goal IN ('minimize', 'maximize')"), "minimize, maximize or NULL")
EXPECT("use", "use IN ('last', 'best')", "last or best")
VALUE_OR_NULL("min")
VALUE_OR_NULL("max")
END("criteria")

CHECK(PROGRESS, "progress", "'1'")
NUMBER("sessions")
TIME_OR_NULL("started")
TIME_OR_NULL("ended")
TIME("held")
TIME_OR_NULL("held_since")
TIME_OR_NULL("written")
NUMBER("tells")
NUMBER("completed")
NUMBER("stopped")
NUMBER("failed")
NUMBER("cancelled")
NUMBER("retried")
NUMBER("late")
EXPECT("best_trial", OR_NULL("best_trial", "EXISTS (SELECT 1 FROM trials WHERE trial = best_trial)"),
       "a trial of this store or NULL")
VALUE_OR_NULL("best")
EXPECT("steps", WHOLE("steps", "0", "9223372036854775807"), "a whole number, not negative")
NUMBER("stepped")
NUMBER("max_steps")
EXPECT("idle", WHOLE("idle", "0", "1000000000"), "a whole number from 0 to 1000000000")
EXPECT("run_seconds", REAL("run_seconds", "0", "1e300"), "a number of seconds")
NUMBER("cut")
NUMBER("ignored")
NUMBER("added")
NUMBER("recent")
END("progress")

CHECK(TRIALS, "trials", "'trial ' || trial")
EXPECT("trial", WHOLE("trial", "1", MOST_NUMBER), "a whole number from 1 to " MOST_NUMBER)
EXPECT("told_before", WHOLE("told_before", "0", MOST_NUMBER), A_NUMBER)
EXPECT("ending", OR_NULL("ending", WHOLE("ending", "0", MOST_ENDING)), "a number of the table endings or NULL")
VALUE_OR_NULL("value")
TIME_OR_NULL("seconds")
TIME_OR_NULL("ended")
NUMBER_OR_NULL("step")
EXPECT("told", "(told IS NULL) = (ending IS NULL)", "a number of an ended trial, else NULL,")
EXPECT("ignored", "ignored IN (0, ending IS NOT NULL)", "1 or 0, and of a trial that has not ended 0")
EXPECT("added", "added IN (0, ending IS NOT NULL)", "1 or 0, and of a trial that has not ended 0")
EXPECT("params", "(NOT added OR (length(params) <= 1000000 AND " OBJECT("params") "))",
       "a JSON object of at most a million letters")
NUMBER_OR_NULL("told")
EXPECT("ending",
       "(ending IS NOT NULL OR trial >= (SELECT recent FROM progress) OR"
       " EXISTS (SELECT 1 FROM older o WHERE o.trial = t.trial))",
       "a row of the table older, or a trial from progress.recent on,")
END("trials t")

CHECK(LIVE, "trials", "'trial ' || t.trial")
EXPECT("params", "(length(params) <= 1000000 AND " OBJECT("params") ")", "a JSON object of at most a million letters")
TIME("proposed")
EXPECT("attempts", WHOLE("attempts", "0", MOST_ATTEMPT), "a whole number from 0 to " MOST_ATTEMPT)
EXPECT("failures", WHOLE("failures", "0", MOST_ATTEMPT), "a whole number from 0 to " MOST_ATTEMPT)
EXPECT("losses", WHOLE("losses", "0", MOST_ATTEMPT), "a whole number from 0 to " MOST_ATTEMPT)
NUMBER_OR_NULL("start_from")
EXPECT("paused", "paused IN (0, 1)", "0 or 1")
NUMBER("reached")
NUMBER_OR_NULL("memory_limit")
EXPECT("time_limit", OR_NULL("time_limit", REAL("time_limit", "0", MOST_SECONDS)), A_TIME " or NULL")
END(TRIALS_LIVING " WHERE ending IS NULL")

CHECK(RUNS, "runs", "'trial ' || r.trial || ', attempt ' || r.attempt")
EXPECT("r.attempt", WHOLE("r.attempt", "1", MOST_ATTEMPT), "a whole number from 1 to " MOST_ATTEMPT)
EXPECT("r.worker", "EXISTS (SELECT 1 FROM workers w WHERE w.worker = r.worker)", "a row of the table workers")
EXPECT("r.slot", WHOLE("r.slot", "0", "4095"), "a whole number from 0 to 4095")
TIME("r.leased")
EXPECT("r.ending", OR_NULL("r.ending", WHOLE("r.ending", "0", MOST_ENDING)), "a number of the table endings or NULL")
TIME_OR_NULL("r.seconds")
NUMBER("r.resumed")
END(TRIALS_LIVING " CROSS JOIN runs r ON r.trial = t.trial WHERE t.ending IS NULL")

CHECK(PARTS, "parts", "'trial ' || p.trial || ', attempt ' || p.attempt || ', node ' || p.node")
EXPECT("p.attempt", WHOLE("p.attempt", "1", MOST_ATTEMPT), "a whole number from 1 to " MOST_ATTEMPT)
EXPECT("p.node", WHOLE("p.node", "1", "1023"), "a whole number from 1 to 1023")
EXPECT("p.worker", "EXISTS (SELECT 1 FROM workers w WHERE w.worker = p.worker)", "a row of the table workers")
EXPECT("p.slot", WHOLE("p.slot", "0", "4095"), "a whole number from 0 to 4095")
EXPECT("p.ending", OR_NULL("p.ending", WHOLE("p.ending", "0", MOST_ENDING)), "a number of the table endings or NULL")
END(TRIALS_LIVING " CROSS JOIN parts p ON p.trial = t.trial WHERE t.ending IS NULL")

CHECK(LAST_RUN, "runs", "'trial ' || trial")
EXPECT("r.trial", "EXISTS (SELECT 1 FROM trials t WHERE t.trial = r.trial)", "a trial of this store")
END("(SELECT trial FROM runs ORDER BY trial DESC LIMIT 1) r")

CHECK(SAMPLES, "samples", "'trial ' || m.trial || ', attempt ' || m.attempt || ', number ' || m.number")
EXPECT("m.attempt", WHOLE("m.attempt", "1", MOST_ATTEMPT), "a whole number from 1 to " MOST_ATTEMPT)
NUMBER("m.number")
EXPECT("m.metric", "EXISTS (SELECT 1 FROM metrics n WHERE n.metric = m.metric)", "a row of the table metrics")
NUMBER("m.step")
EXPECT("m.value", "typeof(m.value) IN ('integer', 'real', 'null')", "a number or NULL")
END(TRIALS_LIVING " CROSS JOIN samples m ON m.trial = t.trial WHERE t.ending IS NULL")

CHECK(DECISIONS, "decisions", "'id ' || id")
EXPECT("trial", "EXISTS (SELECT 1 FROM trials t WHERE t.trial = d.trial)", "a trial of this store")
EXPECT("decision", WHOLE("decision", "0", "4"), "a whole number from 0 to 4")
EXPECT("step", "(decision > 2 AND step IS NULL) OR " WHOLE("step", "0", MOST_NUMBER), A_NUMBER)
EXPECT("others", OR_NULL("others", "json_valid(others)"), "a JSON array or NULL")
TIME_OR_NULL("seconds")
NUMBER_OR_NULL("told")
EXPECT("cut_off", "typeof(cut_off) IN ('integer', 'real', 'null')", "a number or NULL")
NUMBER_OR_NULL("bracket")
END("decisions d")

CHECK(IGNORED, "ignored", "'told ' || told")
NUMBER("told")
EXPECT("trial", "EXISTS (SELECT 1 FROM trials t WHERE t.trial = i.trial)", "a trial of this store")
EXPECT("ignored", "ignored IN (0, 1)", "0 or 1")
END("ignored i")

CHECK(REOPENED, "reopened", "'told ' || told")
NUMBER("told")
EXPECT("trial", "EXISTS (SELECT 1 FROM trials t WHERE t.trial = o.trial)", "a trial of this store")
EXPECT("ending", WHOLE("ending", "0", MOST_ENDING), "a number of the table endings")
TIME_OR_NULL("seconds")
NUMBER_OR_NULL("step")
EXPECT("reopened", WHOLE("reopened", "told", MOST_NUMBER), "a number above that of the end")
END("reopened o")

CHECK(WORKERS, "workers", "'worker ' || worker")
EXPECT("number", "(typeof(number) = 'integer' AND number <> 0)", "a whole number other than 0")
EXPECT("pid", OR_NULL("pid", WHOLE("pid", "0", "4294967295")), "the number of a process or NULL")
EXPECT("job", OR_NULL("job", WHOLE("job", "0", "4294967295")), "the number of a job or NULL")
EXPECT("element", OR_NULL("element", WHOLE("element", "0", "4294967295")), "an element of an array or NULL")
END("workers")

CHECK(EARLIER, "earlier", "'number ' || number")
EXPECT("source", WHOLE("source", "0", "1000000"), "a whole number from 0 to 1000000")
EXPECT("params", OBJECT("params"), A_JSON)
VALUE_OR_NULL("loss")
TIME_OR_NULL("seconds")
END("earlier")

CHECK(PARAMETERS, "parameters", "'position ' || position")
EXPECT("definition", OBJECT("definition"), A_JSON)
END("parameters")

#undef WHOLE
#undef REAL
#undef OR_NULL
#undef OBJECT
#undef MOST_NUMBER
#undef MOST_ATTEMPT
#undef MOST_SECONDS
#undef MOST_ENDING
#undef A_NUMBER
#undef A_TIME
#undef A_JSON
#undef NUMBER
#undef NUMBER_OR_NULL
#undef TIME
#undef TIME_OR_NULL
#undef VALUE_OR_NULL
