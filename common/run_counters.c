/* The counters of a run; see run_counters.h. */
#include "common/run_counters.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum counter_sum { SUM, MOST, LAST };

static const struct {
    const char *name, *unit, *help;
    double scale;
    enum counter_sum sum;
} rows[] = {
#define X(ID, name, unit, scale, sum, help) {name, unit, help, scale, sum},
    RUN_COUNTERS(X)
#undef X
};

const char *run_counter_name(enum run_counter counter)
{
    assert(counter < RUN_COUNTERS_COUNT);
    return rows[counter].name;
}

const char *run_counter_unit(enum run_counter counter)
{
    assert(counter < RUN_COUNTERS_COUNT);
    return rows[counter].unit;
}

const char *run_counter_help(enum run_counter counter)
{
    assert(counter < RUN_COUNTERS_COUNT);
    return rows[counter].help;
}

double run_counter_scale(enum run_counter counter)
{
    assert(counter < RUN_COUNTERS_COUNT);
    return rows[counter].scale;
}

int run_counter_named(const char *name)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (strcmp(name, rows[i].name) == 0)
            return i;
    return -1;
}

void run_counters_clear(struct run_counters *counters)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        counters->values[i] = NAN;
}

bool run_counters_any(const struct run_counters *counters)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        if (!isnan(counters->values[i]))
            return true;
    return false;
}

double run_counters_energy(const struct run_counters *counters)
{
    static const enum run_counter parts[] = {COUNT_ENERGY_PROCESSORS, COUNT_ENERGY_MEMORY, COUNT_ENERGY_GPUS};
    double sum = NAN;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double value = counters->values[parts[i]];
        if (run_counter_is_sane(parts[i], value))
            sum = (isnan(sum) ? 0 : sum) + value;
    }
    return sum;
}

static double merge_values(enum counter_sum sum, double one, double more)
{
    if (isnan(one) || isnan(more))
        return isnan(more) ? one : more;
    return sum == SUM ? one + more : sum == MOST ? fmax(one, more) : more;
}

void run_counters_merge(struct run_counters *sum, const struct run_counters *more)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        sum->values[i] = merge_values(rows[i].sum, sum->values[i], more->values[i]);
}

void run_counters_add(struct run_counters *sum, const struct run_counters *more)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        sum->values[i] += more->values[i]; /* NaN stays */
}

void run_counters_since(const struct run_counters *before, const struct run_counters *after, struct run_counters *out)
{
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++) {
        double grown = after->values[i] - before->values[i];
        out->values[i] = rows[i].sum != SUM ? after->values[i] : grown < 0 ? 0 : grown;
    }
}

bool run_counter_is_sane(enum run_counter counter, double value)
{
    return value >= 0 && value * run_counter_scale(counter) <= RUN_COUNTER_MOST;
}
