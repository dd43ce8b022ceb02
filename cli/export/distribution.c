/* Optuna's distributions; see distribution.h. */
#include "cli/export/distribution.h"
#include "cli/json.h"
#include "common/buf.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A normal distribution has no values beyond so many standard deviations (search/space.h). */
static const double reach = 5;

static char *text_of(const char *kind, json_t *attributes)
{
    struct buf text = {0};
    json_t *json = json_pack("{s:s, s:o}", "name", kind, "attributes", attributes);
    json_add(json, &text);
    json_decref(json);
    return buf_take(&text);
}

/* The largest value of a range in steps, in decimal digits as people write them: Optuna reckons with these, and warns
 * of a `high` that is no step (0 and three times 0.3 are 0.9, and not 0.8999999999999999). */
static double last_step(double low, double high, double step)
{
    char text[32];
    double last = low + floor((high - low) / step * (1 + 1e-12) + 1e-9) * step;
    if (fabs(last - high) <= 1e-9 * step)
        return high;
    snprintf(text, sizeof text, "%.12g", last);
    return strtod(text, NULL);
}

static json_t *whole(double number)
{
    return json_integer((json_int_t)llround(number));
}

static char *range_of(const json_t *parameter)
{
    double low = 0, high = 0, step = 0;
    bool log = json_is_true(json_object_get(parameter, "log"));
    bool is_int = strcmp(json_text(parameter, "kind"), "int") == 0;
    json_number(parameter, "min", &low);
    json_number(parameter, "max", &high);
    bool steps = json_number(parameter, "step", &step) && step > 0 && !log;
    if (steps)
        high = last_step(low, high, step);
    if (is_int)
        return text_of("IntDistribution",
                       json_pack("{s:b, s:o, s:o, s:o}", "log", log, "step", steps ? whole(step) : json_integer(1),
                                 "low", whole(low), "high", whole(high)));
    return text_of("FloatDistribution", json_pack("{s:o, s:f, s:f, s:b}", "step", steps ? json_real(step) : json_null(),
                                                  "low", low, "high", high, "log", log));
}

static char *normal_of(const json_t *parameter)
{
    double mean = 0, stddev = 0, min = -INFINITY, max = INFINITY;
    bool log = json_is_true(json_object_get(parameter, "log"));
    json_number(parameter, "mean", &mean);
    json_number(parameter, "stddev", &stddev);
    json_number(parameter, "min", &min);
    json_number(parameter, "max", &max);
    double low = mean - reach * stddev, high = mean + reach * stddev;
    low = fmax(min, log ? exp(low) : low);
    high = fmin(max, log ? exp(high) : high);
    return text_of("FloatDistribution",
                   json_pack("{s:n, s:f, s:f, s:b}", "step", "low", low, "high", high, "log", log));
}

/* Optuna's choices are null, numbers, texts, true and false. */
static json_t *choice_of(json_t *value)
{
    if (!json_is_array(value) && !json_is_object(value))
        return json_incref(value);
    struct buf text = {0};
    json_add(value, &text);
    json_t *choice = json_string(buf_str(&text));
    buf_fini(&text);
    return choice;
}

static char *choices_of(const json_t *values)
{
    size_t index;
    json_t *value, *choices = json_array();
    json_array_foreach((json_t *)values, index, value) json_array_append_new(choices, choice_of(value));
    return text_of("CategoricalDistribution", json_pack("{s:o}", "choices", choices));
}

void distribution_init(struct optuna_distribution *distribution, const json_t *parameter)
{
    const char *kind = json_text(parameter, "kind");
    *distribution = (struct optuna_distribution){.name = mem_text(json_text(parameter, "name"))};
    if (strcmp(kind, "choice") == 0)
        distribution->values = json_incref(json_object_get(parameter, "values"));
    else if (strcmp(kind, "constant") == 0)
        distribution->values = json_pack("[O]", json_object_get(parameter, "value"));
    if (distribution->values)
        distribution->text = choices_of(distribution->values);
    else
        distribution->text = strcmp(kind, "normal") == 0 ? normal_of(parameter) : range_of(parameter);
}

void distribution_fini(struct optuna_distribution *distribution)
{
    free(distribution->name);
    free(distribution->text);
    json_decref(distribution->values);
    *distribution = (struct optuna_distribution){0};
}

/* 1 and 1.0 are the same. */
static bool is_same(const json_t *a, const json_t *b)
{
    return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b) : json_equal(a, b);
}

bool distribution_number(const struct optuna_distribution *distribution, const json_t *value, double *number)
{
    size_t index;
    const json_t *choice;
    *number = json_number_value(value);
    if (!distribution->values)
        return json_is_number(value) && isfinite(*number);
    json_array_foreach(distribution->values, index, choice)
    {
        *number = (double)index;
        if (is_same(choice, value))
            return true;
    }
    return false;
}
