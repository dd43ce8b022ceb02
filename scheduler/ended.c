/* How far the experiment of a run directory has come; see rundir.h. */
#include "scheduler/rundir.h"

#include "scheduler/store/reader.h"

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
