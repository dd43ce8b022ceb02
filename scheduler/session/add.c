/* Trials that were measured elsewhere; see add.h. */
#include "scheduler/session/add.h"

static enum amend_fault take_point(struct amendment *amendment, const json_t *json, struct err *err)
{
    struct added_point point;
    struct metrics metrics = spec_metrics(amendment->spec);
    int failed = added_point_read(amendment->spec, json, &point, err);
    if (!failed) {
        struct event *event = amend_add(amendment, EVENT_ADDED, amendment->next_trial++);
        event->added = added_point_event(&point, &metrics, amendment->tells);
        event_keep(event);
    }
    added_point_fini(&point);
    return failed ? AMEND_UNFIT : AMEND_FINE;
}

enum amend_fault add_trials(const struct rundir *dir, const json_t *points, uint64_t *first, struct err *err)
{
    struct amendment amendment;
    size_t index;
    json_t *point;
    enum amend_fault fault = amend_open(&amendment, dir, err);
    *first = amendment.next_trial;
    json_array_foreach((json_t *)points, index, point)
    {
        fault = fault ? fault : take_point(&amendment, point, err);
    }
    if (!fault)
        fault = amend_commit(&amendment, err);
    amend_close(&amendment);
    return fault;
}
