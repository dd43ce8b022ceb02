/* A kernel's settings: the rows of its tables with the values that a trial's parameters, trial.options or the row's
 * default give them, in this order. Checked as a whole first, so that reading one can't fail. */
#ifndef GANNET_WORKER_KERNELS_KERNEL_SETTINGS_H
#define GANNET_WORKER_KERNELS_KERNEL_SETTINGS_H

#include "worker/kernels/kernel.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_settings {
    const struct kernel *kernel;
    const json_t *options; /* trial.options, or NULL */
    const json_t *params;  /* of the trial; NULL before there is one */
};

/* Whether trial.options holds only known names with values of their row's type and range, and all that must be given.
 * -1 with a sentence that names the option and, for an unknown one, the nearest or all. */
int kernel_settings_check_options(const struct kernel_settings *settings, struct err *err);

/* The same for a trial's parameters. */
int kernel_settings_check_params(const struct kernel_settings *settings, struct err *err);

/* The value given to a name, or NULL when nobody gave one. */
const json_t *kernel_settings_given(const struct kernel_settings *settings, const char *name);

/* The value of a row of that type: as given, or the default. Texts live as long as the settings' JSON. */
double kernel_settings_number(const struct kernel_settings *settings, const char *name);
int64_t kernel_settings_integer(const struct kernel_settings *settings, const char *name);
bool kernel_settings_switch(const struct kernel_settings *settings, const char *name);
const char *kernel_settings_text(const struct kernel_settings *settings, const char *name);

/* The value of a row whose type is words: which of them, from 0. */
int kernel_settings_word(const struct kernel_settings *settings, const char *name);

/* How many threads the row KERNEL_THREADS_PARAM gives a trial in a slot of so many; -1 with a sentence: more than that.
 */
int kernel_settings_threads(const struct kernel_settings *settings, int slot, struct err *err);

#endif
