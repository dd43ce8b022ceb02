/* What those get who only look; see service_look.h. */
#include "scheduler/coordinator/service_look.h"

#include "common/clock.h"
#include "scheduler/core/worker_list.h"
#include "scheduler/core/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 2000 }; /* that are looked up at once */

/* Twenty people who look once a second shall cost no more than two; and since of ten thousand workers each is looked
 * at, which takes a millisecond, the loop gives a five hundredth of its time to that at most. */
static const double fresh_seconds = 0.5, longest_seconds = 2, rest_factor = 500;

void service_look_init(struct service_look *look, const struct service_setup *setup)
{
    *look = (struct service_look){.setup = setup};
    node_name(look->node);
}

void service_look_fini(struct service_look *look)
{
    free(look->last);
}

/* The core knows nothing of connections. */
static void add_strangers(const struct service_setup *setup, double now, struct snapshot *out)
{
    struct zap_refusals refusals = setup->workers ? link_refusals(setup->workers) : (struct zap_refusals){0};
    out->strangers = (struct snapshot_strangers){.count = refusals.count, .seconds = now - refusals.last};
    memcpy(out->strangers.address, refusals.address, sizeof out->strangers.address);
}

static json_t *make_status(const struct service_look *look, double now, bool in_short)
{
    const struct service_setup *setup = look->setup;
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
    json_object_set_new(out, "node", json_string(look->node));
    json_object_set_new(out, "pid", json_integer(getpid()));
    json_object_set_new(out, "trouble", trouble ? json_string(trouble) : json_null());
    json_object_set_new(out, "counters", counters_encode(setup->counters));
    return out;
}

static void make_short(struct service_look *look, double now)
{
    double begun = clock_thread();
    json_t *status = make_status(look, now, true);
    free(look->last);
    look->last = json_dumps(status, JSON_COMPACT);
    json_decref(status);
    look->until = now + fmin(fmax(fresh_seconds, rest_factor * (clock_thread() - begun)), longest_seconds);
}

int service_look_status(struct service_look *look, const json_t *arguments, json_t **out, const char **text,
                        struct err *err)
{
    double now = clock_monotonic();
    const json_t *workers = json_object_get(arguments, "workers");
    if (workers && !json_is_boolean(workers))
        return err_set(err, "status: 'workers' has to be true or false");
    if (!json_is_false(workers)) {
        *out = make_status(look, now, false);
        return 0;
    }
    if (!look->last || now >= look->until)
        make_short(look, now);
    *text = look->last;
    return look->last ? 0 : err_set(err, "how it stands can't be written as JSON");
}

int service_look_workers(struct service_look *look, const json_t *arguments, json_t **out, struct err *err)
{
    const struct core *core = look->setup->core;
    const json_t *names = json_object_get(arguments, "workers"), *limit = json_object_get(arguments, "limit");
    const char *after = json_string_value(json_object_get(arguments, "after"));
    if ((names && !json_is_array(names)) || (limit && (!json_is_integer(limit) || json_integer_value(limit) < 1)))
        return err_set(err, "workers: 'workers' has to be an array of names, 'limit' a whole number from 1");
    if (json_array_size(names) > MOST_NAMES)
        return err_set(err, "workers: at most %d names at once", MOST_NAMES);
    size_t most = limit ? (size_t)json_integer_value(limit) : WORKER_LIST_LONGEST;
    *out = names ? worker_list_named(core, clock_monotonic(), names)
                 : worker_list_page(core, clock_monotonic(), after ? strtoull(after, NULL, 16) : 0, most);
    return 0;
}
