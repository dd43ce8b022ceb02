/* The views: what people and other programs query. Their names and columns are only added to; the tables below them may
 * change. VIEW(name, help, sql). They are made anew whenever a store is opened for writing and they are not these. */

VIEW(v_trials, "a row a trial; where and when are those of the attempt that counts",
     "SELECT t.trial, " STATE_NAME " AS state, e.name AS reason, t.detail, t.value, " ATTEMPT_COUNT " AS attempts,"
     " r.attempt, t.params, strftime(" UTC ", t.proposed, 'unixepoch') AS proposed,"
     " strftime(" UTC ", coalesce(r.started, r.leased), 'unixepoch') AS started,"
     " strftime(" UTC ", t.ended, 'unixepoch') AS ended, t.seconds,"
     " w.node, r.slot, s.cpus, s.gpus, r.cpu_seconds, r.peak_memory, " IS_FEASIBLE " AS feasible, t.step, " JOB_NAME
     " AS job, t.ignored, t.added, " NODES_OF_RUN " AS nodes" FROM_TRIALS)

VIEW(v_outcomes, "a row an ended trial and metric that it is judged by",
     "SELECT t.trial, c.name AS metric, c.goal, coalesce(o.value, CASE c.criterion WHEN 1 THEN t.value END) AS value,"
     " c.min, c.max FROM trials t JOIN criteria c"
     " LEFT JOIN outcomes o ON o.trial = t.trial AND o.criterion = c.criterion WHERE t.value IS NOT NULL")

VIEW(v_params, "a row a trial and parameter; inactive parameters have none",
     "SELECT t.trial, j.key AS name, j.value AS value, j.type AS type FROM trials t, json_each(t.params) j")

VIEW(v_metrics, "a row a sample; `counts` is 1 for those of the attempt that counts, and of those that it continues",
     "SELECT m.trial, m.attempt, m.number, n.name AS metric, m.step, m.value, m.time,"
     " m.attempt <= " COUNTING_ATTEMPT " AND " IS_NOT_TAKEN_AGAIN(
         COUNTING_ATTEMPT) " AS counts"
                           " FROM samples m JOIN trials t ON t.trial = m.trial JOIN metrics n ON n.metric = m.metric")

VIEW(v_profiles, "a row a run and phase: where its time went",
     "SELECT r.trial, r.attempt, " NAME_OF_PHASE " AS phase, " PHASE_TIMES " FROM runs r, " PHASES_OF_RUN)

VIEW(v_verdicts, "a row an attempt that ended: what bounded it, and the figure that shows it",
     "SELECT r.trial, r.attempt, v.name AS verdict, r.figure, r.seconds, r.seconds * r.figure AS lost, v.sentence"
     " FROM runs r JOIN verdicts v ON v.verdict = r.verdict")

VIEW(v_counters,
     "a row a run and counter that is known: what its processes used, and what happened on its node meanwhile",
     "SELECT r.trial, r.attempt, n.name AS counter, j.value * 1.0 / n.scale AS value, n.unit"
     " FROM runs r, json_each(r.counters) j JOIN counters n ON n.counter = j.key WHERE j.type <> 'null'")

VIEW(v_uncounted, "a row a worker and counter that it can't read, and why",
     "SELECT w.worker, w.node, j.key AS counter, j.value AS why FROM workers w, json_each(w.uncounted) j WHERE "
     "w.uncounted IS NOT NULL")

VIEW(
    v_operations,
    "a row a run and operation of its kernel (place cpu), or name of what its program did on GPUs (gpu); seconds, min "
    "and max are of the timed calls, NULL: none was; why: operation gpu alone, why nothing or not all is known of that",
    "SELECT r.trial, r.attempt, coalesce(n.name, json_extract(j.value, '$[0]'), 'gpu') AS operation,"
    " CASE WHEN n.name IS NULL THEN 'gpu' ELSE 'cpu' END AS place,"
    " CASE WHEN json_extract(j.value, '$[0]') IS NOT NULL THEN json_extract(j.value, '$[1]') END AS calls, "
    "json_extract(j.value, '$[2]') * 1e3 AS flops,"
    " json_extract(j.value, '$[3]') * 1e3 AS bytes, CASE WHEN json_extract(j.value, '$[0]') IS NULL THEN NULL"
    " WHEN json_extract(j.value, '$[4]') IS NULL THEN 0"
    " ELSE coalesce(json_extract(j.value, '$[7]'), json_extract(j.value, '$[1]')) END AS timed,"
    " json_extract(j.value, '$[4]') / 1e9 AS seconds, json_extract(j.value, '$[5]') / 1e9 AS min,"
    " json_extract(j.value, '$[6]') / 1e9 AS max,"
    " CASE WHEN json_extract(j.value, '$[0]') IS NULL THEN json_extract(j.value, '$[1]') END AS why"
    " FROM runs r, json_each(r.operations) j LEFT JOIN operations n ON n.operation = json_extract(j.value, '$[0]')")

VIEW(v_runs, "a row an attempt to run a trial",
     "SELECT r.trial, r.attempt, e.name AS reason, l.name AS late, r.detail, w.node, r.slot, s.cpus, s.gpus,"
     " strftime(" UTC ", r.leased, 'unixepoch') AS leased, strftime(" UTC ", r.started, 'unixepoch') AS started,"
     " r.seconds, r.cpu_seconds, r.peak_memory, r.tail, " RESUMED_OF_RUN " AS resumed, " JOB_NAME
     " AS job, r.memory_limit, r.time_limit,"
     " " NODES_OF_RUN
     " AS nodes FROM runs r LEFT JOIN endings e ON e.ending = r.ending LEFT JOIN endings l ON l.ending = r.late"
     " LEFT JOIN workers w ON w.worker = r.worker LEFT JOIN slots s ON s.worker = r.worker AND s.slot = r.slot")

VIEW(v_decisions, "a row a look of early stopping at a trial, and what followed, in their order",
     "SELECT j.id, j.trial, CASE j.decision WHEN 0 THEN 'goes on' WHEN 1 THEN 'stops' WHEN 2 THEN 'pauses'"
     " WHEN 3 THEN 'went on' ELSE 'ended' END AS decision, j.step, j.value, j.why, j.cut_off, j.bracket FROM decisions "
     "j")

VIEW(v_jobs, "a row a start of a job at Slurm",
     "SELECT j.job, nullif(j.element, -1) AS element, j.restarts, j.role, j.state, j.reason, j.nodes,"
     " strftime(" UTC ", j.submitted, 'unixepoch') AS submitted, strftime(" UTC ", j.started, 'unixepoch') AS started,"
     " strftime(" UTC ", j.ended, 'unixepoch') AS ended, j.exit, j.request FROM jobs j")

VIEW(v_events, "what is worth telling a person, in the order it happened",
     "SELECT v.id, strftime(" UTC ", v.time, 'unixepoch') AS time, v.kind, v.trial, v.attempt, w.node, v.text"
     " FROM events v LEFT JOIN workers w ON w.worker = v.worker")
