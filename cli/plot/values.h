/* What several kinds of pictures do with trials: axes that a few wild values don't spoil, names of trials, ranks. */
#ifndef GANNET_CLI_PLOT_VALUES_H
#define GANNET_CLI_PLOT_VALUES_H

#include "cli/plot/plot.h"

/* The axis of the first objective over all that count of some experiments: from the best on, logarithmic where values
 * differ by orders of magnitude, without the few that are far worse than nearly all. *beyond: how many are not on it.
 */
struct axis values_axis(const struct plot_subject *subjects, size_t count, size_t *beyond);

/* The axis of a parameter that is a range. */
struct axis values_param_axis(const struct trial_param *param, size_t count);

/* A scale of a parameter: names of levels, or numbers. */
void values_param_scale(const struct trial_param *param, size_t count, struct scale *scale, const char *label);

/* Where a trial's value of a parameter is drawn: of levels within their room, trials beside each other. */
double values_param_place(const struct trial_data *data, size_t param, size_t trial);

/* Of each trial how many of those that count are better, from 0; UINT32_MAX of those that don't count. free() it.
 * *count: how many count. */
uint32_t *values_ranks(const struct trial_data *data, size_t *count);

/* "trial 131: loss 0.083 (stopped)"; free() it. */
char *values_trial_text(const struct trial_data *data, size_t trial);

/* The parameters that are no constants, the most important ones first where that is known. Returns how many, at most
 * `most`. */
size_t values_params(const struct plot_subject *subject, size_t most, size_t *out);

/* Sets the sentence that nothing can be drawn, since no trial has a value; is -1. */
int values_none(const struct trial_data *data, struct err *err);

/* "1 trial", "3 trials", in the buffer. */
enum { VALUES_COUNT = 48 };
const char *values_count(size_t count, const char *noun, char out[VALUES_COUNT]);

/* Trials that failed, without ignored ones: they have no value, whatever they reported before. */
size_t values_failed(const struct trial_data *data);

/* Of lines that are the same those below are wider, so that each is to be seen. */
void values_widen_same(struct panel *panel);

/* Notes what is not to be seen: values beyond the axis, trials that failed. Nothing where there is none. */
void values_note_beyond(size_t beyond, struct picture *out);
void values_note_same(const struct trial_data *data, struct picture *out); /* ranks among equal values mean nothing */
void values_note_failed(const struct plot_subject *subjects, size_t count, struct picture *out);

/* A parameter's level or number as people read it. */
const char *values_param_text(const struct trial_param *param, double value, char *out, size_t size);

#endif
