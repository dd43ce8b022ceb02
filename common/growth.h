/* How much more of something comes next: "x2" or "+4G" of an experiment file. */
#ifndef GANNET_COMMON_GROWTH_H
#define GANNET_COMMON_GROWTH_H

#include <stdbool.h>

/* One of the two is above 0, unless nothing grows. */
struct growth {
    double factor; /* so many times what there was; 0: an amount is added */
    double amount; /* bytes or seconds; 0: there is a factor */
};

static inline bool growth_is_given(struct growth growth)
{
    return growth.factor > 0 || growth.amount > 0;
}

/* What comes after `from`. */
static inline double growth_after(struct growth growth, double from)
{
    return growth.factor > 0 ? growth.factor * from : from + growth.amount;
}

#endif
