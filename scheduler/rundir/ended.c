/* How far the experiment of a run directory has come, and how it ended; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "scheduler/store/reader.h"

bool rundir_reason(const struct rundir *dir, enum experiment_state *state, enum reason *reason)
{
    struct reader *reader = reader_open(dir->store, NULL);
    struct snapshot snapshot = {0};
    bool known = reader && reader_snapshot(reader, &snapshot, NULL) == 0;
    *state = snapshot.state;
    *reason = snapshot.reason;
    snapshot_fini(&snapshot);
    reader_close(reader);
    return known;
}

bool rundir_ended(const struct rundir *dir, uint64_t *ended)
{
    struct reader *reader = reader_open(dir->store, NULL);
    struct snapshot snapshot = {0};
    bool known = reader && reader_snapshot(reader, &snapshot, NULL) == 0;
    *ended = trial_states_ended(snapshot.trials);
    snapshot_fini(&snapshot);
    reader_close(reader);
    return known;
}
