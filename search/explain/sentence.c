/* Explanations in words; see explain.h. */
#include "search/explain/explain.h"

/* Shares below: nothing worth a sentence of its own; possible shares above: it would be odd not to mention them. */
static const double LITTLE = 0.05, MUCH = 0.2;

static void add_value(const struct gannet_param *param, double natural, struct buf *out)
{
    if (param->choices && natural >= 0 && natural < (double)param->levels)
        buf_text(out, param->choices[(uint64_t)natural]);
    else
        buf_format(out, "%.4g", natural);
}

/* "good values lie between 0.0001 and 0.003", "the best trials have adam (4 of 5)". */
static void add_values(const struct explanation *explanation, const struct gannet_param *param,
                       const struct explained *explained, struct buf *out)
{
    if (explained->active == 0) {
        buf_text(out, "none of the best trials has it");
        return;
    }
    if (explained->low != explained->high) {
        buf_text(out, "good values lie between ");
        add_value(param, explained->low, out);
        buf_text(out, " and ");
        add_value(param, explained->high, out);
    } else {
        buf_format(out, explained->share < 0.999 ? "most of the best trials (%.0f %%) have " : "the best trials have ",
                   100 * explained->share);
        add_value(param, explained->low, out);
    }
    if (explained->active < explanation->best)
        buf_format(out, " (%u of the %u best have the parameter)", explained->active, explanation->best);
}

static const char *verb_of(const struct explanation *explanation, uint32_t place)
{
    bool certain = explain_is_sure(explanation, place);
    return place == 0              ? (certain ? "matters most" : "may matter most")
           : place == 1 && certain ? "comes next"
                                   : "matters too";
}

void explain_sentence(const struct explanation *explanation, const struct gannet_problem *problem, uint32_t place,
                      struct buf *out)
{
    const struct explained *explained = &explanation->params[place];
    const struct gannet_param *param = &problem->space->params[explained->index];
    const struct variation_share *share = &explained->together;
    buf_text(out, param->name);
    if (share->expected >= LITTLE) {
        buf_format(out, " %s: %.0f %% of the variation over the space (%.0f to %.0f %%); ", verb_of(explanation, place),
                   100 * share->expected, 100 * share->low, 100 * share->high);
        add_values(explanation, param, explained, out);
    } else if (share->high < MUCH)
        buf_text(out, " hardly matters");
    else
        buf_format(out, " hardly matters as far as these trials show, which may be wrong by %.0f %%",
                   100 * share->high);
}

void explain_caution(const struct explanation *explanation, struct buf *out)
{
    if (explanation->finished == 0)
        buf_text(out, "No trial has a value yet: there is nothing to explain.");
    else if (explanation->finished < EXPLAIN_FEW)
        buf_format(out, "Only %u trial%s a value: with fewer than %d these numbers are mostly chance.",
                   explanation->finished, explanation->finished == 1 ? " has" : "s have", EXPLAIN_FEW);
}
