/* What changed between two specs, and whether a search may go on with the change: limits, resources, description and
 * tags may change when an experiment is resumed; everything else would make it another search. */
#ifndef GANNET_SCHEDULER_SPEC_SPEC_COMPARE_H
#define GANNET_SCHEDULER_SPEC_SPEC_COMPARE_H

#include "scheduler/spec/spec.h"

/* One key in which two specs differ. */
struct spec_change {
    char *key;      /* dotted: "limits.max_trials", "parameters.lr" */
    char *was, *is; /* the values as spec_write writes them; NULL: not given */
    bool on_resume; /* may differ when an experiment is resumed */
};

struct spec_changes {
    struct spec_change *items;
    size_t count, capacity;
    size_t forbidden; /* how many of them may not differ on resume */
};

void spec_changes_fini(struct spec_changes *changes);

/* Adds every key whose resolved value differs to *changes ({0} before the first call), in the order of the table of
 * keys. A seed that `is` leaves open is no difference. */
void spec_difference(const struct spec *was, const struct spec *is, struct spec_changes *changes);

/* Gives `into` the values of `from` in all keys that may change on resume; `from` holds the old ones afterwards. */
void spec_adopt(struct spec *into, struct spec *from);

#endif
