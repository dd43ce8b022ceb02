/* What a place can show, and small drawings; see look.h. */
#include "cli/look.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_COLUMNS = 80 };

static bool is_set(const char *text)
{
    return text && *text;
}

static bool wants_colour(const struct look_facts *facts, bool capable)
{
    if (facts->when && strcmp(facts->when, "always") == 0)
        return true;
    if (facts->plain || (facts->when && strcmp(facts->when, "never") == 0) || is_set(facts->no_color))
        return false;
    if (is_set(facts->force) && strcmp(facts->force, "0") != 0)
        return true;
    return capable;
}

/* A whole number of columns that a terminal may have; anything else says nothing. */
static unsigned read_columns(const char *text)
{
    enum { MOST = 10000 };
    char *end = NULL;
    unsigned long columns = is_set(text) && isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    return end && !*end && columns <= MOST ? (unsigned)columns : 0;
}

struct look look_decide(const struct look_facts *facts)
{
    bool capable = facts->terminal && is_set(facts->term) && strcmp(facts->term, "dumb") != 0;
    unsigned wanted = read_columns(facts->wanted);
    return (struct look){.colour = wants_colour(facts, capable),
                         .unicode = facts->utf8 && !facts->plain,
                         .live = capable && !facts->plain,
                         .width = !facts->terminal ? 0
                                  : facts->columns ? facts->columns
                                  : wanted         ? wanted
                                                   : USUAL_COLUMNS,
                         .wanted = wanted};
}

unsigned look_columns(const struct look *look, unsigned usual)
{
    return look->width ? look->width : look->wanted ? look->wanted : usual;
}

void look_add(const struct look *look, enum tint tint, const char *text, struct buf *out)
{
    static const char *const codes[] = {
        [TINT_NONE] = "",    [TINT_STRONG] = "1", [TINT_QUIET] = "2", [TINT_GOOD] = "32",
        [TINT_BAD] = "1;31", [TINT_BUSY] = "34",  [TINT_WARN] = "33"};
    if (look->colour && tint != TINT_NONE)
        buf_format(out, "\033[%sm%s\033[0m", codes[tint], text);
    else
        buf_text(out, text);
}

void look_heading(const struct look *look, const char *heading, struct buf *out)
{
    buf_text(out, "\n");
    look_add(look, TINT_STRONG, heading, out);
    buf_text(out, "\n");
}

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
