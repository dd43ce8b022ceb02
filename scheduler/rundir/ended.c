/* How far the experiment of a run directory has come, and how it ended; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "scheduler/store/reader.h"

bool rundir_reason(const struct rundir *dir, enum experiment_state *state, enum reason *reason)
{
    struct snapshot snapshot = {0};
    struct reader *reader = reader_open(dir->store, NULL);
    bool known = reader && reader_snapshot(reader, &snapshot, NULL) == 0;
    reader_close(reader);
    *state = snapshot.state;
    *reason = snapshot.reason;
    snapshot_fini(&snapshot);
    return known;
}

bool rundir_ended(const struct rundir *dir, uint64_t *ended)
{
    return reader_count_ended(dir->store, ended, NULL) == 0;
}
