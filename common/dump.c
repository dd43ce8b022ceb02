/* Core dumps of processes that hold keys; see dump.h. */
#include "common/dump.h"

static struct {
    struct rlimit limit;
    bool changed;
} before;

/* A hard limit of 0 leaves room for no byte: files are out of the question, and handlers that go by the limit, as
 * systemd-coredump does, write nothing. */
void dump_forbid(void)
{
    struct rlimit now;
    if (before.changed || getrlimit(RLIMIT_CORE, &now) || now.rlim_max == 0 || now.rlim_cur == 1)
        return;
    before.limit = now;
    now.rlim_cur = 1;
    before.changed = setrlimit(RLIMIT_CORE, &now) == 0;
}

bool dump_limit_before(struct rlimit *out)
{
    *out = before.limit;
    return before.changed;
}
