/* Every table and column of a store: the master copy. schema.c makes the tables of it, and docs/store.md
 * shows them.
 *
 *     TABLE(name, help)
 *     COLUMN(table, name, type, help)      type as SQLite takes it, with its constraints
 *     END(name, key, suffix)               the table's key, where it is no single column, and what follows the bracket
 *
 * Whoever changes a row adds a step to migrate.c, and counts SCHEMA_VERSION up in schema.h.
 *
 * Times are seconds since 1970 UTC by the coordinator's clock, unless another is named. Numbers of 64 bits that are not
 * counted but drawn (fingerprint, number, seed) are stored by their bits: the upper half is negative here. Where there
 * is a choice, the types are made for size: a trial of one attempt, one sample and three phases takes about 420 bytes.
 */

TABLE(experiment, "what is searched for: one row, written once")
COLUMN(experiment, id, "INTEGER PRIMARY KEY CHECK (id = 1)", "1")
COLUMN(experiment, name, "TEXT NOT NULL", "the experiment's name")
COLUMN(experiment, description, "TEXT", "the person's words for it")
COLUMN(experiment, spec, "TEXT NOT NULL", "the experiment file as it was frozen (YAML)")
COLUMN(experiment, seed, "INTEGER NOT NULL", "the seed that everything random is made of")
COLUMN(experiment, metric, "TEXT NOT NULL", "the objective's name")
COLUMN(experiment, goal, "TEXT NOT NULL", "minimize or maximize")
COLUMN(experiment, use, "TEXT NOT NULL", "which sample is a trial's value: last or best")
COLUMN(experiment, strategy, "TEXT NOT NULL", "the strategy's name")
COLUMN(experiment, gannet, "TEXT NOT NULL", "the version of gannet that made the store")
COLUMN(experiment, identity, "TEXT", "random hexadecimal digits that the run directory has in its file `identity`, too")
END(experiment, "", "")

TABLE(criteria, "the metrics that trials are judged by, as the experiment file names them")
COLUMN(criteria, criterion, "INTEGER PRIMARY KEY", "the place in the file, from 1; the first one is an objective")
COLUMN(criteria, name, "TEXT NOT NULL", "the metric's name")
COLUMN(criteria, goal, "TEXT", "minimize or maximize; NULL: it is no objective, it only has limits")
COLUMN(criteria, use, "TEXT NOT NULL", "which sample is a trial's value: last or best")
COLUMN(criteria, min, "REAL", "the least value that a feasible trial may have; NULL: any")
COLUMN(criteria, max, "REAL", "the greatest value that a feasible trial may have; NULL: any")
END(criteria, "", "")

TABLE(progress, "how the experiment stands: one row, written with every commit")
COLUMN(progress, id, "INTEGER PRIMARY KEY CHECK (id = 1)", "1")
COLUMN(progress, state, "TEXT NOT NULL", "running, draining or ended")
COLUMN(progress, reason, "TEXT NOT NULL", "why it ends or ended: max_trials, stopped, ...; none while it goes on")
COLUMN(progress, sessions, "INTEGER NOT NULL", "how often a coordinator started on this store")
COLUMN(progress, started, "REAL", "when the first session began")
COLUMN(progress, ended, "REAL", "when the last session ended; NULL while one runs, or when it was killed")
COLUMN(progress, held, "REAL NOT NULL", "seconds that the experiment has run, as of held_since")
COLUMN(progress, held_since, "REAL", "when held was written; NULL when the experiment does not run since then")
COLUMN(progress, written, "REAL", "when the last event happened")
COLUMN(progress, tells, "INTEGER NOT NULL", "how many things the strategy was told: ends of trials, observations")
COLUMN(progress, completed, "INTEGER NOT NULL", "of these, how many are completed")
COLUMN(progress, stopped, "INTEGER NOT NULL", "stopped early")
COLUMN(progress, failed, "INTEGER NOT NULL", "failed")
COLUMN(progress, cancelled, "INTEGER NOT NULL", "cancelled")
COLUMN(progress, retried, "INTEGER NOT NULL", "how many attempts failed or were lost and were tried again")
COLUMN(progress, late, "INTEGER NOT NULL", "how many results came too late to count")
COLUMN(progress, best_trial, "INTEGER", "the best feasible trial so far; the first of equal ones")
COLUMN(progress, best, "REAL", "its value")
COLUMN(progress, steps, "INTEGER NOT NULL DEFAULT 0", "with early stopping: steps that trials took, none counted twice")
COLUMN(progress, stepped, "INTEGER NOT NULL DEFAULT 0", "of how many trials")
COLUMN(progress, max_steps, "INTEGER NOT NULL DEFAULT 0", "steps of a complete trial; 0: not known yet")
COLUMN(progress, idle, "INTEGER NOT NULL DEFAULT 0",
       "sessions in a row, up to this one, in which no trial ended and no checkpoint went further")
COLUMN(progress, run_seconds, "REAL NOT NULL DEFAULT 0", "seconds that all attempts took")
COLUMN(progress, cut, "INTEGER NOT NULL DEFAULT 0",
       "attempts that ended because a session or a job did and that go on later")
COLUMN(progress, ignored, "INTEGER NOT NULL DEFAULT 0",
       "ended trials that no longer count: they are neither above nor in limits.max_trials")
COLUMN(progress, added, "INTEGER NOT NULL DEFAULT 0",
       "trials that a person added and that count; limits.max_trials leaves room for as many others")
COLUMN(progress, recent, "INTEGER NOT NULL DEFAULT 0",
       "of the trials before this number those that have not ended are in the table older")
END(progress, "", "")

TABLE(parameters, "the parameters of the experiment, as its file defines them")
COLUMN(parameters, position, "INTEGER PRIMARY KEY", "the place in the file, from 1")
COLUMN(parameters, name, "TEXT NOT NULL", "the parameter's name")
COLUMN(parameters, kind, "TEXT NOT NULL", "real, int, choice, normal or constant")
COLUMN(parameters, definition, "TEXT NOT NULL", "everything about it, a JSON object: min, max, log, step, values, ...")
END(parameters, "", "")

TABLE(earlier, "trials of earlier experiments that the search started from (start_from), in the order of learning")
COLUMN(earlier, number, "INTEGER PRIMARY KEY", "counts up from 1")
COLUMN(earlier, source, "INTEGER NOT NULL", "which of the experiments, from 0, in the order of the experiment file")
COLUMN(earlier, params, "TEXT NOT NULL", "the configuration as one of this experiment's, a JSON object")
COLUMN(earlier, loss, "REAL", "its loss, lower is better; NULL: it failed")
COLUMN(earlier, seconds, "REAL", "how long it took")
END(earlier, "", "")

TABLE(trials, "one row a trial")
COLUMN(trials, trial, "INTEGER PRIMARY KEY", "its number, from 1")
COLUMN(trials, params, "TEXT NOT NULL", "the configuration, a JSON object")
COLUMN(trials, fingerprint, "INTEGER NOT NULL", "the same for the same configuration")
COLUMN(trials, told_before, "INTEGER NOT NULL", "how many ended trials the strategy knew of when it proposed this one")
COLUMN(trials, from_start, "INTEGER NOT NULL", "1: it is a start point of the experiment file")
COLUMN(trials, proposed, "REAL NOT NULL", "when it came into being")
COLUMN(trials, attempts, "INTEGER NOT NULL DEFAULT 0", "the highest attempt number that was given back unstarted")
COLUMN(trials, failures, "INTEGER NOT NULL DEFAULT 0", "retries used up by attempts that failed")
COLUMN(trials, losses, "INTEGER NOT NULL DEFAULT 0",
       "losses of its worker, one attempt after the other, that count against it; after two it runs alone")
COLUMN(trials, ending, "INTEGER", "how it ended (table endings); NULL while it has not")
COLUMN(trials, detail, "TEXT", "a sentence about this ending; NULL when there is none")
COLUMN(trials, value, "REAL", "the first objective, as the metric reports it; NULL when there is none")
COLUMN(trials, infeasible, "INTEGER NOT NULL DEFAULT 0", "1: it has a value, but breaks a limit of a metric")
COLUMN(trials, seconds, "REAL", "how long the run took that the trial ended with")
COLUMN(trials, energy, "REAL", "joules that the attempts took which count: an estimate; NULL: not known")
COLUMN(trials, ended, "REAL", "when it ended")
COLUMN(trials, start_from, "INTEGER", "the trial whose checkpoint it started from; NULL: none")
COLUMN(trials, paused, "INTEGER NOT NULL DEFAULT 0", "1: it waits at a checkpoint until early stopping decides")
COLUMN(trials, reached, "INTEGER NOT NULL DEFAULT 0", "the step that it last paused at")
COLUMN(trials, step, "INTEGER", "the last step at which its value was seen; NULL: not known")
COLUMN(trials, memory_limit, "INTEGER",
       "bytes that its next or last attempt was given, after one that ran out of memory; NULL: as every other")
COLUMN(trials, time_limit, "REAL",
       "seconds that its next or last attempt was given, after one that ran out of time; NULL: as every other")
COLUMN(trials, ignored, "INTEGER NOT NULL DEFAULT 0", "1: it has ended, and a person said that it no longer counts")
COLUMN(trials, added, "INTEGER NOT NULL DEFAULT 0", "1: a person added it, measured elsewhere: it never ran here")
COLUMN(trials, told, "INTEGER", "its place in the order in which the strategy was told, from 1")
END(trials, "", "")

TABLE(older, "trials before progress.recent that have not ended: they outlived a thousand others")
COLUMN(older, trial, "INTEGER PRIMARY KEY", "the trial")
END(older, "", "")

TABLE(ends, "which trials ended, in the order in which the strategy was told: a row for those of a commit")
COLUMN(ends, told, "INTEGER PRIMARY KEY", "the place of the first of them")
COLUMN(ends, last, "INTEGER NOT NULL", "the place of the last")
COLUMN(ends, trials, "TEXT NOT NULL",
       "their numbers, a JSON array; one that was tried again counts where trials.told is between the two places")
END(ends, "", "")

TABLE(outcomes, "the values of ended trials, where there are several criteria or limits")
COLUMN(outcomes, trial, "INTEGER NOT NULL", "the trial")
COLUMN(outcomes, criterion, "INTEGER NOT NULL", "of which metric (table criteria)")
COLUMN(outcomes, value, "REAL", "its value; NULL: the trial gave none")
END(outcomes, "PRIMARY KEY (trial, criterion)", " WITHOUT ROWID")

TABLE(runs, "one row an attempt to run a trial; attempts that were given back unstarted leave none")
COLUMN(runs, trial, "INTEGER NOT NULL", "the trial")
COLUMN(runs, attempt, "INTEGER NOT NULL", "the attempt, from 1; there may be gaps")
COLUMN(runs, worker, "INTEGER NOT NULL", "where it ran (table workers)")
COLUMN(runs, slot, "INTEGER NOT NULL", "the slot there (table slots)")
COLUMN(runs, leased, "REAL NOT NULL", "when the trial was given to that slot")
COLUMN(runs, ending, "INTEGER", "how it ended (table endings); NULL: it runs, or its end no longer mattered")
COLUMN(runs, late, "INTEGER",
       "the ending that its worker reported after it had been given up; such a result does not count")
COLUMN(runs, started, "REAL", "when it began, by the worker's clock")
COLUMN(runs, seconds, "REAL", "how long it took")
COLUMN(runs, cpu_seconds, "REAL", "processor time that it used; NULL when its worker said nothing of it")
COLUMN(runs, peak_memory, "INTEGER", "bytes that it had resident at most; NULL when its worker said nothing of it")
COLUMN(runs, detail, "TEXT", "a sentence about the ending; NULL when there is none")
COLUMN(
    runs, resumed, "INTEGER NOT NULL DEFAULT 0",
    "the step of the checkpoint that it went on from; 0: it began at the beginning, or reported nothing (then v_runs "
    "has NULL)")
COLUMN(runs, tail, "TEXT", "the last lines of its error output; NULL when there are none")
COLUMN(runs, profile, "TEXT",
       "where its time went, a JSON array: [phase or name, nanoseconds, count], or with the shortest and longest time, "
       "the median and the 95th percentile")
COLUMN(runs, memory_limit, "INTEGER",
       "bytes that it was given, where attempts may be given more than the one before; else NULL")
COLUMN(runs, time_limit, "REAL", "seconds that it was given, likewise")
COLUMN(runs, verdict, "INTEGER",
       "what bounded it (table verdicts); NULL: it has not ended, or was measured before there were verdicts")
COLUMN(runs, figure, "REAL", "the number that shows it: a share of 1, or cores; NULL: none")
COLUMN(runs, counters, "TEXT",
       "what was counted of it, a JSON array: at the place of each counter's number its value, or null; NULL: nothing")
COLUMN(runs, operations, "TEXT",
       "what a kernel did, a JSON array: [operation, calls, thousands of FLOP, thousands of bytes], of timed ones also "
       "nanoseconds in all, of the shortest and the longest call, and how many were timed unless all were; or what a "
       "program did on GPUs: [name, calls, null, thousands of bytes, nanoseconds, shortest, longest], [null, why not]")
END(runs, "PRIMARY KEY (trial, attempt)", " WITHOUT ROWID")

TABLE(parts, "of runs on several nodes one row for each node behind the first, which is in runs")
COLUMN(parts, trial, "INTEGER NOT NULL", "the trial")
COLUMN(parts, attempt, "INTEGER NOT NULL", "the attempt")
COLUMN(parts, node, "INTEGER NOT NULL", "which of the run's nodes it is, from 1: 0 is the first")
COLUMN(parts, worker, "INTEGER NOT NULL", "where it ran (table workers)")
COLUMN(parts, slot, "INTEGER NOT NULL", "the slot there (table slots)")
COLUMN(parts, ending, "INTEGER", "how it ended (table endings); NULL: it runs, or its end no longer mattered")
COLUMN(parts, detail, "TEXT", "a sentence about this ending; NULL when there is none")
END(parts, "PRIMARY KEY (trial, attempt, node)", " WITHOUT ROWID")

TABLE(samples, "one row a metric value that a run reported")
COLUMN(samples, trial, "INTEGER NOT NULL", "the trial")
COLUMN(samples, attempt, "INTEGER NOT NULL", "the attempt")
COLUMN(samples, number, "INTEGER NOT NULL", "the place in the order of reporting, from 0")
COLUMN(samples, metric, "INTEGER NOT NULL", "which metric (table metrics)")
COLUMN(samples, step, "INTEGER NOT NULL", "the step it belongs to")
COLUMN(samples, value, "REAL", "the value; NULL: NaN. Infinities are stored as such")
COLUMN(samples, time, "REAL", "seconds since the run began")
END(samples, "PRIMARY KEY (trial, attempt, number)", " WITHOUT ROWID")

TABLE(decisions, "what early stopping was told and what it said, in that order; a restart tells it again")
COLUMN(decisions, id, "INTEGER PRIMARY KEY", "counts up")
COLUMN(decisions, trial, "INTEGER NOT NULL", "the trial")
COLUMN(decisions, decision, "INTEGER NOT NULL", "0: goes on, 1: stops, 2: pauses; 3: went on after a pause; 4: ended")
COLUMN(decisions, step, "INTEGER", "decisions 0 to 2: the step that was looked at")
COLUMN(decisions, value, "REAL", "the first objective there; NULL: NaN")
COLUMN(decisions, others, "TEXT", "all metrics that trials are judged by, as a JSON array; NULL: there is one")
COLUMN(decisions, seconds, "REAL", "how long the trial had run")
COLUMN(decisions, why, "TEXT", "a sentence about the decision")
COLUMN(decisions, told, "INTEGER",
       "its place among what the strategy was told; of an end only when it was taken back; NULL: it was not told")
COLUMN(decisions, cut_off, "REAL",
       "what the first objective would have had to come to; NULL: no one number says that, or it is of an older gannet")
COLUMN(decisions, bracket, "INTEGER", "with several brackets, the one that the trial is compared in, from 1; else NULL")
END(decisions, "", "")

TABLE(ignored, "what a person said of ended trials: whether they count")
COLUMN(ignored, told, "INTEGER PRIMARY KEY", "its place among what the strategy was told")
COLUMN(ignored, trial, "INTEGER NOT NULL", "the trial")
COLUMN(ignored, ignored, "INTEGER NOT NULL", "1: from then on it does not; 0: it does again")
END(ignored, "", "")

TABLE(reopened, "ends of failed trials that a person had tried again")
COLUMN(reopened, told, "INTEGER PRIMARY KEY", "the place of the end among what the strategy was told")
COLUMN(reopened, trial, "INTEGER NOT NULL", "the trial")
COLUMN(reopened, ending, "INTEGER NOT NULL", "how it had ended (table endings)")
COLUMN(reopened, seconds, "REAL", "how long that took")
COLUMN(reopened, energy, "REAL", "joules that it had taken; NULL: not known")
COLUMN(reopened, step, "INTEGER", "the last step at which its value had been seen")
COLUMN(reopened, reopened, "INTEGER NOT NULL", "the place from which on it waited again")
END(reopened, "", "")

TABLE(events, "what is worth telling a person, in the order it happened; not the normal flow of trials")
COLUMN(events, id, "INTEGER PRIMARY KEY", "counts up")
COLUMN(events, time, "REAL NOT NULL", "when it happened")
COLUMN(
    events, kind, "TEXT NOT NULL",
    "experiment, worker_joined, worker_returned, worker_gone, retried, interrupted, failed, late, ignored, reopened, "
    "added or job")
COLUMN(events, trial, "INTEGER", "the trial it is about")
COLUMN(events, attempt, "INTEGER", "the attempt")
COLUMN(events, worker, "INTEGER", "the worker (table workers)")
COLUMN(events, text, "TEXT NOT NULL", "what happened, in words")
END(events, "", "")

TABLE(workers, "one row a worker process that ever took part")
COLUMN(workers, worker, "INTEGER PRIMARY KEY", "counts up; what the other tables name it by")
COLUMN(workers, number, "INTEGER NOT NULL UNIQUE", "the random number that it names itself by")
COLUMN(workers, node, "TEXT", "the node's name")
COLUMN(workers, pid, "INTEGER", "its process there")
COLUMN(workers, version, "TEXT", "its version of gannet")
COLUMN(workers, machine, "TEXT", "what it found on the node, in words")
COLUMN(workers, cores, "INTEGER", "cores that it may use")
COLUMN(workers, gpus, "INTEGER", "GPUs that it may use")
COLUMN(workers, memory, "INTEGER", "bytes of memory on the node")
COLUMN(workers, joined, "REAL", "when it came first")
COLUMN(workers, gone, "REAL", "when it left or was lost; NULL: it has not been missed")
COLUMN(workers, why, "TEXT", "why it went")
COLUMN(workers, job, "INTEGER", "the job of Slurm's that it belongs to, of an array the array's; NULL: none")
COLUMN(workers, element, "INTEGER", "which element of the array; NULL: none")
COLUMN(workers, uncounted, "TEXT", "counters of runs that it can't read, and why: a JSON object; NULL: none")
END(workers, "", "")

TABLE(jobs, "one row a start of a job that the experiment has at Slurm, or of an element of an array")
COLUMN(jobs, job, "INTEGER NOT NULL", "its id, of an array the array's")
COLUMN(jobs, element, "INTEGER NOT NULL", "which element of the array; -1: none")
COLUMN(jobs, restarts, "INTEGER NOT NULL", "how often it had been requeued before this start")
COLUMN(jobs, role, "TEXT", "experiment (coordinator and workers in one), coordinator or worker")
COLUMN(jobs, submitted, "REAL", "when it was submitted, by Slurm's clock")
COLUMN(jobs, started, "REAL", "when it started")
COLUMN(jobs, ended, "REAL", "when it ended")
COLUMN(jobs, state, "TEXT",
       "pending, running, completed, failed, cancelled, timeout, preempted, node_failed, requeued, ...")
COLUMN(jobs, reason, "TEXT", "while it is pending: Slurm's word for why; cancelled: by whom, if that is known")
COLUMN(jobs, nodes, "TEXT", "its nodes, as Slurm writes lists of them: n[1-4]")
COLUMN(jobs, request, "TEXT", "what was asked for, a JSON object")
COLUMN(jobs, exit, "TEXT", "how its batch script ended")
END(jobs, "PRIMARY KEY (job, element, restarts)", " WITHOUT ROWID")

TABLE(slots, "one row a slot that a worker offers: what a trial gets there")
COLUMN(slots, worker, "INTEGER NOT NULL", "the worker")
COLUMN(slots, slot, "INTEGER NOT NULL", "the slot's number, from 0")
COLUMN(slots, cpus, "TEXT NOT NULL", "its cores, as a list of the operating system's numbers: 0-3,8")
COLUMN(slots, numa, "TEXT NOT NULL", "the NUMA nodes that its memory is taken from, as a list; empty: any")
COLUMN(slots, gpus, "TEXT NOT NULL", "its GPUs, as a list of their numbers; empty: none")
COLUMN(slots, memory, "INTEGER NOT NULL", "bytes that a trial may use; 0: not limited")
END(slots, "PRIMARY KEY (worker, slot)", " WITHOUT ROWID")

TABLE(processors, "what proposals were made on: a row whenever that is another kind than before")
COLUMN(processors, number, "INTEGER PRIMARY KEY", "counts up")
COLUMN(processors, trial, "INTEGER NOT NULL", "the first trial that may have been proposed there")
COLUMN(processors, since, "REAL NOT NULL", "when a process first worked there")
COLUMN(processors, model, "TEXT NOT NULL", "the processor's name")
COLUMN(processors, vector, "TEXT NOT NULL", "the widest vectors that it computes with: avx512, avx2, ...")
COLUMN(processors, kernels, "TEXT NOT NULL", "the core whose instructions OpenBLAS computes with")
COLUMN(processors, gannet, "TEXT NOT NULL", "the version of gannet")
END(processors, "", "")

TABLE(metrics, "the names of the metrics that were ever reported; behind 10,000 of them all are (others)")
COLUMN(metrics, metric, "INTEGER PRIMARY KEY", "counts up")
COLUMN(metrics, name, "TEXT NOT NULL UNIQUE", "the metric's name")
END(metrics, "", "")

TABLE(endings, "how a run or a trial can end; the same in every store")
COLUMN(endings, ending, "INTEGER PRIMARY KEY", "the number in the other tables")
COLUMN(endings, name, "TEXT NOT NULL", "completed, diverged, crashed, ...")
COLUMN(endings, state, "TEXT NOT NULL", "the state that the trial takes by it")
COLUMN(endings, meaning, "TEXT NOT NULL", "in words")
END(endings, "", "")

TABLE(phases, "the phases of a run's time; the same in every store")
COLUMN(phases, phase, "INTEGER PRIMARY KEY", "the number in the other tables")
COLUMN(phases, name, "TEXT NOT NULL", "queue, launch, data, forward, ...")
COLUMN(phases, meaning, "TEXT NOT NULL", "in words")
END(phases, "", "")

TABLE(verdicts, "what can bound a run; the same in every store")
COLUMN(verdicts, verdict, "INTEGER PRIMARY KEY", "the number in the other tables")
COLUMN(verdicts, name, "TEXT NOT NULL", "compute, memory, latency, data, sync, ...")
COLUMN(verdicts, meaning, "TEXT NOT NULL", "when it is said")
COLUMN(verdicts, sentence, "TEXT NOT NULL", "what follows the figure in words")
END(verdicts, "", "")

TABLE(counters, "what is counted of runs; the same in every store")
COLUMN(counters, counter, "INTEGER PRIMARY KEY", "its number: its place in runs.counters, from 0")
COLUMN(counters, name, "TEXT NOT NULL", "user, system, major_faults, ...")
COLUMN(counters, unit, "TEXT NOT NULL", "seconds, bytes, times, ...")
COLUMN(counters, scale, "INTEGER NOT NULL", "how many of what runs.counters keeps make one unit")
COLUMN(counters, meaning, "TEXT NOT NULL", "in words")
END(counters, "", "")

TABLE(operations, "what kernels count by kind; the same in every store")
COLUMN(operations, operation, "INTEGER PRIMARY KEY", "the number in the other tables")
COLUMN(operations, name, "TEXT NOT NULL", "gemm, convolution, pooling, ...")
END(operations, "", "")
