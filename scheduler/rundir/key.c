/* The keys of a run directory: whoever has one of them may connect as that; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "common/mem.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <stdlib.h>

char *rundir_key(const struct rundir *dir, const char *who)
{
    return mem_format("%s/%s.key", dir->keys, who);
}

int rundir_read_key(const struct rundir *dir, const char *who, struct key_pair *out, struct err *err)
{
    if (pass_is(dir))
        return pass_read(dir, NULL, out, err);
    char *file = rundir_key(dir, who);
    int failed = keys_read(file, out, err);
    free(file);
    return failed;
}

int rundir_make_key(const struct rundir *dir, const char *who, struct err *err)
{
    struct key_pair pair;
    char *file = rundir_key(dir, who);
    int failed = path_exists(file) ? 0 : keys_make(&pair, err) || keys_write(file, &pair, err);
    keys_wipe(&pair);
    free(file);
    return failed ? -1 : 0;
}
