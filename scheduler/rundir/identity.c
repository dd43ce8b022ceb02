/* Whether a run directory has the store that was made with it; see rundir.h. */
#include "scheduler/rundir/rundir.h"

#include "common/share.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { IDENTITY_DIGITS = 32 };

int rundir_make_identity(const struct rundir *dir, char **identity, struct err *err)
{
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_errno(err, "can't get random numbers for the identity of %s", dir->path);
    *identity = mem_format("%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    return path_write(dir->identity, *identity, IDENTITY_DIGITS, share_mode(dir->identity), err);
}

/* Directories of earlier versions have none: NULL. */
static char *read_identity(const struct rundir *dir)
{
    struct buf text = {0};
    bool known = path_is_file(dir->identity) && path_read(dir->identity, &text, IDENTITY_DIGITS, NULL) == 0 &&
                 text.length == IDENTITY_DIGITS;
    char *identity = known ? mem_text(buf_str(&text)) : NULL;
    buf_fini(&text);
    return identity;
}

int rundir_check_store(const struct rundir *dir, struct err *err)
{
    char *theirs, *ours = read_identity(dir);
    if (reader_identity(dir->store, &theirs, err)) {
        free(ours);
        return -1;
    }
    int failed = 0;
    if (ours && theirs && strcmp(ours, theirs) != 0)
        failed = err_set(err,
                         "%s is not the store that was made with this run directory: it was put there from another "
                         "one. Put its own back; or read the other one by its path: gannet trials %s",
                         dir->store, dir->store);
    free(ours);
    free(theirs);
    return failed;
}
