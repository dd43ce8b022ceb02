/* Where a made-up coordinator takes questions, for tests of who asks. */
#ifndef GANNET_TESTS_CONTROL_H
#define GANNET_TESTS_CONTROL_H

#include "common/link.h"
#include "scheduler/rundir/rundir.h"

/* Makes the keys of the run directory, when it has none, and binds its socket DIRECTORY/control; fills in what the
 * discovery says of it, of this process and this session. Fails the test when it can't be done. */
struct link *control_open(struct link_context *links, const struct rundir *dir, uint64_t session,
                          struct discovery *out);

/* A link to it, or to its workers' socket, with a key of the run directory: "operator", or "worker". */
struct link *control_connect(struct link_context *links, const struct rundir *dir, const char *who,
                             const struct discovery *discovery);

#endif
