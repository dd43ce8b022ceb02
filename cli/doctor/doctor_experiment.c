/* The nodes of an experiment: who works there, and who should; see doctor.h. */
#include "cli/data/source.h"
#include "cli/doctor/doctor.h"
#include "cli/session/missing.h"
#include "cli/session/seen.h"
#include "cli/view/odd_workers.h"
#include "common/clock.h"
#include "common/units.h"

#include <inttypes.h>

/* What is wrong with a worker that is connected; false: nothing. */
static bool describe_trouble(const struct snapshot *snapshot, const struct snapshot_worker *worker, struct buf *out)
{
    char heard[32];
    if (*worker->aside)
        buf_format(out, "was set aside: %s", worker->aside);
    else if (worker->suspect)
        buf_format(out, "has not been heard of for %s", units_show_duration(worker->heard, heard, sizeof heard));
    else if (!worker->slots)
        buf_text(out, "offers no slot: a trial wants more than there is");
    else if (worker->waiting)
        buf_format(out, "%" PRIu32 " of %" PRIu32 " slots can't start a trial: %s", worker->waiting, worker->slots,
                   worker->why);
    else
        return odd_workers_describe(snapshot, worker, out);
    return true;
}

static void look_at_worker(struct doctor *doctor, const struct snapshot *snapshot, const struct snapshot_worker *worker)
{
    struct buf trouble = {0};
    const char *version = *worker->version ? worker->version : "of a version that is not known";
    if (describe_trouble(snapshot, worker, &trouble))
        doctor_add(doctor, HEALTH_PROBLEM, "worker",
                   "see its log (logs/ of the run directory); `gannet explain EXP NODE` says what became of it",
                   "%s: %s", worker->name, buf_str(&trouble));
    else
        doctor_add(doctor, HEALTH_OK, "worker", NULL, "%s: gannet %s, %" PRIu32 " of %" PRIu32 " slots busy",
                   worker->name, version, worker->busy, worker->slots);
    buf_fini(&trouble);
}

static void look_at_missing(struct doctor *doctor, const struct rundir *dir, const char *node)
{
    struct buf words = {0};
    bool said = missing_last_words(dir, node, &words);
    doctor_add(doctor, HEALTH_PROBLEM, "worker",
               "a node needs the run directory, gannet's programs and the person's files under the same paths as here",
               "%s has none; worker-%s.log in logs/ of the run directory says%s%s", node, node,
               said ? ": " : " nothing", buf_str(&words));
    buf_fini(&words);
}

static void look_at_nodes(struct doctor *doctor, const struct rundir *dir, const struct seen *seen)
{
    const struct snapshot *snapshot = &seen->overview.snapshot;
    struct texts nodes = {0}, missing = {0};
    for (uint32_t i = 0; i < snapshot->worker_count; i++)
        look_at_worker(doctor, snapshot, &snapshot->workers[i]);
    missing_nodes(&seen->jobs, snapshot, clock_wall(), &nodes, &missing);
    for (size_t i = 0; i < missing.count; i++)
        look_at_missing(doctor, dir, missing.items[i]);
    if (!snapshot->worker_count && !missing.count)
        doctor_add(doctor, HEALTH_PROBLEM, "worker", "`gannet status` says why", "none is connected");
    texts_fini(&nodes);
    texts_fini(&missing);
}

static const char *name_of(const struct seen *seen)
{
    const char *name = json_string_value(json_object_get(seen->experiment, "name"));
    return name ? name : "the experiment";
}

int doctor_experiment(struct doctor *doctor, struct console *console, const char *what, struct err *err)
{
    struct source *source;
    struct seen seen;
    struct err unreached;
    int status = source_open(what, &source, err);
    if (status)
        return status;
    status = seen_fetch(console, source, &seen, &unreached, err);
    bool lives = !status && seen.overview.lives;
    if (!status && *unreached.text)
        doctor_add(doctor, HEALTH_PROBLEM, "coordinator", "`gannet logs EXP` has what it said", "%s", unreached.text);
    else if (lives)
        doctor_add(doctor, HEALTH_OK, "coordinator", NULL, "runs %s: gannet %s", name_of(&seen),
                   seen.overview.snapshot.version);
    else if (!status)
        doctor_add(doctor, HEALTH_NOTE, "coordinator", "`gannet status` says why",
                   "none runs %s, so it has no workers: %s", name_of(&seen), overview_state(&seen.overview));
    if (lives && !*unreached.text)
        look_at_nodes(doctor, source_dir(source), &seen);
    seen_fini(&seen);
    source_close(source);
    return status;
}
