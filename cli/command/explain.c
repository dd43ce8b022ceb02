/* gannet explain: why a trial waits, ran again or ended, why nothing runs, and what went wrong. */
#include "cli/command.h"
#include "cli/view/why.h"
#include "cli/data/jobs.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/data/source.h"
#include "cli/view/table.h"
#include "cli/data/target.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Events that a person is shown; programs get all. */
enum { SHOWN = 20 };

/* Everything that was read for the answer. */
struct explain_inputs {
    struct experiment_standing standing;
    struct overview overview;
    struct slurm_record jobs;
    json_t *experiment, *best, *faults, *events, *trial, *prospect;
};

static void inputs_fini(struct explain_inputs *facts)
{
    standing_fini(&facts->standing);
    slurm_record_fini(&facts->jobs);
    json_decref(facts->experiment);
    json_decref(facts->best);
    json_decref(facts->faults);
    json_decref(facts->events);
    json_decref(facts->trial);
    json_decref(facts->prospect);
}

static int fetch_inputs(struct source *source, struct explain_inputs *facts, struct err *err)
{
    int status = source_standing(source, &facts->standing, err);
    if (status == STATUS_UNREACHABLE)
        status = source_recorded(source, &facts->standing, err) ? STATUS_UNREACHABLE : STATUS_OK;
    if (status)
        return status;
    if (!(facts->experiment = source_experiment(source, err)) || !(facts->best = source_best(source, err)) ||
        !(facts->faults = source_faults(source, err)) || !(facts->events = source_events(source, 0, err)))
        return STATUS_FAILED;
    facts->overview = (struct overview){.snapshot = facts->standing.snapshot,
                                        .experiment = facts->experiment,
                                        .best = facts->best,
                                        .directory = source_dir(source)->path,
                                        .trouble = facts->standing.trouble,
                                        .lives = source_lives(source),
                                        .now = clock_wall()};
    return STATUS_OK;
}

/* What was submitted for it; a Slurm that does not answer leaves the rest. */
static void fetch_jobs(struct console *console, struct source *source, struct explain_inputs *facts)
{
    struct err err;
    jobs_read(source_dir(source), facts->overview.lives, &facts->jobs, &err);
    if (*err.text)
        console_fail(console, STATUS_OK, &err);
    facts->overview.jobs = facts->jobs.count ? &facts->jobs : NULL;
}

static int fetch_trial(struct source *source, uint64_t trial, struct explain_inputs *facts, struct err *err)
{
    struct err ignored;
    facts->trial = source_show(source, trial, err);
    if (!facts->trial)
        return STATUS_FAILED;
    if (json_is_null(facts->trial)) {
        err_write(err, "%s has no trial %" PRIu64, source_dir(source)->path, trial);
        return STATUS_NOT_FOUND;
    }
    if (source_lives(source))
        source_ask(source, "prospect", json_pack("{s:I}", "trial", (json_int_t)trial), &facts->prospect, &ignored);
    return STATUS_OK;
}

/* --- showing --- */

static void draw_events(const json_t *events, const struct look *look, struct buf *out)
{
    size_t count = json_array_size(events), first = count > SHOWN ? count - SHOWN : 0;
    struct text_table *table = table_create();
    static const char *const members[] = {"time", "kind", "trial", "node", "text"};
    enum { MEMBERS = sizeof members / sizeof *members };
    table_columns(table, "time|kind|>trial|node|text");
    for (size_t i = first; i < count; i++)
        for (size_t j = 0; j < MEMBERS; j++) {
            struct buf text = {0};
            format_scalar(json_object_get(json_array_get(events, i), members[j]), &text);
            table_cell(table, TINT_NONE, buf_str(&text));
            buf_fini(&text);
        }
    if (count) {
        look_heading(look, "What happened", out);
        table_draw(table, look, out);
    }
    table_destroy(table);
}

static void draw_sentences(struct console *console, const json_t *sentences, const json_t *events)
{
    struct buf text = {0};
    size_t index;
    json_t *sentence;
    json_array_foreach((json_t *)sentences, index, sentence)
    {
        format_scalar(sentence, &text);
        buf_text(&text, "\n");
    }
    draw_events(events, &console->out_look, &text);
    console_print(console, &text);
}

static void show_sentences(struct console *console, const struct args *args, const struct explain_inputs *facts,
                           const char *place, json_t *sentences)
{
    struct why_facts known = {
        .overview = &facts->overview, .events = facts->events, .trial = facts->trial, .place = place};
    json_t *events = why_events(&known);
    if (args_has(args, "json"))
        console_json(console, json_pack("{s:s, s:O, s:s, s:O, s:O?, s:O}", "schema", "gannet.explain/1", "sentences",
                                        sentences, "state", overview_state(&facts->overview), "faults", facts->faults,
                                        "prospect", facts->prospect, "events", events));
    else
        draw_sentences(console, sentences, events);
    json_decref(events);
}

static int explain_subject(struct console *console, const struct args *args, struct source *source,
                           const struct target *target, uint64_t trial, const char *place)
{
    struct explain_inputs facts = {0};
    struct err err;
    int status = fetch_inputs(source, &facts, &err);
    if (!status)
        fetch_jobs(console, source, &facts);
    if (!status && target->has_trial)
        status = fetch_trial(source, trial, &facts, &err);
    struct why_facts known = {&facts.overview, facts.faults, facts.events, facts.trial, facts.prospect, place};
    json_t *sentences = status              ? NULL
                        : target->has_trial ? why_trial(&known)
                        : place             ? why_place(&known)
                                            : why_experiment(&known);
    if (!status && !json_array_size(sentences)) {
        err_write(&err, "no worker of this experiment is called '%s', and none was on a node of that name", place);
        status = STATUS_NOT_FOUND;
    }
    if (status)
        console_fail(console, status, &err);
    else
        show_sentences(console, args, &facts, place, sentences);
    json_decref(sentences);
    inputs_fini(&facts);
    return status;
}

/* Whether the second argument names a trial; else it is a node or a worker. */
static bool is_trial(const char *text)
{
    int64_t number;
    return text && (strcmp(text, "best") == 0 || (strlen(text) < 16 && units_integer(text, &number)));
}

static int run_explain(struct console *console, const struct args *args)
{
    const char *subject = args_rest(args, 1), *place = subject && !is_trial(subject) ? subject : NULL;
    struct target target;
    struct source *source;
    struct err err = {""};
    uint64_t trial;
    if (target_read(args_rest(args, 0), place ? NULL : subject, &target, &err))
        return console_fail(console, STATUS_USAGE, &err);
    int status = target_open(&target, &source, &trial, &err);
    if (status) {
        console_fail(console, status, &err);
    } else {
        status = explain_subject(console, args, source, &target, trial, place);
        source_close(source);
    }
    target_fini(&target);
    return status;
}

static const struct argument arguments[] = {
    {"EXP", "the experiment, or EXP/TRIAL; default: the last one", false},
    {"SUBJECT", "a trial, a node or a worker; default: the experiment as a whole", false},
    {0}};
static const struct option options[] = {OPTION_JSON("an object with sentences (docs/json.md)"), {0}};

const struct command cmd_explain = {
    .name = "explain",
    .group = GROUP_LOOK,
    .summary = "Says why things are as they are",
    .text = "Why nothing runs, why a trial waits, ran again or ended, what became of a node or a worker,\n"
            "and which faults there were: jobs, workers, attempts, and time that was not kept.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet explain digits\ngannet explain digits/131\ngannet explain digits n2",
    .run = run_explain};
