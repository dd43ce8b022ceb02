/* Importance, fetched and shown; see importance.h. */
#include "cli/view/importance.h"
#include "cli/format.h"
#include "cli/view/table.h"
#include "common/json.h"

#include <math.h>

/* --- for people --- */

static void add_percent(struct text_table *table, double share)
{
    table_print(table, TINT_NONE, "%.0f %%", 100 * share);
}

static void add_share(struct text_table *table, const struct share *share)
{
    add_percent(table, share->expected);
    table_print(table, TINT_NONE, "%.0f to %.0f", 100 * share->low, 100 * share->high);
}

static const struct gannet_param *param_of(const struct importance *importance, const struct explained *explained)
{
    return &importance->problem.space->params[explained->index];
}

/* A value as people read it. */
static void add_value(const struct gannet_param *param, double natural, struct buf *out)
{
    char number[32];
    buf_text(out, param->choices ? param->choices[(uint64_t)natural] : format_number(natural, number, sizeof number));
}

static void add_values(const struct importance *importance, const struct explained *explained, struct text_table *table)
{
    const struct gannet_param *param = param_of(importance, explained);
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
        table_cell(table, TINT_NONE, param_of(importance, explained)->name);
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

void importance_draw(const struct importance *importance, bool among_good, const struct look *look, struct buf *out)
{
    const struct explanation *explanation = &importance->explanation;
    struct buf caution = {0};
    format_safe(importance->metric->name, out);
    buf_format(out, " (%s): ", importance->metric->maximize ? "maximize" : "minimize");
    format_count(explanation->finished, "trial", out);
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

/* --- for programs --- */

static json_t *natural_json(const struct gannet_param *param, double natural)
{
    if (isnan(natural))
        return json_null();
    return param->choices ? json_of_text(param->choices[(uint64_t)natural]) : json_of_real(natural);
}

static json_t *param_json(const struct importance *importance, uint32_t place)
{
    const struct explained *explained = &importance->explanation.params[place];
    const struct gannet_param *param = param_of(importance, explained);
    struct buf sentence = {0};
    explain_sentence(&importance->explanation, &importance->problem, place, &sentence);
    const struct share *alone = &explained->alone, *together = &explained->together;
    json_t *json =
        json_pack("{s:o, s:f, s:[f, f], s:f, s:[f, f], s:f, s:b, s:f, s:i, s:o, s:o, s:o, s:o}", "name",
                  json_of_text(param->name), "combined", together->expected, "combined_between", together->low,
                  together->high, "alone", alone->expected, "alone_between", alone->low, alone->high, "above",
                  explained->above, "sure", explain_is_sure(&importance->explanation, place), "among_good",
                  explained->among_good, "active", (int)explained->active, "low", natural_json(param, explained->low),
                  "high", natural_json(param, explained->high), "share",
                  isnan(explained->share) ? json_null() : json_real(explained->share), "sentence",
                  json_of_text(buf_str(&sentence)));
    buf_fini(&sentence);
    return json;
}

json_t *importance_json(const struct importance *importance)
{
    const struct explanation *explanation = &importance->explanation;
    struct buf caution = {0};
    json_t *params = json_array();
    for (uint32_t i = 0; i < explanation->count; i++)
        json_array_append_new(params, param_json(importance, i));
    explain_caution(explanation, &caution);
    json_t *json =
        json_pack("{s:o, s:s, s:i, s:i, s:i, s:o, s:o}", "metric", json_of_text(importance->metric->name), "goal",
                  importance->metric->maximize ? "maximize" : "minimize", "trials", (int)explanation->finished,
                  "failed", (int)explanation->failed, "best", (int)explanation->best, "caution",
                  caution.length ? json_of_text(buf_str(&caution)) : json_null(), "parameters", params);
    buf_fini(&caution);
    return json;
}
