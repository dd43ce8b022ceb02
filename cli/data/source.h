/* An experiment that a person names, and the way to read it: its store, or - when the store is locked (network
 * filesystems) or the state must be of this second - its living coordinator. Commands read through this alone. */
#ifndef GANNET_CLI_DATA_SOURCE_H
#define GANNET_CLI_DATA_SOURCE_H

#include "scheduler/rundir/rundir.h"
#include "scheduler/store/reader.h"

struct source;

/* Finds and opens the experiment `what` (see rundir_find; NULL: the last one); a pass while its coordinator lives. 0
 * and *out; else the exit status that the command is to have, with a sentence. */
int source_open(const char *what, struct source **out, struct err *err);

/* The same for a run directory. */
int source_open_dir(const struct rundir *dir, struct source **out, struct err *err);
void source_close(struct source *source); /* NULL is fine */

/* How many seconds a coordinator may take to answer; 10 unless set. */
void source_set_patience(struct source *source, double seconds);

/* From here on its coordinator is asked with the viewer's key: nothing can be changed. Before anything is asked. */
void source_only_look(struct source *source);

/* Several readings, one after the other, cost little more than one between these two (reader_hold): for moments. */
void source_hold(struct source *source);
void source_release(struct source *source);

/* From when on *stop is true, readings and questions end soon, with a sentence. Another thread may set it. */
void source_stop_at(struct source *source, const atomic_bool *stop);
bool source_is_stopped(const struct source *source);

const struct rundir *source_dir(const struct source *source);

/* Its frozen spec; of a pass, whose run directory is closed, the one that the store began with. NULL with a sentence.
 */
struct spec *source_spec(struct source *source, struct err *err);

/* Whether a coordinator runs it now. */
bool source_lives(const struct source *source);

/* Whether one may: somebody else's, who lets a group read what is recorded. It can't be asked anything. */
bool source_is_hidden(const struct source *source);

/* Asks the living coordinator (service.h); 0 or an exit status with a sentence. `answer` may be NULL. Takes over the
 * reference to `arguments`. */
int source_ask(struct source *source, const char *what, json_t *arguments, json_t **answer, struct err *err);

/* What a function of the reading half gives (scheduler/coordinator/query.h: "best", "experiment", ...), from wherever
 * it can be read: the store or its coordinator. Takes over the reference to `arguments`; NULL: none. NULL with a
 * sentence. */
json_t *source_read(struct source *source, const char *function, json_t *arguments, struct err *err);

/* The trials of a query. NULL with a sentence. */
json_t *source_trials(struct source *source, const struct trial_query *query, struct err *err);

/* The same one by one, for experiments of any size. They are read page by page: an answer of the coordinator has a
 * largest size, and a reader that is slow to go on must not keep old pages of the store alive. A visitor may read, too.
 */
int source_each_trial(struct source *source, const struct trial_query *query, reader_visit *visit, void *context,
                      struct err *err);

/* Everything about one trial; 0 and *out, else an exit status with a sentence, also when there is no such trial. */
int source_show(struct source *source, uint64_t trial, json_t **out, struct err *err);

/* The state of an experiment. */
struct experiment_standing {
    struct snapshot snapshot;
    json_t *counters; /* of the living coordinator (docs/json.md), owned; NULL: there is none */
    char *trouble;    /* what keeps the coordinator from going on ("the disk is full ..."); NULL: nothing */
};

/* The state of a living one from its coordinator, of another from its store. 0, or an exit status with a sentence. */
int source_standing(struct source *source, struct experiment_standing *out, struct err *err);

/* The same with a few of the workers alone, those that there is something to say of: for who asks again and again. */
int source_standing_short(struct source *source, struct experiment_standing *out, struct err *err);

/* As its store says, whoever lives. -1 with a sentence, also when the store is locked. */
int source_recorded(struct source *source, struct experiment_standing *out, struct err *err);
void standing_fini(struct experiment_standing *standing);

#endif
