/* gannet importance: which parameters matter, and which values of them are good. */
#include "cli/command.h"
#include "cli/data/importance.h"
#include "cli/format.h"
#include "cli/view/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- for people --- */

static void add_percent(struct text_table *table, double share)
{
    table_print(table, TINT_NONE, "%.0f %%", 100 * share);
}

static void add_share(struct text_table *table, const struct variation_share *share)
{
    add_percent(table, share->expected);
    table_print(table, TINT_NONE, "%.0f to %.0f", 100 * share->low, 100 * share->high);
}

/* A value as people read it. */
static void add_value(const struct gannet_param *param, double natural, struct buf *out)
{
    char number[32];
    buf_text(out, param->choices ? param->choices[(uint64_t)natural] : format_number(natural, number, sizeof number));
}

static void add_values(const struct importance *importance, const struct explained *explained, struct text_table *table)
{
    const struct gannet_param *param = importance_param(importance, explained);
    struct buf text = {0};
    if (explained->active == 0)
        buf_text(&text, "-");
    else
        add_value(param, explained->low, &text);
    if (explained->active > 0 && explained->high != explained->low) {
        buf_text(&text, " to ");
        add_value(param, explained->high, &text);
    } else if (explained->share < 1)
        buf_format(&text, " (%.0f %%)", 100 * explained->share);
    table_cell(table, TINT_NONE, buf_str(&text));
    buf_fini(&text);
}

static void draw_table(const struct importance *importance, bool among_good, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_columns(table, "parameter|>combined|>between|>alone|>between");
    table_columns(table, among_good ? ">among good|good values" : "good values");
    for (uint32_t i = 0; i < importance->explanation.count; i++) {
        const struct explained *explained = &importance->explanation.params[i];
        table_cell(table, TINT_NONE, importance_param(importance, explained)->name);
        add_share(table, &explained->together);
        add_share(table, &explained->alone);
        if (among_good)
            add_percent(table, explained->among_good);
        add_values(importance, explained, table);
    }
    table_finish(table, look, out);
}

/* Adds what explain.h writes as a line that is safe for terminals; nothing of nothing. */
static void add_line(struct buf *sentence, const char *end, struct buf *out)
{
    if (sentence->length > 0) {
        format_safe(buf_str(sentence), out);
        buf_text(out, end);
    }
    buf_fini(sentence);
}

/* Adds a table of the parameters and a sentence about each. `among_good`: with the column of PED-ANOVA. */
static void draw_importance(const struct importance *importance, bool among_good, const struct look *look,
                            struct buf *out)
{
    const struct explanation *explanation = &importance->explanation;
    struct buf caution = {0};
    format_safe(importance->metric->name, out);
    buf_format(out, " (%s): ", importance->metric->maximize ? "maximize" : "minimize");
    format_count(explanation->finished, "trial", out);
    if (importance->every > 1)
        buf_format(out, ", one of every %" PRIu64 " that ended,", importance->every);
    buf_format(out, " with a value, %u failed; good values are those of the best %u\n\n", explanation->failed,
               explanation->best);
    draw_table(importance, among_good, look, out);
    buf_text(out, "\n");
    for (uint32_t i = 0; i < explanation->count; i++) {
        struct buf sentence = {0};
        explain_sentence(explanation, &importance->problem, i, &sentence);
        add_line(&sentence, ".\n", out);
    }
    explain_caution(explanation, &caution);
    add_line(&caution, "\n", out);
}

/* --- the command --- */

/* One metric: adds its table to *text and its object to the array. An exit status, with a sentence. */
static int explain_one(struct source *source, const struct spec *spec, const struct args *args,
                       const struct metric *metric, const struct look *look, struct buf *text, json_t *array,
                       struct err *err)
{
    struct importance importance;
    if (importance_read(&importance, source, spec, metric, err))
        return STATUS_FAILED;
    bool found = importance.explanation.finished > 0;
    if (found) {
        if (text->length)
            buf_text(text, "\n");
        draw_importance(&importance, args_has(args, "among-good"), look, text);
        json_array_append_new(array, importance_json(&importance));
    } else
        err_write(err, "no trial has a value of %s yet", metric->name);
    importance_fini(&importance);
    return found ? STATUS_OK : STATUS_NOT_FOUND;
}

/* The metric that the person names: the experiment's row of it, or a new one. */
static struct metric named_metric(const struct args *args, const struct metrics *metrics)
{
    const char *name = args_text(args, "metric", NULL), *goal = args_text(args, "goal", NULL);
    struct metric metric = {.name = name ? name : metrics->items[0].name};
    for (uint32_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->items[i].name, metric.name) == 0)
            metric = metrics->items[i];
    metric.maximize = goal ? strcmp(goal, "maximize") == 0 : metric.maximize;
    return metric;
}

/* The named metric, or every objective. */
static int explain_all(struct source *source, const struct spec *spec, const struct args *args, const struct look *look,
                       struct buf *text, json_t *array, struct err *err)
{
    struct metrics metrics = spec_metrics(spec);
    struct metric chosen = named_metric(args, &metrics);
    if (args_has(args, "metric") || args_has(args, "goal"))
        return explain_one(source, spec, args, &chosen, look, text, array, err);
    int status = STATUS_OK;
    for (uint32_t i = 0; i < metrics.count && !status; i++)
        if (metrics.items[i].objective)
            status = explain_one(source, spec, args, &metrics.items[i], look, text, array, err);
    return status;
}

static int show_importance(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    struct buf text = {0};
    json_t *array = json_array();
    struct spec *spec = source_spec(source, err);
    int status = spec ? explain_all(source, spec, args, &console->out_look, &text, array, err) : STATUS_FAILED;
    if (!status && args_has(args, "json"))
        console_json(console, json_pack("{s:O}", "metrics", array));
    else if (!status)
        console_write(console->out, &text);
    spec_destroy(spec);
    json_decref(array);
    buf_fini(&text);
    return status;
}

static const struct option options[] = {
    OPTION_VALUE("metric", TEXT, "NAME", "another metric than the objective"),
    OPTION_VALUE("goal", WORD, "minimize|maximize",
                 "what is good of it; default: the experiment's, of other metrics\nminimize"),
    {.name = "among-good", .help = "also what sets the best trials apart from the good ones"},
    OPTION_JSON("an object, the shape of docs/json.md"),
    {0}};

const struct command cmd_importance = {
    .name = "importance",
    .group = GROUP_LOOK,
    .summary = "Explains which parameters matter, and which values are good",
    .text = "\"combined\" and \"alone\" are the shares of the variation over the whole space that the\n"
            "parameter causes with all combinations that it is part of, and by itself (functional\n"
            "ANOVA of a Gaussian process that has learned the trials). A search looks mostly where\n"
            "results are good: how sure the shares are is said by \"between\", where nine of ten\n"
            "functions that agree with the trials have them, and by \"may matter most\", when the order\n"
            "of the parameters is not sure. \"good values\" are where the best tenth of the trials\n"
            "lies, ten at least. --among-good adds what sets those apart from the better half\n"
            "(PED-ANOVA): what matters there is worth tuning further. With fewer than 30 trials all\n"
            "of it is mostly chance. Of more than 16384 ended trials every second is taken, of more\n"
            "than 32768 every fourth, and so on; the screen of gannet status takes the same.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet importance\n"
                "gannet importance digits --metric train_loss",
    .visit = show_importance};
