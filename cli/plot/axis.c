/* Axes and their ticks; see axis.h. */
#include "cli/plot/axis.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these, ends and their margins would be no numbers. */
static const double least = 1e-300, greatest = 1e300;

struct axis axis_of(double low, double high, enum axis_scale scale)
{
    if (!isfinite(low) || !isfinite(high)) {
        bool one = isfinite(low) || isfinite(high);
        double value = isfinite(low) ? low : high;
        low = one ? value : scale == AXIS_LOG ? 0.1 : 0;
        high = one ? value : 1;
    }
    if (low > high)
        return axis_of(high, low, scale);
    if (scale == AXIS_LOG && !(low > 0))
        scale = AXIS_LINEAR;
    low = fmax(fmin(low, greatest), scale == AXIS_LOG ? least : -greatest);
    high = fmax(fmin(high, greatest), low);
    double width = high - low;
    if (width > 1e-12 * fmax(fabs(low), fabs(high)))
        return (struct axis){low, high, scale};
    if (scale == AXIS_LOG)
        return (struct axis){low / 2, high * 2, scale};
    double around = low != 0 ? fmax(fabs(low) / 10, least) : 0.5;
    return (struct axis){scale == AXIS_SECONDS && low >= 0 ? fmax(0, low - around) : low - around, high + around,
                         scale};
}

struct axis axis_widen(struct axis axis, double margin)
{
    if (axis.scale == AXIS_LOG) {
        double factor = pow(axis.high / axis.low, margin);
        double low = axis.low / factor, high = axis.high * factor;
        return low > 0 && isfinite(high) ? (struct axis){low, high, axis.scale} : axis;
    }
    double more = (axis.high - axis.low) * margin;
    return isfinite(more) ? (struct axis){axis.low - more, axis.high + more, axis.scale} : axis;
}

static int compare_numbers(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Leaves out the worst tenth when it makes the axis more than four times as long as the others need. The numbers are
 * losses: smaller is better. */
static double worst_shown(const double *sorted, size_t count)
{
    double best = sorted[0], usual = sorted[(count - 1) * 9 / 10], worst = sorted[count - 1];
    return count >= 10 && worst - best > 4 * (usual - best) && usual > best ? usual + (usual - best) / 2 : worst;
}

/* Orders of magnitude, all positive. */
static bool is_wide(const double *sorted, size_t count)
{
    double low = sorted[0], middle = sorted[count / 2], high = sorted[count - 1];
    return low > 0 && high / low > 50 && middle / low > 3;
}

struct axis axis_of_values(const double *values, size_t count, bool maximize, size_t *beyond)
{
    double *sorted = MEM_ARRAY(double, count + 1);
    size_t finite = 0;
    *beyond = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            sorted[finite++] = maximize ? -values[i] : values[i];
    struct axis axis = axis_of(NAN, NAN, AXIS_LINEAR);
    if (finite) {
        qsort(sorted, finite, sizeof *sorted, compare_numbers);
        bool wide = !maximize && is_wide(sorted, finite);
        double best = sorted[0], worst = wide ? sorted[finite - 1] : worst_shown(sorted, finite);
        for (size_t i = finite; i > 0 && sorted[i - 1] > worst; i--)
            ++*beyond;
        axis = axis_of(maximize ? -worst : best, maximize ? -best : worst, wide ? AXIS_LOG : AXIS_LINEAR);
    }
    free(sorted);
    return axis_widen(axis, 0.04);
}

double axis_place(const struct axis *axis, double value)
{
    if (axis->scale != AXIS_LOG) /* halves, so that no difference is too large */
        return (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2);
    return value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : NAN;
}

double axis_value(const struct axis *axis, double place)
{
    if (axis->scale == AXIS_LOG)
        return axis->low * pow(axis->high / axis->low, place);
    return axis->low + place * (axis->high - axis->low);
}

/* --- labels --- */

void axis_label(double value, char *out, size_t size)
{
    char number[32];
    snprintf(number, sizeof number, "%.4g", value == 0 ? 0.0 : value);
    char *exponent = strchr(number, 'e');
    if (!exponent)
        snprintf(out, size, "%s", number);
    else
        snprintf(out, size, "%.*se%d", (int)(exponent - number), number, atoi(exponent + 1));
}

/* With as many digits as the step between two has. */
static void label_step(double value, double step, char *out, size_t size)
{
    double largest = fmax(fabs(value), step);
    int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    if (largest >= 1e6 || step < 1e-4) {
        int digits = (int)fmin(15, fmax(1, 1 + floor(log10(largest)) - floor(log10(step) + 1e-9)));
        char number[40];
        snprintf(number, sizeof number, "%.*g", digits, fabs(value) < step / 2 ? 0.0 : value);
        char *exponent = strchr(number, 'e');
        if (exponent)
            snprintf(out, size, "%.*se%d", (int)(exponent - number), number, atoi(exponent + 1));
        else
            snprintf(out, size, "%s", number);
    } else
        snprintf(out, size, "%.*f", decimals, fabs(value) < step / 2 ? 0.0 : value);
}

static void label_seconds(double value, double step, char *out, size_t size)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t unit = 0;
    while (unit < 3 && step < units[unit].seconds)
        unit++;
    char number[20];
    if (value == 0) {
        snprintf(out, size, "0");
        return;
    }
    label_step(value / units[unit].seconds, step / units[unit].seconds, number, sizeof number);
    snprintf(out, size, "%s %s", number, units[unit].name);
}

/* --- round values --- */

/* The least of 1, 2, 5, 10 times a power of ten that is not below it. */
static double round_up(double step)
{
    double power = pow(10, floor(log10(step))), digits = step / power;
    return power * (digits <= 1 + 1e-9 ? 1 : digits <= 2 + 1e-9 ? 2 : digits <= 5 + 1e-9 ? 5 : 10);
}

/* The same of times: minutes and hours are divided as clocks are, days and parts of seconds by tens. */
static double round_seconds(double step)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    if (step <= 1)
        return round_up(step);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (step <= steps[i] * (1 + 1e-9))
            return steps[i];
    return 86400 * round_up(step / 86400);
}

static double next_step(const struct axis *axis, double step)
{
    return axis->scale == AXIS_SECONDS ? round_seconds(step) : round_up(step);
}

static size_t linear_ticks(const struct axis *axis, size_t most, struct tick *out)
{
    double step = next_step(axis, (axis->high - axis->low) / (double)most);
    if (!(step > 0) || !isfinite(step))
        return 0;
    while (floor(axis->high / step + 1e-9) - ceil(axis->low / step - 1e-9) + 1 > (double)most)
        step = next_step(axis, step * 1.01);
    size_t count = 0;
    double first = ceil(axis->low / step - 1e-9);
    for (; count < most && (first + (double)count) * step <= axis->high + 1e-9 * step; count++) {
        double value = (first + (double)count) * step;
        out[count].value = fmin(fmax(value == 0 ? 0 : value, axis->low), axis->high);
        (axis->scale == AXIS_SECONDS ? label_seconds : label_step)(value, step, out[count].label,
                                                                   sizeof out[count].label);
    }
    return count;
}

/* The digits before powers of ten at which there are ticks: the closest ones first. */
static const struct {
    size_t count;
    double digits[3];
} digit_sets[] = {{3, {1, 2, 5}}, {2, {1, 3}}, {1, {1}}};
enum { DIGIT_SETS = sizeof digit_sets / sizeof *digit_sets };

/* Powers of ten, all or every second, third, ..., times these digits: at most `most`. How many there would be. */
static size_t power_ticks(const struct axis *axis, size_t set, int every, size_t most, struct tick *out)
{
    int first = (int)floor(log10(axis->low)) - 1, last = (int)floor(log10(axis->high) + 1e-9);
    size_t count = 0;
    for (int power = first + (every - first % every) % every; power <= last; power += every)
        for (size_t i = 0; i < digit_sets[set].count; i++) {
            double value = digit_sets[set].digits[i] * pow(10, power);
            if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9))
                continue;
            if (count < most) {
                out[count].value = fmin(fmax(value, axis->low), axis->high);
                axis_label(value, out[count].label, sizeof out->label);
            }
            count++;
        }
    return count;
}

/* What is shorter than a decade is as a linear axis. */
static size_t log_ticks(const struct axis *axis, size_t most, struct tick *out)
{
    static const int steps[] = {1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500};
    size_t count;
    if (log10(axis->high / axis->low) < 1)
        return linear_ticks(axis, most, out);
    for (size_t set = 0; set < DIGIT_SETS; set++)
        if ((count = power_ticks(axis, set, 1, most, out)) <= most)
            return count;
    for (size_t i = 1; i < sizeof steps / sizeof *steps; i++)
        if ((count = power_ticks(axis, DIGIT_SETS - 1, steps[i], most, out)) <= most)
            return count;
    return 0;
}

size_t axis_ticks(const struct axis *axis, size_t most, struct tick *out)
{
    if (most == 0)
        return 0;
    return (axis->scale == AXIS_LOG ? log_ticks : linear_ticks)(axis, most, out);
}

size_t axis_whole_ticks(const struct axis *axis, size_t most, struct tick *out)
{
    size_t count = axis_ticks(axis, most, out), whole = 0;
    for (size_t i = 0; i < count; i++) {
        double value = out[i].value, nearest = round(value);
        if (fabs(value - nearest) > 1e-9 * fmax(1, fabs(value)))
            continue;
        out[whole] = out[i];
        if (fabs(value) < 1e6)
            snprintf(out[whole].label, sizeof out->label, "%.0f", nearest);
        whole++;
    }
    return whole;
}
