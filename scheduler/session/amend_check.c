/* See amend_check.h. */
#include "scheduler/session/amend_check.h"

#include "common/endings.h"

#include <string.h>

int amend_check_ignore(const json_t *trial, bool ignored, struct err *err)
{
    const char *reason = json_string_value(json_object_get(trial, "reason"));
    if (!reason || ending_named(reason) < 0)
        return err_set(err, "trial %lld is %s; only a trial that has ended can be ignored",
                       (long long)json_integer_value(json_object_get(trial, "trial")),
                       json_string_value(json_object_get(trial, "state")));
    return json_is_true(json_object_get(trial, "ignored")) == ignored;
}

int amend_check_retry(const json_t *trial, struct err *err)
{
    const char *state = json_string_value(json_object_get(trial, "state"));
    bool failed = state && strcmp(state, trial_state_name(TRIAL_FAILED)) == 0;
    if (failed && !json_is_true(json_object_get(trial, "ignored")))
        return 0;
    return err_set(err, "trial %lld is %s; only a trial that has failed%s can be tried again",
                   (long long)json_integer_value(json_object_get(trial, "trial")), failed ? "ignored" : state,
                   failed ? " and counts" : "");
}
