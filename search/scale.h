/* The scale of one searched parameter: how its unit coordinate, 0..1, maps to its natural number and back. The natural
 * number is the value itself, or of a choice its index. What is equally long in the unit coordinate is equally
 * probable.
 *
 * A scale with levels has finitely many values; the canonical coordinate of a value is the middle of its level. One
 * without is continuous; its values are decimals (see decimal.h), and the canonical coordinate is the value's own.
 * Either way scale_natural(scale_unit(v)) is v for every value v that scale_natural can give. */
#ifndef GANNET_SEARCH_SCALE_H
#define GANNET_SEARCH_SCALE_H

#include "search/space.h"

#include <stdbool.h>
#include <stdint.h>

enum scale_kind { SCALE_LINEAR, SCALE_LOG, SCALE_NORMAL, SCALE_LOG_NORMAL };

struct param_scale {
    enum scale_kind axis;
    double min, max;     /* the natural numbers at the ends */
    uint64_t levels;     /* 0: continuous */
    double step;         /* between levels */
    bool whole;          /* the natural numbers are integers */
    bool relative;       /* `exponent` counts from a number's first digit */
    int exponent;        /* values are multiples of 10^exponent */
    double mean, stddev; /* of a normal axis */
    double low, width;   /* the axis runs from low to low + width */
    double *edges;       /* levels + 1 bounds in 0..1 where choices have weights; else NULL */
};

/* For a checked parameter that is no constant. */
void scale_init(struct param_scale *scale, const struct param *param);
void scale_fini(struct param_scale *scale);

/* The natural number at a coordinate; anything outside 0..1 is taken to the end, NaN to 0. */
double scale_natural(const struct param_scale *scale, double unit);

/* The canonical coordinate of the nearest value; NaN is taken to the lowest. */
double scale_unit(const struct param_scale *scale, double natural);

/* Of scales with levels: which level a coordinate is in, the middle of a level, and its natural number. */
uint64_t scale_level(const struct param_scale *scale, double unit);
double scale_middle(const struct param_scale *scale, uint64_t level);
double scale_at(const struct param_scale *scale, uint64_t level);

#endif
