/* Nodes without workers; see missing.h. */
#include "cli/session/missing.h"
#include "cli/data/jobs.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/nodes.h"
#include "scheduler/supervisor/last_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 }; /* nodes; the others are counted */

static const double usual_start = 20; /* seconds from a job's start until its workers are there */

static const struct snapshot_worker *worker_of(const struct snapshot *snapshot, const char *node)
{
    for (uint32_t i = 0; i < snapshot->worker_count; i++)
        if (strcmp(snapshot->workers[i].name, node) == 0)
            return &snapshot->workers[i];
    return NULL;
}

bool missing_last_words(const struct rundir *dir, const char *node, struct buf *out)
{
    char *name = mem_format("worker-%s.log", node), *path = path_join(dir->logs, name);
    struct buf words = {0};
    bool said = last_words_add(path, &words);
    if (said)
        format_safe(buf_str(&words), out);
    buf_fini(&words);
    free(name);
    free(path);
    return said;
}

static void add_node(const struct rundir *dir, const char *node, struct buf *out)
{
    struct buf words = {0};
    format_safe(node, out);
    if (missing_last_words(dir, node, &words))
        buf_format(out, " (%s)", buf_str(&words));
    buf_fini(&words);
}

static void add_nodes(const struct rundir *dir, const struct texts *missing, size_t all, struct buf *out)
{
    buf_format(out, "%zu of %zu nodes %s no worker: ", missing->count, all, missing->count == 1 ? "has" : "have");
    for (size_t i = 0; i < missing->count && i < NAMED; i++) {
        buf_text(out, i ? ", " : "");
        add_node(dir, missing->items[i], out);
    }
    if (missing->count > NAMED)
        buf_format(out, " and %zu more", missing->count - NAMED);
}

static void add_useless(const struct texts *nodes, const struct snapshot *snapshot, struct buf *out)
{
    for (size_t i = 0, named = 0; i < nodes->count && named < NAMED; i++) {
        const struct snapshot_worker *worker = worker_of(snapshot, nodes->items[i]);
        if (!worker || worker->slots || worker->suspect)
            continue;
        buf_format(out, "%s%s offers no slot: a trial wants more than the job has there", out->length ? "; " : "",
                   worker->name);
        named++;
    }
}

static void find_missing(const struct slurm_job *job, const struct snapshot *snapshot, struct texts *nodes,
                         struct texts *missing)
{
    size_t before = nodes->count;
    nodes_read_cut(job->nodes, sizeof job->nodes, nodes);
    for (size_t i = before; i < nodes->count; i++)
        if (!worker_of(snapshot, nodes->items[i]))
            texts_add(missing, mem_text(nodes->items[i]));
}

void missing_nodes(const struct slurm_record *record, const struct snapshot *snapshot, double now, struct texts *nodes,
                   struct texts *missing)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct slurm_submission *one = &record->items[i];
        bool brings_workers = one->role != SLURM_ROLE_COORDINATOR && one->seen.state == SLURM_RUNNING;
        if (brings_workers && now - one->seen.started >= usual_start)
            find_missing(&one->seen, snapshot, nodes, missing);
    }
}

bool missing_describe(const struct rundir *dir, const struct slurm_record *record, const struct snapshot *snapshot,
                      double now, struct buf *out)
{
    const struct slurm_submission *job = jobs_main(record, false);
    struct texts nodes = {0}, missing = {0};
    size_t before = out->length;
    if (!job || job->role != SLURM_ROLE_EXPERIMENT || job->seen.state != SLURM_RUNNING ||
        snapshot->state != EXPERIMENT_RUNNING || now - job->seen.started < usual_start)
        return false;
    find_missing(&job->seen, snapshot, &nodes, &missing);
    if (missing.count)
        add_nodes(dir, &missing, nodes.count, out);
    if (snapshot->slots) /* else that is said of all of them */
        add_useless(&nodes, snapshot, out);
    texts_fini(&nodes);
    texts_fini(&missing);
    return out->length > before;
}

bool missing_quote(const struct rundir *dir, const struct slurm_record *record, struct buf *out)
{
    const struct slurm_submission *job = jobs_main(record, false);
    struct buf words = {0};
    if (!job || job->seen.state != SLURM_FAILED)
        return false;
    char *name = mem_format("slurm-%" PRIu32 ".out", job->id), *path = path_join(dir->logs, name);
    bool said = last_words_add(path, &words);
    if (said) {
        buf_text(out, "its output says: ");
        format_safe(buf_str(&words), out);
    }
    buf_fini(&words);
    free(name);
    free(path);
    return said;
}
