/* Snapshots as JSON; see snapshot.h. docs/json.md shows one. */
#include "scheduler/core/snapshot.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void snapshot_fini(struct snapshot *snapshot)
{
    free(snapshot->workers);
    *snapshot = (struct snapshot){0};
}

void snapshot_add_sums(struct snapshot *snapshot, const struct snapshot_worker *worker)
{
    struct snapshot_sums *sums = &snapshot->sums;
    sums->workers++;
    sums->suspect += worker->suspect;
    sums->aside += *worker->aside != '\0';
    sums->waiting += worker->waiting > 0;
    sums->other_version += *worker->version && strcmp(worker->version, snapshot->version) != 0;
}

/* --- to JSON --- */

static json_t *encode_sums(const struct snapshot_sums *sums)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "workers", (json_int_t)sums->workers, "suspect",
                     (json_int_t)sums->suspect, "aside", (json_int_t)sums->aside, "waiting", (json_int_t)sums->waiting,
                     "other_version", (json_int_t)sums->other_version);
}

static json_t *encode_trials(const struct snapshot *snapshot)
{
    json_t *trials = json_object();
    for (int state = 0; state < TRIAL_STATES; state++)
        json_object_set_new(trials, trial_state_name((enum trial_state)state), json_of_u64(snapshot->trials[state]));
    return trials;
}

json_t *snapshot_encode_worker(const struct snapshot_worker *worker)
{
    json_t *json = json_object();
    char number[17];
    snprintf(number, sizeof number, "%016llx", (unsigned long long)worker->worker);
    json_object_set_new(json, "node", json_of_text(worker->name));
    json_object_set_new(json, "worker", json_of_text(number));
    json_object_set_new(json, "part", worker->part ? json_of_u64(worker->part) : json_null());
    json_object_set_new(json, "slots", json_of_u64(worker->slots));
    json_object_set_new(json, "busy", json_of_u64(worker->busy));
    json_object_set_new(json, "heard", json_of_real(worker->heard));
    json_object_set_new(json, "gannet", json_of_text(*worker->version ? worker->version : NULL));
    json_object_set_new(json, "ahead", json_of_known(worker->ahead));
    json_object_set_new(json, "suspect", json_boolean(worker->suspect));
    json_object_set_new(json, "aside", *worker->aside ? json_of_text(worker->aside) : json_null());
    json_object_set_new(json, "waiting", json_of_u64(worker->waiting));
    json_object_set_new(json, "why", worker->waiting ? json_of_text(worker->why) : json_null());
    json_object_set_new(json, "job", worker->job.job ? json_of_u64(worker->job.job) : json_null());
    bool single = !worker->job.job || worker->job.element == NODE_NO_ELEMENT;
    json_object_set_new(json, "element", single ? json_null() : json_of_u64(worker->job.element));
    return json;
}

/* When the time of the job is up: {seconds, warn, exceeds_walltime, trial, predicted}. */
static json_t *encode_deadline(const struct snapshot *snapshot)
{
    json_t *deadline = json_object();
    json_object_set_new(deadline, "seconds", json_of_real(snapshot->deadline));
    json_object_set_new(deadline, "warn", json_of_real(snapshot->warn));
    json_object_set_new(deadline, "exceeds_walltime", json_of_u64(snapshot->exceeds_walltime));
    json_object_set_new(deadline, "trial",
                        snapshot->exceeds_walltime ? json_of_u64(snapshot->exceeding_trial) : json_null());
    json_object_set_new(deadline, "predicted",
                        snapshot->exceeds_walltime ? json_of_real(snapshot->exceeding_seconds) : json_null());
    return deadline;
}

/* What early stopping saved: {taken, trials, max_steps}. */
static json_t *encode_steps(const struct snapshot *snapshot)
{
    json_t *steps = json_object();
    json_object_set_new(steps, "taken", json_of_u64(snapshot->steps));
    json_object_set_new(steps, "trials", json_of_u64(snapshot->stepped));
    json_object_set_new(steps, "max_steps", json_of_u64(snapshot->max_steps));
    return steps;
}

static json_t *encode_nodes(const struct snapshot *snapshot)
{
    return json_pack("{s:I, s:I}", "needed", (json_int_t)snapshot->nodes, "here", (json_int_t)snapshot->nodes_here);
}

static json_t *encode_standstills(const struct snapshot *snapshot)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < snapshot->standstill_count; i++)
        json_array_append_new(all, json_pack("{s:o, s:o}", "trial", json_of_u64(snapshot->standstills[i].trial), "text",
                                             json_of_text(snapshot->standstills[i].text)));
    return all;
}

static json_t *encode_strangers(const struct snapshot_strangers *strangers)
{
    if (!strangers->count)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "count", json_of_u64(strangers->count), "seconds",
                     json_of_real(strangers->seconds), "address",
                     json_of_text(*strangers->address ? strangers->address : NULL));
}

json_t *snapshot_encode(const struct snapshot *snapshot)
{
    json_t *json = json_object(), *workers = json_array();
    json_object_set_new(json, "gannet", json_of_text(*snapshot->version ? snapshot->version : NULL));
    json_object_set_new(json, "state", json_of_text(experiment_state_name(snapshot->state)));
    json_object_set_new(json, "reason", json_of_text(reason_name(snapshot->reason)));
    json_object_set_new(json, "trials", encode_trials(snapshot));
    json_object_set_new(json, "max_trials", json_of_u64(snapshot->max_trials));
    json_object_set_new(json, "added", json_of_u64(snapshot->added));
    json_object_set_new(json, "ignored", json_of_u64(snapshot->ignored));
    json_object_set_new(json, "attempts_failed", json_of_u64(snapshot->attempts_failed));
    json_object_set_new(json, "late", json_of_u64(snapshot->late));
    json_object_set_new(json, "refused", json_of_u64(snapshot->refused));
    json_object_set_new(json, "slots", json_of_u64(snapshot->slots));
    json_object_set_new(json, "busy", json_of_u64(snapshot->busy));
    json_object_set_new(json, "nodes", snapshot->nodes > 1 ? encode_nodes(snapshot) : json_null());
    json_object_set_new(json, "best_trial", snapshot->has_best ? json_of_u64(snapshot->best_trial) : json_null());
    json_object_set_new(json, "best", snapshot->has_best ? json_of_real(snapshot->best) : json_null());
    json_object_set_new(json, "held", json_of_real(snapshot->held));
    json_object_set_new(json, "rate", json_of_real(snapshot->rate));
    json_object_set_new(json, "left", snapshot->left >= 0 ? json_of_real(snapshot->left) : json_null());
    json_object_set_new(json, "uncommitted", json_of_u64(snapshot->uncommitted));
    json_object_set_new(json, "deadline", snapshot->has_deadline ? encode_deadline(snapshot) : json_null());
    json_object_set_new(json, "steps", snapshot->early_stop ? encode_steps(snapshot) : json_null());
    json_object_set_new(json, "standstills", encode_standstills(snapshot));
    json_object_set_new(json, "strangers", encode_strangers(&snapshot->strangers));
    json_object_set_new(json, "no_slots", json_of_text(*snapshot->no_slots ? snapshot->no_slots : NULL));
    for (uint32_t i = 0; i < snapshot->worker_count; i++)
        json_array_append_new(workers, snapshot_encode_worker(&snapshot->workers[i]));
    json_object_set_new(json, "workers", workers);
    json_object_set_new(json, "sums", encode_sums(&snapshot->sums));
    return json;
}

/* --- from JSON --- */

static int refuse_snapshot(const char *name, struct err *err)
{
    return err_set(err, "the snapshot's '%s' is missing or makes no sense", name);
}

static int take_count(const json_t *json, const char *name, uint64_t *out, struct err *err)
{
    const json_t *member = json_object_get(json, name);
    if (!json_is_integer(member) || json_integer_value(member) < 0)
        return refuse_snapshot(name, err);
    *out = (uint64_t)json_integer_value(member);
    return 0;
}

static int take_u32(const json_t *json, const char *name, uint32_t *out, struct err *err)
{
    uint64_t wide;
    if (take_count(json, name, &wide, err))
        return -1;
    *out = (uint32_t)wide;
    return wide > UINT32_MAX ? refuse_snapshot(name, err) : 0;
}

static int take_real(const json_t *json, const char *name, double *out, struct err *err)
{
    return json_to_real(json_object_get(json, name), out) ? 0 : refuse_snapshot(name, err);
}

/* A name out of an enum, by the function that knows it. */
static int take_name(const json_t *json, const char *name, int (*named)(const char *), int *out, struct err *err)
{
    const char *text = json_string_value(json_object_get(json, name));
    *out = text ? named(text) : -1;
    return *out < 0 ? refuse_snapshot(name, err) : 0;
}

static int take_trials(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *trials = json_object_get(json, "trials");
    for (int state = 0; state < TRIAL_STATES; state++)
        if (take_count(trials, trial_state_name((enum trial_state)state), &out->trials[state], err))
            return -1;
    return 0;
}

static int take_best(const json_t *json, struct snapshot *out, struct err *err)
{
    out->has_best = !json_is_null(json_object_get(json, "best_trial"));
    if (!out->has_best)
        return 0;
    return take_count(json, "best_trial", &out->best_trial, err) || take_real(json, "best", &out->best, err) ? -1 : 0;
}

static int take_steps(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *steps = json_object_get(json, "steps");
    out->early_stop = json_is_object(steps);
    if (!out->early_stop)
        return 0;
    return take_count(steps, "taken", &out->steps, err) || take_count(steps, "trials", &out->stepped, err) ||
                   take_count(steps, "max_steps", &out->max_steps, err)
               ? -1
               : 0;
}

static int take_deadline(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *deadline = json_object_get(json, "deadline");
    out->has_deadline = json_is_object(deadline);
    if (!out->has_deadline)
        return 0;
    if (take_real(deadline, "seconds", &out->deadline, err) || take_real(deadline, "warn", &out->warn, err) ||
        take_count(deadline, "exceeds_walltime", &out->exceeds_walltime, err))
        return -1;
    return out->exceeds_walltime && (take_count(deadline, "trial", &out->exceeding_trial, err) ||
                                     take_real(deadline, "predicted", &out->exceeding_seconds, err))
               ? -1
               : 0;
}

static int take_job(const json_t *json, struct node_job *out, struct err *err)
{
    *out = (struct node_job){.element = NODE_NO_ELEMENT};
    if (json_is_integer(json_object_get(json, "job")) && take_u32(json, "job", &out->job, err))
        return -1;
    return json_is_integer(json_object_get(json, "element")) ? take_u32(json, "element", &out->element, err) : 0;
}

/* The version of gannet that somebody says to have; "" when it is not said. */
static void take_version(const json_t *json, char *out, size_t size)
{
    const char *version = json_string_value(json_object_get(json, "gannet"));
    snprintf(out, size, "%s", version ? version : "");
}

static int take_worker(const json_t *json, struct snapshot_worker *out, struct err *err)
{
    const char *name = json_string_value(json_object_get(json, "node"));
    const char *number = json_string_value(json_object_get(json, "worker"));
    const char *aside = json_string_value(json_object_get(json, "aside"));
    if (!name || !number)
        return refuse_snapshot("workers", err);
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->aside, sizeof out->aside, "%s", aside ? aside : "");
    out->worker = strtoull(number, NULL, 16);
    const char *why = json_string_value(json_object_get(json, "why"));
    snprintf(out->why, sizeof out->why, "%s", why ? why : "");
    take_version(json, out->version, sizeof out->version);
    if (!json_to_real(json_object_get(json, "ahead"), &out->ahead))
        out->ahead = NAN;
    out->suspect = json_is_true(json_object_get(json, "suspect"));
    if (json_is_integer(json_object_get(json, "part")) && take_u32(json, "part", &out->part, err))
        return -1;
    return take_u32(json, "slots", &out->slots, err) || take_u32(json, "busy", &out->busy, err) ||
                   take_u32(json, "waiting", &out->waiting, err) || take_real(json, "heard", &out->heard, err) ||
                   take_job(json, &out->job, err)
               ? -1
               : 0;
}

static int take_workers(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *workers = json_object_get(json, "workers");
    if (!json_is_array(workers))
        return refuse_snapshot("workers", err);
    out->workers = MEM_ARRAY(struct snapshot_worker, json_array_size(workers));
    for (; out->worker_count < json_array_size(workers); out->worker_count++)
        if (take_worker(json_array_get(workers, out->worker_count), &out->workers[out->worker_count], err))
            return -1;
    return 0;
}

/* A coordinator of an earlier version lists all workers, and no sums. */
static int take_sums(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *sums = json_object_get(json, "sums");
    struct snapshot_sums *to = &out->sums;
    if (json_is_object(sums))
        return take_u32(sums, "workers", &to->workers, err) || take_u32(sums, "suspect", &to->suspect, err) ||
                       take_u32(sums, "aside", &to->aside, err) || take_u32(sums, "waiting", &to->waiting, err) ||
                       take_u32(sums, "other_version", &to->other_version, err)
                   ? -1
                   : 0;
    for (uint32_t i = 0; i < out->worker_count; i++)
        snapshot_add_sums(out, &out->workers[i]);
    return 0;
}

static int take_nodes(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *nodes = json_object_get(json, "nodes");
    if (!nodes || json_is_null(nodes))
        return 0;
    return take_u32(nodes, "needed", &out->nodes, err) || take_u32(nodes, "here", &out->nodes_here, err) ? -1 : 0;
}

/* A coordinator of an earlier version says none. */
static int take_standstills(const json_t *json, struct snapshot *out, struct err *err)
{
    const json_t *all = json_object_get(json, "standstills"), *one;
    size_t index;
    json_array_foreach(all, index, one)
    {
        struct snapshot_standstill *to = &out->standstills[out->standstill_count];
        const char *text = json_string_value(json_object_get(one, "text"));
        if (out->standstill_count == SNAPSHOT_STANDSTILLS)
            break;
        if (!text || take_count(one, "trial", &to->trial, err))
            return refuse_snapshot("standstills", err);
        snprintf(to->text, sizeof to->text, "%s", text);
        out->standstill_count++;
    }
    return 0;
}

/* An older coordinator does not count them. */
static int take_strangers(const json_t *json, struct snapshot_strangers *out, struct err *err)
{
    const json_t *strangers = json_object_get(json, "strangers");
    if (!strangers || json_is_null(strangers))
        return 0;
    const char *address = json_string_value(json_object_get(strangers, "address"));
    snprintf(out->address, sizeof out->address, "%s", address ? address : "");
    return take_count(strangers, "count", &out->count, err) || take_real(strangers, "seconds", &out->seconds, err);
}

static int take_all(const json_t *json, struct snapshot *out, struct err *err)
{
    int state, reason;
    if (take_name(json, "state", experiment_state_named, &state, err) ||
        take_name(json, "reason", reason_named, &reason, err) || take_trials(json, out, err) ||
        take_count(json, "max_trials", &out->max_trials, err) || take_count(json, "added", &out->added, err) ||
        take_count(json, "ignored", &out->ignored, err) ||
        take_count(json, "attempts_failed", &out->attempts_failed, err) || take_count(json, "late", &out->late, err) ||
        take_count(json, "refused", &out->refused, err) || take_u32(json, "slots", &out->slots, err) ||
        take_u32(json, "busy", &out->busy, err) || take_nodes(json, out, err) || take_best(json, out, err) ||
        take_real(json, "held", &out->held, err) || take_real(json, "rate", &out->rate, err) ||
        take_count(json, "uncommitted", &out->uncommitted, err) || take_steps(json, out, err) ||
        take_deadline(json, out, err) || take_standstills(json, out, err) ||
        take_strangers(json, &out->strangers, err) || take_workers(json, out, err))
        return -1;
    const char *no_slots = json_string_value(json_object_get(json, "no_slots"));
    snprintf(out->no_slots, sizeof out->no_slots, "%s", no_slots ? no_slots : "");
    take_version(json, out->version, sizeof out->version);
    if (take_sums(json, out, err))
        return -1;
    out->state = (enum experiment_state)state;
    out->reason = (enum reason)reason;
    if (!json_to_real(json_object_get(json, "left"), &out->left))
        out->left = -1;
    return 0;
}

int snapshot_decode(const json_t *json, struct snapshot *out, struct err *err)
{
    *out = (struct snapshot){0};
    if (take_all(json, out, err) == 0)
        return 0;
    snapshot_fini(out);
    return -1;
}
