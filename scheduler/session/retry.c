/* Failed trials, tried again; see retry.h. */
#include "scheduler/session/retry.h"

#include "scheduler/session/amend_check.h"
#include "scheduler/store/reader.h"

#include <string.h>

static void reopen_trial(struct amendment *amendment, uint64_t number)
{
    struct event *event = amend_add(amendment, EVENT_REOPENED, number);
    if (event)
        event->reopened.told = amendment->tells;
}

static enum amend_fault take_trial(struct amendment *amendment, uint64_t number, struct err *err)
{
    json_t *trial;
    enum amend_fault fault = amend_read(amendment, number, &trial, err);
    if (!fault && amend_check_retry(trial, err))
        fault = AMEND_UNFIT;
    if (!fault)
        reopen_trial(amendment, number);
    json_decref(trial);
    return fault;
}

static int take_failed(void *context, json_t *trial, struct err *err)
{
    struct err unfit;
    (void)err;
    if (amend_check_retry(trial, &unfit) == 0)
        reopen_trial(context, (uint64_t)json_integer_value(json_object_get(trial, "trial")));
    return 0;
}

static enum amend_fault take_all(struct amendment *amendment, struct err *err)
{
    struct trial_query failed = {.state = TRIAL_FAILED + 1};
    return reader_trials_each(store_reader(amendment->store), &failed, take_failed, amendment, err) ? AMEND_FAILED
                                                                                                    : AMEND_FINE;
}

enum amend_fault retry_trials(const struct rundir *dir, const uint64_t *trials, size_t count, size_t *changed,
                              struct err *err)
{
    struct amendment amendment;
    enum amend_fault fault = amend_open(&amendment, dir, err);
    if (!fault && !count)
        fault = take_all(&amendment, err);
    for (size_t i = 0; !fault && i < count; i++)
        fault = take_trial(&amendment, trials[i], err);
    if (!fault)
        fault = amend_commit(&amendment, err);
    *changed = amendment.count;
    amend_close(&amendment);
    return fault;
}
