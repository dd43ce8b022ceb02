/* How far the experiment of a run directory has come, and how it ended; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "scheduler/store/reader.h"

/* False when it can't be read; snapshot_fini is due in any case. */
static bool read_snapshot(const struct rundir *dir, struct snapshot *out)
{
    struct reader *reader = reader_open(dir->store, NULL);
    *out = (struct snapshot){0};
    bool known = reader && reader_snapshot(reader, out, NULL) == 0;
    reader_close(reader);
    return known;
}

bool rundir_reason(const struct rundir *dir, enum experiment_state *state, enum reason *reason)
{
    struct snapshot snapshot;
    bool known = read_snapshot(dir, &snapshot);
    *state = snapshot.state;
    *reason = snapshot.reason;
    snapshot_fini(&snapshot);
    return known;
}

bool rundir_ended(const struct rundir *dir, uint64_t *ended)
{
    struct snapshot snapshot;
    bool known = read_snapshot(dir, &snapshot);
    *ended = trial_states_ended(snapshot.trials);
    snapshot_fini(&snapshot);
    return known;
}
