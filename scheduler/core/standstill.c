/* See standstill.h. A worker tells of the ranks of its node alone; that others wait for one of them is known from what
 * the workers of the other nodes say. While none waits, all compute: a large batch is no standstill. */
#include "scheduler/core/standstill.h"
#include "common/units.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void standstill_note(struct core *core, struct worker *worker, const struct msg_stall *stall)
{
    struct lease *lease = lease_find(core, worker->id, stall->trial, stall->attempt);
    if (!lease)
        return; /* it has ended meanwhile */
    bool has_begun = lease->standstill.still || lease->standstill.waiting;
    core->standstills -= has_begun;
    lease->standstill = (struct standstill){.still = stall->still,
                                            .waiting = stall->waiting,
                                            .rank = stall->rank,
                                            .process = stall->process,
                                            .since = core->now - stall->seconds};
    snprintf(lease->standstill.why, sizeof lease->standstill.why, "%s", stall->why);
    core->standstills += stall->still || stall->waiting;
}

void standstill_forget(struct core *core, const struct lease *lease)
{
    core->standstills -= lease->standstill.still || lease->standstill.waiting;
}

/* All that is said of a run. */
struct still_sum {
    const struct lease *longest; /* with the rank that moved longest ago; NULL: none is still */
    const struct lease *stopped; /* with the process that was stopped longest ago; NULL: none is */
    uint64_t still, waiting;
};

static void add_lease(struct still_sum *sum, const struct lease *lease)
{
    const struct standstill *said = &lease->standstill;
    const struct lease **first = said->process ? &sum->stopped : &sum->longest;
    sum->still += said->process ? 0 : said->still;
    sum->waiting += said->waiting;
    if (said->still && (!*first || said->since < (*first)->standstill.since))
        *first = lease;
}

static struct still_sum add_all(struct lease *lease)
{
    struct still_sum sum = {0};
    const struct lease *first = gang_first(lease);
    if (!first)
        return sum;
    add_lease(&sum, first);
    for (const struct list_link *link = first->gang.parts.after; link != &first->gang.parts; link = link->after)
        add_lease(&sum, LIST_ITEM(link, struct lease, gang.link));
    return sum;
}

/* How long ago, as people write it, in `text`. */
static const char *show_since(const struct core *core, const struct standstill *said, char text[static 32])
{
    return units_show_duration(fmax(floor(core->now - said->since), 0), text, 32);
}

static void describe_stopped(const struct core *core, const struct lease *lease, struct buf *out)
{
    const struct standstill *said = &lease->standstill;
    char seconds[32];
    buf_format(out, "process %u on node %s has been stopped for %s (SIGSTOP); kill -CONT %u there lets it go on",
               said->process, lease->worker->node, show_since(core, said, seconds), said->process);
}

static void describe_waiting(const struct core *core, const struct still_sum *sum, struct buf *out)
{
    const struct standstill *said = &sum->longest->standstill;
    char seconds[32];
    buf_format(out, "rank %u on node %s has not moved for %s: %s; %llu other rank%s for it", said->rank,
               sum->longest->worker->node, show_since(core, said, seconds), said->why, (unsigned long long)sum->waiting,
               sum->waiting == 1 ? " waits" : "s wait");
    if (sum->still > 1)
        buf_format(out, "; %llu more %s still, too", (unsigned long long)(sum->still - 1),
                   sum->still == 2 ? "stands" : "stand");
}

/* Adds "rank 3 on node b has not moved for 42 s: its process is stopped; 3 other ranks wait for it", or "process 1234
 * on node b has been stopped for 42 s", of a run of this lease, whichever of its nodes that is on. False: there is no
 * such thing to say. */
static bool standstill_describe(const struct core *core, struct lease *lease, struct buf *out)
{
    struct still_sum sum = add_all(lease);
    if (sum.stopped)
        describe_stopped(core, sum.stopped, out);
    else if (sum.longest && sum.waiting)
        describe_waiting(core, &sum, out);
    else
        return false;
    return true;
}

char *standstill_append(const struct core *core, struct lease *lease, const char *sentence)
{
    struct buf text = {0};
    bool any = sentence && *sentence;
    if (any)
        buf_format(&text, "%s; ", sentence);
    if (standstill_describe(core, lease, &text))
        return buf_take(&text);
    buf_fini(&text);
    return NULL;
}

static void add_to_snapshot(const struct core *core, struct lease *lease, struct snapshot *out)
{
    struct snapshot_standstill *one = &out->standstills[out->standstill_count];
    struct buf text = {0};
    bool has_room = out->standstill_count < SNAPSHOT_STANDSTILLS;
    if (has_room && !lease->gang.node && standstill_describe(core, lease, &text)) {
        one->trial = lease->trial;
        snprintf(one->text, sizeof one->text, "%s", buf_str(&text));
        out->standstill_count++;
    }
    buf_fini(&text);
}

/* Leases are looked through only while some worker has said such a thing. */
void standstill_snapshot(const struct core *core, struct snapshot *out)
{
    struct map_entry entry;
    for (size_t at = 0; core->standstills && map_next(&core->leases, &at, &entry);)
        add_to_snapshot(core, entry.value, out);
}
