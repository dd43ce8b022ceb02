/* An axis: where a value lies between two ends, on a linear or a logarithmic scale, and the round values that are
 * written along it. Pure. */
#ifndef GANNET_CLI_PLOT_AXIS_H
#define GANNET_CLI_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum axis_scale {
    AXIS_LINEAR,
    AXIS_LOG,    /* of positive values */
    AXIS_SECONDS /* linear; labels are "30 s", "5 min", "2 h" */
};

struct axis {
    double low, high; /* low < high; of a logarithmic one both are positive */
    enum axis_scale scale;
};

/* The axis from the least to the greatest of some values, which may be equal, or no numbers: then it has some width
 * around them. A logarithmic one of values that are not positive becomes linear. */
struct axis axis_of(double low, double high, enum axis_scale scale);

/* The same with a margin on both sides: a share of its length. */
struct axis axis_widen(struct axis axis, double margin);

/* The axis of some values, NaN counting for nothing, with a margin: logarithmic where they differ by orders of
 * magnitude, without the few that are far worse than nearly all. `maximize`: the worse ones are the lower ones.
 * *beyond: how many are not on it. */
struct axis axis_of_values(const double *values, size_t count, bool maximize, size_t *beyond);

/* Where a value lies: 0 at the low end, 1 at the high one, beyond them outside; NaN of what has no place. The way back.
 */
double axis_place(const struct axis *axis, double value);
double axis_value(const struct axis *axis, double place);

/* A round value and its label, of ASCII. */
struct tick {
    double value;
    char label[24];
};

/* At most `most` of them, in their order, all within the axis; there are few of a very short one, but for 0 not none
 * where there is a round value. Returns how many. */
size_t axis_ticks(const struct axis *axis, size_t most, struct tick *out);

/* The same of an axis on which only whole numbers mean something. */
size_t axis_whole_ticks(const struct axis *axis, size_t most, struct tick *out);

/* A number as labels write it: few digits, "1e-5" and not "1e-05". */
void axis_label(double value, char *out, size_t size);

#endif
