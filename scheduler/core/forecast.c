/* Forecasts of durations; see forecast.h.
 *
 *     n   durations that are remembered, at most MOST
 *     p   columns that a configuration is seen by, at most COLUMNS: a parameter that is a number is one column, its
 *         logarithm where the values are all above zero; a choice is a column of ones and zeros for each of its values
 *
 * Fitted anew when a tenth more durations have come: n p^2 = 200 * 24^2 multiplications, about 0.1 ms. */
#include "scheduler/core/forecast.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 200,
    COLUMNS = 24,
    ENOUGH = 4 /* durations for each column, below which a regression would say more than it knows */
};

#define QUANTILE 0.9
#define RIDGE    0.1 /* added to the sums of squares, which are about n */
#define BETTER   0.8 /* the regression has to have at most so much of the plain spread */

struct duration {
    struct configuration *configuration;
    double log_seconds;
};

/* What a configuration is seen by. */
struct feature {
    uint64_t name;   /* the hash of the parameter's name */
    uint64_t choice; /* the hash of the choice that it is 1 for; 0: the parameter is a number */
    size_t hint;     /* where configurations have the parameter as a rule */
    bool log;        /* the logarithm of the number is taken */
    double mean, scale;
};

struct forecast {
    struct duration durations[MOST];
    uint64_t learned; /* durations in all; the last MOST are kept */
    uint64_t fitted;  /* as many as the fit below knew; 0: there is none */
    uint64_t version;
    struct feature columns[COLUMNS];
    size_t column_count;     /* 0: the plain forecast */
    double mean;             /* of the logarithms */
    double weights[COLUMNS]; /* what each column adds to the mean */
    double above;            /* the quantile of what is missing to mean and columns */
};

static size_t count_of(const struct forecast *forecast)
{
    return forecast->learned < MOST ? (size_t)forecast->learned : MOST;
}

struct forecast *forecast_create(void)
{
    return MEM_NEW(struct forecast);
}

void forecast_destroy(struct forecast *forecast)
{
    if (!forecast)
        return;
    for (size_t i = 0; i < MOST; i++)
        free(forecast->durations[i].configuration);
    free(forecast);
}

uint64_t forecast_version(const struct forecast *forecast)
{
    return forecast->version;
}

/* --- configurations as numbers --- */

/* Adds the column that this parameter, the so-manieth of its configuration, needs and that is not there yet, as far as
 * there is room. */
static void add_column(struct forecast *forecast, const struct configuration_value *value, size_t hint)
{
    for (size_t i = 0; i < forecast->column_count; i++) {
        struct feature *column = &forecast->columns[i];
        if (column->name == value->name && column->choice == value->choice) {
            column->log &= value->number > 0;
            return;
        }
    }
    if (forecast->column_count < COLUMNS)
        forecast->columns[forecast->column_count++] = (struct feature){
            .name = value->name, .choice = value->choice, .hint = hint, .log = value->number > 0, .scale = 1};
}

/* The configuration in a column; NaN: the parameter is not there. */
static double value_in_column(const struct feature *column, const struct configuration *configuration)
{
    const struct configuration_value *value = configuration_find(configuration, column->name, column->hint);
    if (!value)
        return NAN;
    if (!column->choice)
        return column->log ? log(value->number) : value->number;
    return value->choice == column->choice;
}

/* The same with mean 0 and variance 1; what is not there is as the mean. */
static double see_scaled(const struct feature *column, const struct configuration *configuration)
{
    double value = (value_in_column(column, configuration) - column->mean) / column->scale;
    return isfinite(value) ? value : 0;
}

/* Finds the mean and the deviation of a column. */
static void scale_feature(struct feature *column, size_t n, const struct duration *durations)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double value = value_in_column(column, durations[i].configuration);
        if (!isfinite(value))
            continue;
        count++;
        sum += value;
        squares += value * value;
    }
    column->mean = count > 0 ? sum / count : 0;
    double variance = count > 0 ? squares / count - column->mean * column->mean : 0;
    column->scale = variance > 1e-12 ? sqrt(variance) : 1;
}

/* Fills rows[n][p] with the columns of all configurations. */
static void make_rows(struct forecast *forecast, size_t n, double (*rows)[COLUMNS])
{
    forecast->column_count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct configuration *configuration = forecast->durations[i].configuration;
        for (size_t k = 0; k < configuration->count; k++)
            add_column(forecast, &configuration->values[k], k);
    }
    for (size_t j = 0; j < forecast->column_count; j++) {
        scale_feature(&forecast->columns[j], n, forecast->durations);
        for (size_t i = 0; i < n; i++)
            rows[i][j] = see_scaled(&forecast->columns[j], forecast->durations[i].configuration);
    }
}

/* --- the fit --- */

/* The Cholesky factor of X'X + RIDGE, in place of its lower half. */
static void factor_matrix(size_t n, size_t p, double (*rows)[COLUMNS], double matrix[COLUMNS][COLUMNS])
{
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k <= j; k++) {
            double sum = j == k ? RIDGE : 0;
            for (size_t i = 0; i < n; i++)
                sum += rows[i][j] * rows[i][k];
            for (size_t m = 0; m < k; m++)
                sum -= matrix[j][m] * matrix[k][m];
            matrix[j][k] = j == k ? sqrt(fmax(sum, RIDGE / 2)) : sum / matrix[k][k];
        }
}

/* Solves matrix matrix' x = x in place. */
static void solve_factored(size_t p, double matrix[COLUMNS][COLUMNS], double *x)
{
    for (size_t j = 0; j < p; j++) {
        for (size_t k = 0; k < j; k++)
            x[j] -= matrix[j][k] * x[k];
        x[j] /= matrix[j][j];
    }
    for (size_t j = p; j-- > 0;) {
        for (size_t k = j + 1; k < p; k++)
            x[j] -= matrix[k][j] * x[k];
        x[j] /= matrix[j][j];
    }
}

static double inner_product(size_t p, const double *a, const double *b)
{
    double sum = 0;
    for (size_t j = 0; j < p; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Fits the weights. What is missing of each duration when it is foretold from all others: its residual, divided by 1
 * minus its leverage 1/n + x' (X'X + RIDGE)^-1 x. */
static void fit_weights(struct forecast *forecast, size_t n, double (*rows)[COLUMNS], double *missing)
{
    size_t p = forecast->column_count;
    double matrix[COLUMNS][COLUMNS], solved[COLUMNS];
    factor_matrix(n, p, rows, matrix);
    memset(forecast->weights, 0, sizeof forecast->weights);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++)
            forecast->weights[j] += rows[i][j] * (forecast->durations[i].log_seconds - forecast->mean);
    solve_factored(p, matrix, forecast->weights);
    for (size_t i = 0; i < n; i++) {
        memcpy(solved, rows[i], p * sizeof *solved);
        solve_factored(p, matrix, solved);
        double leverage = fmin(1 / (double)n + inner_product(p, rows[i], solved), 0.95);
        double residual =
            forecast->durations[i].log_seconds - forecast->mean - inner_product(p, rows[i], forecast->weights);
        missing[i] = residual / (1 - leverage);
    }
}

static double square_sum(size_t n, const double *values)
{
    return inner_product(n, values, values);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The quantile of the next one, of which n have been seen; with few of them a distance above the greatest, which
 * shrinks as they get more. Sorts them. */
static double upper_quantile(size_t n, double *values)
{
    qsort(values, n, sizeof *values, by_value);
    size_t place = (size_t)ceil(QUANTILE * (double)(n + 1));
    return place <= n ? values[place - 1] : values[n - 1] + log1p(1 / (double)n);
}

static void fit_forecast(struct forecast *forecast)
{
    size_t n = count_of(forecast);
    double plain[MOST], missing[MOST];
    forecast->mean = 0;
    for (size_t i = 0; i < n; i++)
        forecast->mean += forecast->durations[i].log_seconds / (double)n;
    for (size_t i = 0; i < n; i++)
        plain[i] = (forecast->durations[i].log_seconds - forecast->mean) * (n > 1 ? (double)n / (double)(n - 1) : 1);
    double(*rows)[COLUMNS] = mem_resize(NULL, MOST, sizeof *rows);
    make_rows(forecast, n, rows);
    bool enough = n >= ENOUGH * (forecast->column_count + 1);
    if (enough && forecast->column_count)
        fit_weights(forecast, n, rows, missing);
    if (!enough || square_sum(n, missing) > BETTER * BETTER * square_sum(n, plain))
        forecast->column_count = 0;
    forecast->above = upper_quantile(n, forecast->column_count ? missing : plain);
    free(rows);
    forecast->fitted = forecast->learned;
    forecast->version++;
}

void forecast_learn(struct forecast *forecast, const char *params, double seconds)
{
    enum { LEAST = 1000 }; /* a second's parts: what is shorter is as long */
    struct duration *duration = &forecast->durations[forecast->learned++ % MOST];
    free(duration->configuration);
    duration->configuration = configuration_read(params);
    duration->log_seconds = log(fmax(seconds, 1.0 / (double)LEAST));
    if (forecast->learned - forecast->fitted > forecast->fitted / 10)
        fit_forecast(forecast);
}

double forecast_seconds(const struct forecast *forecast, const struct configuration *configuration)
{
    if (!forecast->learned)
        return -1;
    double log_seconds = forecast->mean + forecast->above;
    for (size_t j = 0; configuration && j < forecast->column_count; j++)
        log_seconds += forecast->weights[j] * see_scaled(&forecast->columns[j], configuration);
    return exp(log_seconds);
}
