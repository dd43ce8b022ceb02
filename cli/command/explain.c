/* gannet explain: why a trial waits, ran again or ended, why nothing runs, and what went wrong. */
#include "cli/command.h"
#include "cli/view/why.h"
#include "cli/format.h"
#include "cli/session/seen.h"
#include "cli/view/table.h"
#include "cli/data/sample.h"
#include "cli/data/target.h"
#include "cli/data/verdict_words.h"
#include "common/units.h"

#include <string.h>

/* Events that a person is shown; programs get all. */
enum { SHOWN = 20 };

/* Everything that was read for the answer. */
struct explain_inputs {
    struct seen seen;
    json_t *faults, *events, *trial, *example, *prospect, *verdict, *verdicts, *sample;
};

static void inputs_fini(struct explain_inputs *facts)
{
    seen_fini(&facts->seen);
    json_decref(facts->faults);
    json_decref(facts->events);
    json_decref(facts->trial);
    json_decref(facts->example);
    json_decref(facts->prospect);
    json_decref(facts->verdict);
    json_decref(facts->verdicts);
    json_decref(facts->sample);
}

/* Whether early stopping has anything to go by shows in any trial: the best one. */
static void fetch_example(struct source *source, struct explain_inputs *facts)
{
    const json_t *number = json_object_get(facts->seen.overview.best, "trial");
    if (facts->seen.overview.snapshot.early_stop && number)
        (void)source_show(source, (uint64_t)json_integer_value(number), &facts->example, NULL);
}

static int fetch_verdicts(struct source *source, struct explain_inputs *facts, struct err *err)
{
    json_t *experiment = source_read(source, "experiment", NULL, err),
           *sample = experiment && !facts->trial ? sample_choose(source, SAMPLE_TRIALS, err) : NULL,
           *verdicts = sample_read(source, "verdicts", sample, err);
    facts->verdict = facts->trial ? verdict_words(experiment, facts->trial) : NULL;
    facts->verdicts = verdicts ? verdict_words_all(experiment, verdicts) : NULL;
    facts->sample = sample_json(sample);
    int failed = !experiment || (!facts->trial && !verdicts);
    json_decref(experiment);
    json_decref(sample);
    json_decref(verdicts);
    return failed ? STATUS_FAILED : STATUS_OK;
}

static int fetch_inputs(struct console *console, struct source *source, const struct target *target,
                        struct explain_inputs *facts, struct err *err)
{
    struct err ignored;
    int status = seen_fetch(console, source, &facts->seen, &ignored, err);
    if (status)
        return status;
    if (!(facts->faults = source_read(source, "faults", NULL, err)) ||
        !(facts->events = source_read(source, "events", NULL, err)))
        return STATUS_FAILED;
    if (!target->has_trial) {
        fetch_example(source, facts);
        return fetch_verdicts(source, facts, err);
    }
    status = source_show(source, target->trial, &facts->trial, err);
    if (!status)
        status = fetch_verdicts(source, facts, err);
    if (!status && source_lives(source))
        source_ask(source, "prospect", json_pack("{s:I}", "trial", (json_int_t)target->trial), &facts->prospect,
                   &ignored);
    return status;
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

static void show_sentences(struct console *console, const struct args *args, const struct why_facts *known,
                           json_t *sentences)
{
    json_t *events = why_events(known);
    if (args_has(args, "json"))
        console_json(console,
                     json_pack("{s:s, s:O, s:s, s:O, s:O?, s:O?, s:O?, s:O?, s:O}", "schema", "gannet.explain/1",
                               "sentences", sentences, "state", overview_state(known->overview), "faults",
                               known->faults, "prospect", known->prospect, "verdict", known->verdict, "verdicts",
                               known->verdicts, "sample", known->sample, "events", events));
    else
        draw_sentences(console, sentences, events);
    json_decref(events);
}

/* Whether the second argument names a trial; else it is a node or a worker. */
static bool is_trial(const char *text)
{
    int64_t number;
    return text && (strcmp(text, "best") == 0 || (strlen(text) < 16 && units_integer(text, &number)));
}

static int explain_target(struct console *console, const struct args *args, struct source *source,
                          const struct target *target, struct err *err)
{
    const char *subject = args_rest(args, 1), *place = subject && !is_trial(subject) ? subject : NULL;
    struct explain_inputs facts = {0};
    int status = fetch_inputs(console, source, target, &facts, err);
    struct why_facts known = {.overview = &facts.seen.overview,
                              .faults = facts.faults,
                              .events = facts.events,
                              .trial = facts.trial,
                              .example = facts.example,
                              .prospect = facts.prospect,
                              .verdict = facts.verdict,
                              .verdicts = facts.verdicts,
                              .sample = facts.sample,
                              .place = place};
    json_t *sentences = status              ? NULL
                        : target->has_trial ? why_trial(&known)
                        : place             ? why_place(&known)
                                            : why_experiment(&known);
    if (!status && !json_array_size(sentences)) {
        err_write(err, "no worker of this experiment is called '%s', and none was on a node of that name", place);
        status = STATUS_NOT_FOUND;
    }
    if (!status)
        show_sentences(console, args, &known, sentences);
    json_decref(sentences);
    inputs_fini(&facts);
    return status;
}

static int run_explain(struct console *console, const struct args *args)
{
    const char *subject = args_rest(args, 1);
    return target_visit_trial(console, args, is_trial(subject) ? subject : NULL, NULL, explain_target);
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
