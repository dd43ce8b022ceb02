/* What the coordinator counts; see counts.h. */
#include "scheduler/coordinator/counts.h"

#include "common/clock.h"
#include "common/log.h"
#include "scheduler/core/counters.h"
#include "scheduler/core/snapshot.h"

#include <math.h>
#include <string.h>

#define CORE_ROW(type, name, unit, help)  COUNTER_ROW(struct core_counters, type, name, unit, help)
#define LINK_ROW(type, name, unit, help)  COUNTER_ROW(struct link_counts, type, name, unit, help)
#define LOOP_ROW(type, name, unit, help)  COUNTER_ROW(struct loop_counts, type, name, unit, help)
#define READY_ROW(type, name, unit, help) COUNTER_ROW(struct ready_counts, type, name, unit, help)

static const struct counter core_rows[] = {CORE_COUNTERS(CORE_ROW)};
static const struct counter link_rows[] = {LINK_COUNTS(LINK_ROW)};
static const struct counter loop_rows[] = {LOOP_COUNTS(LOOP_ROW)};
static const struct counter ready_rows[] = {READY_COUNTS(READY_ROW)};

/* --- by kind --- */

/* The messages that go this way, as rows over an array by kind; how many. */
static size_t fill_messages(struct counter *rows, const char *way)
{
    static const struct {
        const char *name, *way, *help;
    } kinds[MSG_KINDS] = {
#define RECORD(name, help)
#define MESSAGE(KIND, name, way, help) [MSG_##KIND] = {#name, way, help},
#define FIELD(owner, type, name, limit, help)
#define LIST(owner, record, name, limit, help)
#define END(name)
#include "common/msg_list.h"
#undef RECORD
#undef MESSAGE
#undef FIELD
#undef LIST
#undef END
    };
    size_t count = 0;
    for (size_t kind = 0; kind < MSG_KINDS; kind++)
        if (kinds[kind].way && strcmp(kinds[kind].way, way) == 0)
            rows[count++] = (struct counter){.name = kinds[kind].name,
                                             .unit = "messages",
                                             .help = kinds[kind].help,
                                             .offset = kind * sizeof(uint64_t)};
    return count;
}

static size_t fill_events(struct counter *rows)
{
    size_t count = 0;
#define X(KIND, name_, payload, member, said, help_)                                                                   \
    rows[count++] = (struct counter){                                                                                  \
        .name = #name_, .unit = "events", .help = (help_), .offset = EVENT_##KIND * sizeof(uint64_t)};
    EVENTS(X)
#undef X
    return count;
}

/* --- the tree --- */

/* What is known of the present moment only. */
static void fetch_present_counts(void *context)
{
    struct counts *counts = context;
    struct snapshot snapshot;
    core_snapshot(counts->core, clock_monotonic(), &snapshot);
    counts->link.peers = snapshot.worker_count;
    counts->ready.ready = snapshot.trials[TRIAL_WAITING];
    counts->loop.longest_turn = loop_longest_turn(counts->watched);
    snapshot_fini(&snapshot);
}

void counts_open(struct counts *counts, const struct core *core, const struct loop *loop,
                 const struct commit_counts *commit, const struct ask_counts *ask)
{
    struct counters *tree = &counts->tree;
    struct counters_node *events =
        &(struct counters_node){.path = "core.events", .rows = counts->event_rows, .values = counts->events};
    struct counters_node *received = &(struct counters_node){
        .path = "link.received_by_kind", .rows = counts->received_rows, .values = counts->received};
    struct counters_node *sent =
        &(struct counters_node){.path = "link.sent_by_kind", .rows = counts->sent_rows, .values = counts->sent};
    counts->core = core;
    counts->watched = loop;
    counts->written = commit;
    events->count = fill_events(counts->event_rows);
    received->count = fill_messages(counts->received_rows, "worker to coordinator");
    sent->count = fill_messages(counts->sent_rows, "coordinator to worker");
    counters_add(tree, COUNTERS_NODE("core", core_rows, core_counters(core)));
    counters_add(tree, events);
    commit_add_counts(tree, commit);
    counters_add(tree, COUNTERS_NODE("link", link_rows, &counts->link));
    counters_add(tree, received);
    counters_add(tree, sent);
    ask_add_counts(tree, ask);
    counters_add(tree, COUNTERS_NODE("strategy", ready_rows, &counts->ready));
    counters_add(tree, COUNTERS_NODE("loop", loop_rows, &counts->loop));
    tree->nodes[0].refresh = fetch_present_counts;
    tree->nodes[0].context = counts;
}

void counts_close(struct counts *counts)
{
    counters_fini(&counts->tree);
}

void counts_add_received(struct counts *counts, enum msg_kind kind, size_t bytes)
{
    counts->link.received++;
    counts->link.received_bytes += bytes;
    counts->link.refused += kind == MSG_NONE;
    counts->received[kind]++;
}

void counts_add_sent(struct counts *counts, const struct buf *bytes, enum link_result result)
{
    counts->link.dropped += result == LINK_NONE;
    counts->link.gone += result == LINK_GONE;
    if (result != LINK_OK)
        return;
    counts->link.sent++;
    counts->link.sent_bytes += bytes->length;
    counts->sent[msg_kind_of(bytes->data, bytes->length)]++;
}

static void log_node(const char *line)
{
    log_info("%s", line);
}

void counts_log(const struct counts *counts, uint64_t before, double started)
{
    struct snapshot snapshot;
    double now = clock_monotonic(), seconds = now - started, cpu = clock_cpu();
    core_snapshot(counts->core, now, &snapshot);
    double trials = (double)(trial_states_ended(snapshot.trials) - before);
    snapshot_fini(&snapshot);
    log_info("%.0f trials ended in %.3f s (%.0f/s); %.3f s of processor time (%.1f us a trial)", trials, seconds,
             trials / fmax(seconds, 1e-9), cpu, 1e6 * cpu / fmax(trials, 1));
    log_info("%llu events in %llu commits; longest turn %.1f ms", (unsigned long long)counts->written->events,
             (unsigned long long)counts->written->commits, 1e3 * loop_longest_turn(counts->watched));
    counters_print(&counts->tree, log_node);
}
