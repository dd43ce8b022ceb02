/* Which trials a person's change can be for, whether the search lives or rests. A trial is given as reader_trials gives
 * it. */
#ifndef GANNET_SCHEDULER_SESSION_AMEND_CHECK_H
#define GANNET_SCHEDULER_SESSION_AMEND_CHECK_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>

/* 0: it can be ignored (or with `ignored` false count again); 1: it is so already; -1 with a sentence: it has not
 * ended. */
int amend_check_ignore(const json_t *trial, bool ignored, struct err *err);

/* 0: it can be tried again; -1 with a sentence: it has not failed or does not count. */
int amend_check_retry(const json_t *trial, struct err *err);

#endif
