/* What commands say to a coordinator; see service_arguments.h. */
#include "scheduler/coordinator/service_arguments.h"

#include "common/node.h"

#include <string.h>

int service_take_reason(const json_t *arguments, enum reason *reason, struct err *err)
{
    const char *why = json_string_value(json_object_get(arguments, "why"));
    if (!why || strcmp(why, "stopped") == 0)
        *reason = REASON_STOPPED;
    else if (strcmp(why, "interrupted") == 0)
        *reason = REASON_INTERRUPTED;
    else
        return err_set(err, "why has to be stopped or interrupted, not '%s'", why);
    return 0;
}

/* A sentence, if one is given: it goes into the store with each run that it is said of. */
int service_take_why(const json_t *arguments, const char **why, struct err *err)
{
    enum { LONGEST = 1000 };
    const json_t *member = json_object_get(arguments, "why");
    if (member && (!json_is_string(member) || json_string_length(member) > LONGEST))
        return err_set(err, "why has to be a text of at most %d bytes", LONGEST);
    *why = member ? json_string_value(member) : *why;
    return 0;
}

/* A whole number from 0 up to `most`; `default` when it is not given. */
static int take_u32(const json_t *arguments, const char *name, uint32_t default_value, uint32_t *out, struct err *err)
{
    const json_t *member = json_object_get(arguments, name);
    json_int_t number = json_integer_value(member);
    if (member && (!json_is_integer(member) || number < 0 || number > UINT32_MAX))
        return err_set(err, "%s has to be a whole number", name);
    *out = member ? (uint32_t)number : default_value;
    return 0;
}

/* Who is meant: a process of this node, a node, or a job (and one element of it). */
int service_take_sign(const json_t *arguments, const char *here, struct worker_sign *sign, struct err *err)
{
    *sign = (struct worker_sign){.node = json_string_value(json_object_get(arguments, "node"))};
    if (take_u32(arguments, "pid", 0, &sign->pid, err) || take_u32(arguments, "part", 0, &sign->part, err) ||
        take_u32(arguments, "job", 0, &sign->job.job, err) ||
        take_u32(arguments, "element", NODE_NO_ELEMENT, &sign->job.element, err))
        return -1;
    if (!sign->node && !sign->pid && !sign->job.job)
        return err_set(err, "say whose: pid, node or job");
    if (sign->pid && !sign->node)
        sign->node = here;
    return 0;
}

int service_take_ending(const json_t *arguments, enum ending *ending, struct err *err)
{
    const char *name = json_string_value(json_object_get(arguments, "ending"));
    int named = name ? ending_named(name) : ENDING_LOST;
    if (named != ENDING_LOST && named != ENDING_PREEMPTED && named != ENDING_WALLTIME && named != ENDING_NODE_FAILED)
        return err_set(err, "ending has to be lost, preempted, walltime or node_failed, not '%s'", name);
    *ending = (enum ending)named;
    return 0;
}
