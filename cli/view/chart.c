/* Small drawings; see chart.h. */
#include "cli/view/chart.h"

#include <math.h>

/* From low to high. */
static const char *const block_levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_levels[] = {"_", ".", "-", "~", "=", "*", "%", "#"};
enum { LEVELS = 8 };

static double clamped_share(double share)
{
    return share > 0 ? fmin(share, 1) : 0; /* NaN is not above 0 */
}

void chart_bar(const struct look *look, double share, size_t width, struct buf *out)
{
    size_t filled = (size_t)lround(clamped_share(share) * (double)width);
    for (size_t i = 0; i < width; i++)
        if (i < filled)
            buf_text(out, look->unicode ? "█" : "#");
        else
            buf_text(out, look->unicode ? "░" : ".");
}

/* The mean of the finite numbers that fall into column `at` of `width`; NaN when there is none. */
static double mean_at(const double *numbers, size_t count, size_t at, size_t width)
{
    size_t first = at * count / width, last = (at + 1) * count / width;
    double sum = 0;
    size_t finite = 0;
    for (size_t i = first; i < last || i == first; i++)
        if (isfinite(numbers[i])) {
            sum += numbers[i];
            finite++;
        }
    return finite ? sum / (double)finite : NAN;
}

void chart_line(const struct look *look, const double *numbers, size_t count, size_t width, struct buf *out)
{
    width = count < width ? count : width;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < width; i++) {
        double mean = mean_at(numbers, count, i, width);
        low = fmin(low, mean);
        high = fmax(high, mean);
    }
    for (size_t i = 0; i < width; i++) {
        double mean = mean_at(numbers, count, i, width);
        int level = high > low && isfinite(mean) ? (int)lround((mean - low) / (high - low) * (LEVELS - 1)) : 0;
        buf_text(out, !isfinite(mean) ? " " : look->unicode ? block_levels[level] : ascii_levels[level]);
    }
}
