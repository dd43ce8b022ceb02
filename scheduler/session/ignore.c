/* Trials that no longer count; see ignore.h. */
#include "scheduler/session/ignore.h"

#include "scheduler/session/amend_check.h"

static enum amend_fault take_trial(struct amendment *amendment, uint64_t number, bool ignored, struct err *err)
{
    json_t *trial;
    enum amend_fault fault = amend_read(amendment, number, &trial, err);
    int checked = fault ? -1 : amend_check_ignore(trial, ignored, err);
    if (!fault && checked < 0) {
        fault = AMEND_UNFIT;
    } else if (checked == 0) {
        struct event *event = amend_add(amendment, EVENT_IGNORED, number);
        if (event)
            event->ignored = (struct event_ignored){ignored, amendment->tells};
    }
    json_decref(trial);
    return fault;
}

enum amend_fault ignore_trials(const struct rundir *dir, const uint64_t *trials, size_t count, bool undo,
                               size_t *changed, struct err *err)
{
    struct amendment amendment;
    enum amend_fault fault = amend_open(&amendment, dir, err);
    for (size_t i = 0; !fault && i < count; i++)
        fault = take_trial(&amendment, trials[i], !undo, err);
    if (!fault)
        fault = amend_commit(&amendment, err);
    *changed = amendment.count;
    amend_close(&amendment);
    return fault;
}
