/* The run directory: one per experiment, closed to others, everything about the experiment in it (docs/design.md lists
 * it). */
#ifndef GANNET_SCHEDULER_RUNDIR_RUNDIR_H
#define GANNET_SCHEDULER_RUNDIR_RUNDIR_H

#include "common/discovery.h"
#include "common/err.h"
#include "common/keys.h"
#include "scheduler/core/event.h"
#include "scheduler/spec/spec.h"
#include "scheduler/spec/spec_defaults.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Paths of the parts of a run directory; free with rundir_fini. */
struct rundir {
    char *path;                  /* absolute */
    char *experiment, *original; /* experiment.yaml, original.yaml */
    char *store;                 /* gannet.db */
    char *identity;              /* the file of that name */
    char *discovery;             /* coordinator.json */
    char *lock;                  /* coordinator.lock */
    char *keys;                  /* keys/ */
    char *logs;                  /* logs/ */
    char *trials;                /* trials/ */
};

/* The paths only; touches nothing. However the path is written (runs/a/, ./runs//a, runs/b/../a), a directory has one
 * name, as far as links in it don't give it several. */
void rundir_name(const char *path, struct rundir *out);
void rundir_fini(struct rundir *dir);

/* The file of a key pair; `who` is "coordinator", "worker", "operator" (the command line) or "viewer" (who only looks).
 * free() it. */
char *rundir_key(const struct rundir *dir, const char *who);

/* Reads that key pair, of a pass (pass.h) its own; keys_wipe it. -1 with a sentence. */
int rundir_read_key(const struct rundir *dir, const char *who, struct key_pair *out, struct err *err);

/* Makes that key pair, unless it is there: run directories of earlier versions lack the operator's or the viewer's. */
int rundir_make_key(const struct rundir *dir, const char *who, struct err *err);

/* Makes the directory of a new experiment: freezes the spec (choosing a seed when it has none), copies the original
 * file, makes keys and the store. -1 with a sentence; when an experiment is there already, it says how many trials and
 * offers --resume. Leaves nothing behind on failure. */
int rundir_make(const struct rundir *dir, struct spec *spec, struct err *err);

/* Makes again what a directory lacks that a search goes on without: logs and trials, which people remove for room, and
 * keys, which a copy may leave out. Those that are there stay. */
int rundir_complete(const struct rundir *dir, struct err *err);

/* Writes a random identity into the file of that name, for the store to have, too. free() it. */
int rundir_make_identity(const struct rundir *dir, char **identity, struct err *err);

/* Whether the store is the one that was made with the directory, as far as both have an identity: those of earlier
 * versions have none. -1 with a sentence, also when it can't be read. */
int rundir_check_store(const struct rundir *dir, struct err *err);

/* Keeps the experiment's file as the person wrote it. */
int rundir_copy_original(const struct rundir *dir, const struct spec *spec, struct err *err);

/* Writes the frozen experiment, unless it is there just so: a full disk keeps nobody from going on with it. */
int rundir_freeze(const struct rundir *dir, const struct spec *spec, struct err *err);

/* For --resume: reads the frozen spec, applies overrides, and refuses (with a sentence naming the keys) those that
 * would change the search: everything but limits.*, resources.*, description and tags. Writes nothing: rundir_freeze
 * does, when the caller finds the result good. NULL with a sentence or problems. `fresh` may be a newly read spec of
 * the same experiment whose limits and resources are taken over (it holds the old ones afterwards); NULL: none. What
 * neither says `defaults` may (NULL: none). `checked` as the stamp of store_check. */
struct spec *rundir_resume(const struct rundir *dir, struct spec *fresh, const char *const *overrides,
                           size_t override_count, const struct spec_defaults *defaults, struct problems *problems,
                           struct buf *checked, struct err *err);

/* The frozen spec. */
struct spec *rundir_spec(const struct rundir *dir, struct err *err);

/* The same for who only reads: of a store that is somewhere without its run directory, the spec that it began with. */
struct spec *rundir_spec_recorded(const struct rundir *dir, struct err *err);

/* The spec that it began with, as the reading half's "experiment" has it. */
struct spec *rundir_spec_of(const struct rundir *dir, const json_t *experiment, struct err *err);

/* How many trials of it have ended, by its store, `added`: with those that a person added; false when that can't be
 * read. */
bool rundir_ended(const struct rundir *dir, bool added, uint64_t *ended);

/* Finds the experiment that a person names: a run directory, a .db file, a name below runs/, a unique beginning of one,
 * or "last" (also NULL): the one used last below runs/; a pass (pass.h), or the run directory beside which one stands
 * when that is closed to us. -1 with a sentence that lists what there is (exit status 5). */
int rundir_find(const char *what, struct rundir *out, struct err *err);

/* How it stands, and why it ended last time, by its store: the reason is REASON_NONE while it has not ended in order.
 * False when that can't be read. */
bool rundir_reason(const struct rundir *dir, enum experiment_state *state, enum reason *reason);

/* Calls `visit` for each experiment below runs/, the one used last first; how many there are. */
size_t rundir_each(void (*visit)(void *context, const struct rundir *dir), void *context);

/* When a coordinator of it started last, or it was made; seconds since 1970. */
double rundir_last_used(const struct rundir *dir);

/* Remembers in the person's state directory that there is this one: $XDG_STATE_HOME/gannet, by default below
 * ~/.local/state. Where that can't be written nothing is remembered, and nothing fails. */
void rundir_register(const struct rundir *dir);

/* Calls `visit` for the `most` experiments used last of all that are remembered, wherever they are, the latest first;
 * how many are remembered. What is not there any more is forgotten. */
size_t rundir_each_registered(size_t most, void (*visit)(void *context, const struct rundir *dir), void *context);

/* Takes the lock of the directory for this process: 0 and a descriptor to keep open; -1 with a sentence naming the
 * process that has it, or saying that others may write there: what stands in the directory is run. Safe on network
 * filesystems (open file description lock). */
int rundir_lock(const struct rundir *dir, int *fd, struct err *err);

/* The same; *taken: it failed because another process has the lock, and not because there may be none here. */
int rundir_try_lock(const struct rundir *dir, int *fd, bool *taken, struct err *err);

/* The holder of this lock can't go on yet, or can again. */
void rundir_mark_waiting(int fd, bool waits);

/* Whether some process has the lock and said that it can't go on yet. */
bool rundir_is_waiting(const struct rundir *dir);

/* Whether some process has the lock; and whether it keeps it longer than a process that was killed needs to end. */
bool rundir_is_locked(const struct rundir *dir);
bool rundir_stays_locked(const struct rundir *dir);

/* Where the living coordinator listens (common/discovery.h): written 0600 at once when it does, removed when it ends.
 * Reading: discovery_find of this directory; of a pass what that says. */
int discovery_write(const struct rundir *dir, const struct discovery *discovery, struct err *err);
int discovery_read(const struct rundir *dir, struct discovery *out, struct err *err);
void discovery_remove(const struct rundir *dir);

#endif
