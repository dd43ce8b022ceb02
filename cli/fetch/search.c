/* The section search: what was learned so far, and what the strategy and early stopping do about it. */
#include "cli/fetch/explaining.h"
#include "cli/fetch/rungs.h"
#include "cli/fetch/sections.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"
#include "search/registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MOST = 2000,   /* that a picture shows */
    FRONT_MOST = 500,     /* of the front */
    PAGES = 8,            /* of improvements, in one reading */
    IMPROVEMENTS_KEPT = 8 /* the last ones */
};

/* Some of very many points are shown, and the best of all. */
struct search_memory {
    struct spec *spec; /* of the experiment as it was when it was looked at first */
    struct learned learned;
    struct rungs rungs;
    struct explaining *explaining;
    json_t *improvements; /* the last few */
    json_t *progress;     /* what to pass to the next reading of them */
    uint64_t improved;
};

static void free_memory(void *data)
{
    struct search_memory *memory = data;
    if (!memory)
        return;
    learned_fini(&memory->learned);
    rungs_fini(&memory->rungs);
    explaining_destroy(memory->explaining);
    json_decref(memory->improvements);
    json_decref(memory->progress);
    spec_destroy(memory->spec);
    free(memory);
}

static int begin_reading(const struct section_reading *reading, struct err *err)
{
    struct spec *spec = source_spec(reading->source, err), *own = spec ? source_spec(reading->source, err) : NULL;
    if (!own) {
        spec_destroy(spec);
        return -1;
    }
    struct search_memory *memory = MEM_NEW(struct search_memory);
    memory->spec = spec;
    memory->explaining = explaining_create(own);
    memory->improvements = json_array();
    memory->rungs.own = spec->early_stop && strcmp(json_text(spec->early_stop, "name"), "patience") == 0;
    memory->rungs.max_steps = (uint64_t)json_integer_value(json_object_get(spec->early_stop, "max_steps"));
    memory->rungs.maximize = spec_metrics(spec).items[0].maximize;
    learned_init(&memory->learned, spec);
    reading->memory->data = memory;
    reading->memory->free = free_memory;
    return 0;
}

/* --- reading --- */

/* A page of improvements; what was read before no longer holds when a person has said something of earlier trials. */
static int read_improvements(struct search_memory *memory, struct source *source, bool *more, struct err *err)
{
    size_t index;
    static const char *const members[] = {"told", "ended", "taken_back", "best"};
    json_t *arguments = memory->progress ? json_deep_copy(memory->progress) : json_object(), *row;
    json_object_set_new(arguments, "limit", json_integer(20000));
    json_t *answer = source_read(source, "improvements", arguments, err);
    if (!answer)
        return -1;
    bool anew = json_is_true(json_object_get(answer, "anew")) && memory->progress;
    if (anew) {
        json_array_clear(memory->improvements);
        memory->improved = 0;
        learned_fini(&memory->learned);
        learned_init(&memory->learned, memory->spec);
    }
    json_array_foreach(json_object_get(answer, "improvements"), index, row)
    {
        memory->improved++;
        json_array_append(memory->improvements, row);
        if (json_array_size(memory->improvements) > IMPROVEMENTS_KEPT)
            json_array_remove(memory->improvements, 0);
    }
    json_decref(memory->progress);
    memory->progress = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(memory->progress, members[i], json_object_get(answer, members[i]));
    *more = json_is_true(json_object_get(answer, "more"));
    json_decref(answer);
    return 0;
}

static int update_memory(struct search_memory *memory, struct source *source, struct err *err)
{
    bool more = true;
    for (int page = 0; page < PAGES && more; page++)
        if (read_improvements(memory, source, &more, err))
            return -1;
    if (learned_update(&memory->learned, source, memory->spec, err) ||
        (memory->spec->early_stop && rungs_update(&memory->rungs, source, err)))
        return -1;
    explaining_update(memory->explaining, &memory->learned, !source_lives(source));
    return 0;
}

/* --- parameters and points --- */

static json_t *param_end(const struct gannet_host *host, const struct gannet_param *param, uint32_t index, double unit)
{
    double natural = host->natural(host, index, unit);
    if (param->choices)
        return json_of_text(param->choices[natural > 0 && natural < (double)param->levels ? (uint64_t)natural : 0]);
    return json_of_real(natural);
}

static json_t *params_json(const struct spec *spec)
{
    const struct gannet_space *space = space_public(spec->space);
    const struct gannet_host *host = space_host(spec->space);
    json_t *list = json_array();
    for (uint32_t i = 0; i < space->count; i++) {
        const struct gannet_param *param = &space->params[i];
        json_t *choices = param->choices ? json_array() : json_null();
        for (uint64_t k = 0; param->choices && k < param->levels && k < 100; k++)
            json_array_append_new(choices, json_of_text(param->choices[k]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:b, s:o, s:I}", "name", json_of_text(param->name),
                                              "low", param_end(host, param, i, 0), "high", param_end(host, param, i, 1),
                                              "log", (int)param->log, "choices", choices, "values",
                                              (json_int_t)(param->choices ? param->levels : 0)));
    }
    return list;
}

static json_t *metrics_json(const struct metrics *metrics)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->items[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o}", "name", json_of_text(metric->name), "goal",
                            metric->objective ? json_string(metric->maximize ? "maximize" : "minimize") : json_null()));
    }
    return list;
}

/* The coordinate of the parameter that is wanted, or that matters most; 0 when neither is known. */
static uint32_t find_param(const struct spec *spec, const char *wanted, const json_t *importance)
{
    const struct gannet_space *space = space_public(spec->space);
    const char *most = json_text(json_array_get(json_object_get(importance, "parameters"), 0), "name");
    for (uint32_t i = 0; i < space->count; i++)
        if (strcmp(space->params[i].name, *wanted ? wanted : most) == 0)
            return i;
    return 0;
}

static json_t *point_json(const struct learned *learned, size_t at, uint32_t param)
{
    const struct learned_trial *trial = &learned->trials[at];
    const char *state = trial->failed ? "failed" : trial->completed ? "completed" : "stopped";
    double unit = learned->units[at * learned->dimension + param];
    return json_pack("[I, o, o, s, b]", (json_int_t)trial->trial, isnan(unit) ? json_null() : json_real(unit),
                     trial->has_value ? json_of_real(learned->values[at * learned->metrics]) : json_null(), state,
                     (int)trial->feasible);
}

static json_t *points_json(const struct learned *learned, const struct metrics *metrics, uint32_t param)
{
    json_t *list = json_array();
    size_t step = learned->count / POINTS_MOST + 1, best = SIZE_MAX;
    for (size_t i = 0; i < learned->count; i++) {
        double value = learned->values[i * learned->metrics];
        bool better = best == SIZE_MAX || metric_loss(metrics->items, value) <
                                              metric_loss(metrics->items, learned->values[best * learned->metrics]);
        if (learned_counts(&learned->trials[i]) && isfinite(value) && better)
            best = i;
        if (i % step == 0)
            json_array_append_new(list, point_json(learned, i, param));
    }
    if (best != SIZE_MAX && best % step)
        json_array_append_new(list, point_json(learned, best, param));
    return list;
}

static json_t *front_json(const struct learned *learned, const struct metrics *metrics)
{
    json_t *list = json_array();
    for (size_t i = 0; i < learned->front.count && i < FRONT_MOST; i++) {
        size_t at = learned->front.items[i];
        json_t *one = json_array();
        json_array_append_new(one, json_integer((json_int_t)learned->trials[at].trial));
        for (uint32_t k = 0; k < metrics->count; k++)
            if (metrics->items[k].objective)
                json_array_append_new(one, json_of_real(learned->values[at * metrics->count + k]));
        json_array_append_new(list, one);
    }
    return list;
}

/* --- what the strategy does --- */

static void add_sentence(json_t *sentences, struct buf *line)
{
    json_array_append_new(sentences, json_of_text(buf_str(line)));
    buf_clear(line);
}

/* A whole number that an option is set to, or has by default; negative: there is no such option. */
static double option_of(const struct spec *spec, const char *name)
{
    const struct gannet_strategy *strategy = registry_find(spec->strategy.name);
    double number;
    if (json_number(spec->strategy.options, name, &number))
        return number;
    for (const struct gannet_option *option = strategy ? strategy->options : NULL; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option->default_value ? strtod(option->default_value, NULL) : -1;
    return -1;
}

static void say_strategy(const struct spec *spec, json_t *sentences, struct buf *line)
{
    const struct gannet_strategy *strategy = registry_find(spec->strategy.name);
    buf_format(line, "strategy: %s", spec->strategy.name);
    if (spec->strategy.plugin)
        buf_format(line, ", the plug-in %s", spec->strategy.plugin);
    else if (strategy && strategy->summary)
        buf_format(line, ": %s", strategy->summary);
    if (json_object_size(spec->strategy.options)) {
        buf_text(line, "; set: ");
        format_params(spec->strategy.options, " ", line);
    }
    add_sentence(sentences, line);
    if (strcmp(spec->strategy.name, "auto") == 0) {
        buf_format(line,
                   "method: for each trial drawn from the seed and the trial's number: gp (%.3g of %.3g), tpe (%.3g); "
                   "which one it was is not recorded",
                   option_of(spec, "gp"), option_of(spec, "gp") + option_of(spec, "tpe"), option_of(spec, "tpe"));
        add_sentence(sentences, line);
    }
}

/* Whether a model proposes already, as far as the options say when it begins. */
static void say_design(const struct spec *spec, uint64_t ended, json_t *sentences, struct buf *line)
{
    double startup = option_of(spec, "startup_trials");
    if (startup >= 1 && (double)ended < startup)
        buf_format(line,
                   "initial design: the model begins when %.0f trials have ended (startup_trials), %" PRIu64 " have",
                   startup, ended);
    else if (startup >= 1)
        buf_format(line, "the model proposes: the initial design of %.0f trials (startup_trials) is over", startup);
    else if (startup == 0 || strcmp(spec->strategy.name, "auto") == 0)
        buf_format(line,
                   "%s: the initial design takes 4 to 8 trials, by the number of parameters; %" PRIu64 " have ended",
                   ended < 8 ? "initial design or model" : "the model proposes", ended);
    else
        return;
    add_sentence(sentences, line);
}

static uint64_t number_at(const json_t *row, size_t at)
{
    return (uint64_t)json_integer_value(json_array_get(row, at));
}

static void say_proposals(const json_t *proposals, json_t *sentences, struct buf *line)
{
    const json_t *last = json_array_get(proposals, 0);
    if (!last)
        buf_text(line, "nothing has been proposed yet");
    else {
        buf_format(line, "last proposal: trial %" PRIu64 ", ", number_at(last, 0));
        if (json_is_true(json_array_get(last, 2)))
            buf_text(line, "a start point of the experiment file");
        else
            buf_format(line,
                       "made when the strategy had been told %" PRIu64
                       " results; why it chose this point is not recorded",
                       number_at(last, 1));
    }
    add_sentence(sentences, line);
}

static void say_progress(const struct search_memory *memory, uint64_t ended, json_t *sentences, struct buf *line)
{
    size_t count = json_array_size(memory->improvements);
    const json_t *last = json_array_get(memory->improvements, count - (count > 0));
    if (!last) {
        buf_text(line, "improvement: no trial has a value that counts yet");
    } else {
        uint64_t at = number_at(last, 0), since = ended > at ? ended - at : 0;
        buf_format(line,
                   "improvement: %" PRIu64 " so far; the last by trial %" PRIu64 ", when %" PRIu64
                   " trials had ended, %" PRIu64 " trials ago",
                   memory->improved, number_at(last, 3), at, since);
        if (since > ended / 2 && since > 20)
            buf_text(line, ": more than half of the search brought nothing better");
    }
    add_sentence(sentences, line);
}

static json_t *say_all(const struct search_memory *memory, const json_t *proposals)
{
    json_t *sentences = json_array();
    struct buf line = {0};
    uint64_t ended = (uint64_t)json_integer_value(json_object_get(memory->progress, "ended"));
    say_strategy(memory->spec, sentences, &line);
    say_progress(memory, ended, sentences, &line);
    say_design(memory->spec, ended, sentences, &line);
    say_proposals(proposals, sentences, &line);
    if (memory->spec->early_stop) {
        buf_text(&line, "early stopping: ");
        format_params(memory->spec->early_stop, " ", &line);
        buf_format(&line, "; it looked %" PRIu64 " times, and %zu trials wait at a rung", memory->rungs.looks,
                   memory->rungs.paused.count);
    } else
        buf_text(&line, "early stopping: none; every trial runs to its end");
    add_sentence(sentences, &line);
    buf_fini(&line);
    return sentences;
}

/* --- the whole --- */

static json_t *encode_search(struct search_memory *memory, const struct section_reading *reading,
                             const json_t *proposals)
{
    const struct wants *wants = reading->wants;
    bool runs;
    struct metrics metrics = spec_metrics(memory->spec);
    json_t *stopper = json_object_get(memory->spec->early_stop, "name");
    json_t *importance = explaining_take(memory->explaining, reading->source, &runs);
    uint32_t param = find_param(memory->spec, wants->parameter, importance);
    json_t *out = json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:I, s:o}", "metrics", metrics_json(&metrics), "parameters",
        params_json(memory->spec), "parameter", json_of_text(space_public(memory->spec->space)->params[param].name),
        "ended", (json_int_t)memory->learned.count, "every", (json_int_t)memory->learned.every, "explaining", (int)runs,
        "points", points_json(&memory->learned, &metrics, param), "front", front_json(&memory->learned, &metrics),
        "rungs", rungs_json(&memory->rungs), "improvements", json_copy(memory->improvements), "improved",
        (json_int_t)memory->improved, "sentences", say_all(memory, proposals));
    json_object_set_new(out, "importance", importance ? importance : json_null());
    json_object_set(out, "early_stop", stopper ? stopper : json_null());
    json_object_set_new(out, "beyond", json_integer((json_int_t)memory->rungs.elsewhere));
    return out;
}

json_t *section_search(const struct section_reading *reading, struct err *err)
{
    if (!reading->memory->data && begin_reading(reading, err))
        return NULL;
    struct search_memory *memory = reading->memory->data;
    if (update_memory(memory, reading->source, err))
        return NULL;
    reading->memory->more = memory->learned.more || memory->rungs.more;
    json_t *proposals = source_read(reading->source, "proposed", json_pack("{s:i}", "limit", 5), err),
           *out = proposals ? encode_search(memory, reading, proposals) : NULL;
    json_decref(proposals);
    return out;
}
