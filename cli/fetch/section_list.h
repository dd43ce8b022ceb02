/* The sections of an experiment that the screen shows: what is read of it, how often, and what shape it has.
 *
 *     SECTION(ID, name, seconds, "shape")
 *
 * `seconds` lie at least between two readings while a screen wants the section; a change of what is wanted reads it at
 * once. The function section_NAME in a file of its name reads it (sections.h). Shapes are JSON; what can grow with the
 * experiment is read in pages, or as what has changed. */

SECTION(
    OVERVIEW, overview, 1,
    "{status: gannet.status/1 without workers (docs/json.md), state: one word, explanation: sentences or \"\", "
    "reason: of the end, a sentence or \"\", jobs: [lines, the first a heading], best: a trial or null, goal, started, "
    "ended}")

SECTION(TOP, top, 1,
        "{best: [the trials of the best values], running: [the first that run, with value and seconds so far], names: "
        "[parameters]}")

SECTION(ATTENTION, attention, 5,
        "{sentences: [what is wrong with the experiment], causes: [{reason, line: the last one that the program wrote, "
        "count, trial: the last of them, nodes}], the most frequent first, failures: [{trial, reason, node, line, "
        "ignored}] of "
        "those that were looked at, failed: trials, looked_at: how many of them, "
        "the last ones, missing: a sentence about nodes without workers or \"\"}")

SECTION(LOG, log, 1, "{events: [the newest, as docs/json.md has them, oldest first], last: the id of the newest}")

SECTION(
    TRIALS, trials, 1,
    "{total, matching: how many the filter keeps, first: the place of the first row, rows: [trials as docs/json.md "
    "has them, of running ones with value and seconds so far and `left`, seconds to go, or null, and trend: the last "
    "values of the objective], all: [titles of "
    "columns], metric, goal, looked_at: how many ended trials were looked at, looking: there are more, mistake: what "
    "is wrong with filter or order, or \"\"}")

SECTION(TRIAL, trial, 1,
        "{trial: gannet.show (docs/json.md) without curve and operations, of a running one with value and seconds so "
        "far, curve: [[step, value, time]] of the objective, best: {trial, params, value, seconds, curve} or null, "
        "metric, goal, verdict and advice: sentences or \"\", command: what repeats it, with \\u0001 where what stands "
        "before our programs belongs, or \"\", directory, files: [{name, bytes, directory}], stdout and stderr: the "
        "last lines}")

SECTION(
    HISTORY, history, 2,
    "{improvements: [[ended, time, value, trial], ...]: the best value so far, where it changed, after how many ended "
    "trials and when (seconds since 1970); ended: how many have been looked at; whole: whether these are all}")
SECTION(
    WORKERS, workers, 2,
    "{total: rows in all, first: rows before these, workers, gone, slots, slots_here: of workers that are there, busy: "
    "of these, lives, idle: why slots get no trial, or "
    "null, rows: [{row: node, worker, node, part, open, slots, busy, heard, gannet, ahead, suspect, aside, waiting, "
    "why, job, left: seconds, failed, trouble, pid, version, machine, cores, gpus, memory, joined, gone, gone_why} or "
    "{row: numa, worker, numa, slots} or {row: slot, worker, slot, cpus, numa, gpus, memory, trial, attempt, since, "
    "step, value, ahead, why, last: {trial, reason, ended, cores, memory, gpu}}], times seconds since 1970}")
SECTION(
    TIMELINE, timeline, 1,
    "{from, to, now, begin, since: all attempts that ended since then were read, null: all were, total: slots in "
    "this time, first: slots before these, lives, columns, utilisation: [share of the slots' time that had a trial, "
    "null: no slots], lost: {available, busy, idle, launch, stage, failed, cut, stopped, queue} in seconds, rows: "
    "[{node, part, slot, cells: a letter a column, spans: [[trial, attempt, letter, from, to]] of a column at least, "
    "last: the last such of any length, last_from}]}, times seconds "
    "since 1970; letters as cli/view/span_class.h has them")
SECTION(SEARCH, search, 2,
        "{metrics: [{name, goal}], parameters: [{name, low, high, log, choices: the first 100, values: how many of "
        "them there are}], parameter: the drawn one, ended: "
        "trials that were read, one of `every`, importance: an object of docs/json.md or null, explaining: it is being "
        "worked out, points: [[trial, place from 0 to 1, value, state, feasible]], front: [[trial, value of each "
        "objective]], rungs: [{bracket: 0 unless there are several, step, reached, passed, stopped, waiting: trials, "
        "who: the first that wait, cut_off, best, best_trial, why}], beyond: looks at rungs that are not listed, "
        "early_stop: its name or null, "
        "improvements: [[ended, time, value, trial]], improved: how many, sentences}")
SECTION(EXPERIMENTS, experiments, 3,
        "{experiments: [{name, directory, metric, state, standing: in a word, reason: of the end or \"\", lives, "
        "submitted, changed: seconds "
        "since 1970, ended, total: 0 when not limited, running, failed, best, left: seconds, or null} or {name, "
        "directory, trouble: why it can't be read}], remembered: how many there are in all}")
