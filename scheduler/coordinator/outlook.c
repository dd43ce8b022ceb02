/* What those get who only look; see outlook.h. */
#include "scheduler/coordinator/outlook.h"

#include "common/clock.h"
#include "scheduler/core/roster.h"
#include "scheduler/core/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Twenty people who look once a second shall cost no more than two. */
static const double fresh_seconds = 0.5;

void outlook_init(struct outlook *outlook, const struct service_setup *setup)
{
    *outlook = (struct outlook){.setup = setup};
    node_name(outlook->node);
}

void outlook_fini(struct outlook *outlook)
{
    json_decref(outlook->last);
}

/* The core knows nothing of connections. */
static void add_strangers(const struct service_setup *setup, double now, struct snapshot *out)
{
    struct zap_refusals refusals = setup->workers ? link_refusals(setup->workers) : (struct zap_refusals){0};
    out->strangers = (struct snapshot_strangers){.count = refusals.count, .seconds = now - refusals.last};
    memcpy(out->strangers.address, refusals.address, sizeof out->strangers.address);
}

static json_t *make_status(const struct outlook *outlook, double now, bool in_short)
{
    const struct service_setup *setup = outlook->setup;
    const char *trouble = commit_trouble(setup->commit);
    struct snapshot snapshot;
    if (in_short)
        core_snapshot_short(setup->core, now, &snapshot);
    else
        core_snapshot(setup->core, now, &snapshot);
    add_strangers(setup, now, &snapshot);
    json_t *out = snapshot_encode(&snapshot);
    snapshot_fini(&snapshot);
    json_object_set_new(out, "name", json_string(setup->name));
    json_object_set_new(out, "directory", json_string(setup->directory));
    json_object_set_new(out, "session", json_integer((json_int_t)setup->session));
    json_object_set_new(out, "node", json_string(outlook->node));
    json_object_set_new(out, "pid", json_integer(getpid()));
    json_object_set_new(out, "trouble", trouble ? json_string(trouble) : json_null());
    json_object_set_new(out, "counters", counters_encode(setup->counters));
    return out;
}

int outlook_status(struct outlook *outlook, const json_t *arguments, json_t **out, struct err *err)
{
    double now = clock_monotonic();
    const json_t *workers = json_object_get(arguments, "workers");
    if (workers && !json_is_boolean(workers))
        return err_set(err, "status: 'workers' has to be true or false");
    if (!json_is_false(workers)) {
        *out = make_status(outlook, now, false);
        return 0;
    }
    if (!outlook->last || now - outlook->made >= fresh_seconds) {
        json_decref(outlook->last);
        outlook->last = make_status(outlook, now, true);
        outlook->made = now;
    }
    *out = json_incref(outlook->last);
    return 0;
}

int outlook_workers(struct outlook *outlook, const json_t *arguments, json_t **out, struct err *err)
{
    const struct core *core = outlook->setup->core;
    const json_t *names = json_object_get(arguments, "workers"), *limit = json_object_get(arguments, "limit");
    const char *after = json_string_value(json_object_get(arguments, "after"));
    if ((names && !json_is_array(names)) || (limit && (!json_is_integer(limit) || json_integer_value(limit) < 1)))
        return err_set(err, "workers: 'workers' has to be an array of names, 'limit' a whole number from 1");
    size_t most = limit ? (size_t)json_integer_value(limit) : ROSTER_LONGEST;
    *out = names ? roster_named(core, clock_monotonic(), names)
                 : roster_page(core, clock_monotonic(), after ? strtoull(after, NULL, 16) : 0, most);
    return 0;
}
