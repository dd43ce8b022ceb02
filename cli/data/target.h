/* What a person names on a command line: an experiment, or one of its trials: "digits/12", "digits 12", "12" (of the
 * last experiment), "digits/best". */
#ifndef GANNET_CLI_DATA_TARGET_H
#define GANNET_CLI_DATA_TARGET_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "cli/option.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

struct target {
    char *experiment; /* for source_open; NULL: the last one */
    bool has_trial;
    bool best;      /* the best trial */
    uint64_t trial; /* else its number */
};

/* Reads one or two arguments; second may be NULL, so may be first. A name that exists as a file is no trial. -1 with a
 * sentence when the second is no trial. */
int target_read(const char *first, const char *second, struct target *out, struct err *err);
void target_fini(struct target *target);

/* What commands given here find the experiment by: its name when it lies below runs/, else its directory; free() it. */
char *target_handle(const struct rundir *dir);

/* Where the best trial is meant, its number: 0, or an exit status with a sentence. */
int target_find_best(struct target *target, struct source *source, struct err *err);

/* "no trial has a value yet", and how many have failed. `which`: of the trials that are meant (" that was ..."),
 * `what`: of the values. */
void target_no_value(struct source *source, const char *which, const char *what, struct err *err);

/* What most commands do that look at one experiment: open the one that the person names, act on it, close it, and say
 * what went wrong. */

/* The command's work on it: 0, or the exit status with a sentence. */
typedef int visit_act(struct console *console, const struct args *args, struct source *source, struct err *err);

/* Visits the experiment of the first argument (none: the last one). The exit status. */
int target_visit(struct console *console, const struct args *args, visit_act *act);

/* The same with a trial of it, or without: the target's `trial` is known then. */
typedef int visit_trial_act(struct console *console, const struct args *args, struct source *source,
                            const struct target *target, struct err *err);

/* Visits what the first argument names, and `second` (NULL: nothing). `needs`: what is said when that is no trial;
 * NULL: it need not be one. The exit status. */
int target_visit_trial(struct console *console, const struct args *args, const char *second, const char *needs,
                       visit_trial_act *act);

/* Experiments as a person names them: one by its name or path, or by a pattern all below runs/ whose names match. */
struct experiment_names {
    char **items;
    size_t count, capacity;
};

/* Adds what an argument names, those that match a pattern in the order of their names; whether there is such an
 * experiment is seen when it is opened. 0, or an exit status with a sentence when nothing matches. */
int experiment_names_add(struct experiment_names *names, const char *argument, struct err *err);
void experiment_names_fini(struct experiment_names *names);

#endif
