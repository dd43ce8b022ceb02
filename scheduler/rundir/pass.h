/* A pass: one file by which the members of a group look at an experiment while it runs, and can do nothing else. It
 * stands beside the run directory (runs/digits.pass), which stays closed, and has what a viewer needs: where the
 * coordinator listens for viewers, its public key, and a key pair of this pass alone. It is 0640 with the group, and is
 * written anew by each coordinator; while none lives it has no address.
 *
 * Who is given one opens it as if it were the run directory: a struct rundir whose path is the pass (pass_is). Nothing
 * is read from the run directory then, and everything is asked. Withdrawing it forgets its key. */
#ifndef GANNET_SCHEDULER_RUNDIR_PASS_H
#define GANNET_SCHEDULER_RUNDIR_PASS_H

#include "common/discovery.h"
#include "common/err.h"
#include "common/keys.h"
#include "scheduler/rundir/rundir.h"

#include <stdbool.h>
#include <sys/types.h>

/* The name of the pass of a run directory; free() it. */
char *pass_path(const struct rundir *dir);

/* Whether this is the name of a pass, which need not be there. */
bool pass_is_name(const char *path);

/* Whether it is a pass instead of a run directory. */
bool pass_is(const struct rundir *dir);

/* --- its owner's side --- */

/* The name of the pass's key, for rundir_key. */
#define PASS_KEY "pass"

/* Remembers that this group may look, with a new key unless it might do so already. -1 with a sentence. */
int pass_give(const struct rundir *dir, gid_t group, struct err *err);

/* Forgets that and the key, and removes the pass. Nothing to withdraw is fine. */
int pass_withdraw(const struct rundir *dir, struct err *err);

/* Removes a pass that was left behind by an earlier experiment of that name. */
void pass_forget(const struct rundir *dir);

/* Calls `visit` for the passes in a directory whose run directories are gone; how many there are. */
size_t pass_each_left(const char *directory, void (*visit)(void *context, const char *path), void *context);

/* Which group may look; false: none. */
bool pass_group(const struct rundir *dir, gid_t *group);

/* Writes the pass of a group that may look. `at`: where viewers are heard, with the coordinator's key; NULL: no
 * coordinator lives. -1 with a sentence, also when something that is no pass stands in its place. */
int pass_write(const struct rundir *dir, const struct discovery *at, struct err *err);

/* --- the viewer's side --- */

/* What a pass says: `at` and `pair` (keys_wipe it) may be NULL. -1 with a sentence when it is none, others may write
 * it, it is not of who owns the run directory beside it, or, where `at` is asked for, no coordinator of theirs lives.
 * `at` is exclusive: the store is closed. */
int pass_read(const struct rundir *dir, struct discovery *at, struct key_pair *pair, struct err *err);

#endif
