/* Exports: an experiment written as files of another tool's format. An exporter is one file with one descriptor; who
 * reads the experiment (export_run, export_follow) gives it trial by trial, so that a million take no more memory than
 * ten. With --follow trials come again when they have changed, and what was written stays whole all the time. */
#ifndef GANNET_CLI_EXPORT_EXPORT_H
#define GANNET_CLI_EXPORT_EXPORT_H

#include "cli/data/source.h"
#include "cli/data/whole_file.h"
#include "common/buf.h"

/* An experiment that is being exported. */
struct export
{
    struct source *source;
    const json_t *experiment; /* docs/json.md */
    uint64_t id;              /* of the experiment: the same whenever it is exported */
    const char *path;         /* where to; "-": the standard output */
    bool samples;             /* --metrics: a line a metric value instead of a line a trial */
    bool follows;             /* more comes after the first settle */
    bool again;               /* set by put: what was written has to be written anew from the beginning */
    char *note;               /* a sentence that the person is told at the end; NULL: none. Owned */
    void *state;              /* the exporter's own, of begin */
};

struct exporter {
    const char *name;   /* as --format takes it */
    const char *what;   /* what it writes, for the help: "a SQLite file that Optuna opens" */
    const char *next;   /* what a person does with it: a command with one %s for the path, as a word of the shell */
    const char *ending; /* of the usual name: ".csv" */
    const struct own_mark *marks; /* of its files: such a file may be replaced. NULL: see may_replace */
    bool to_output;               /* it may go to the standard output */
    bool appends;                 /* when it follows, a trial is written once, when it has ended */
    bool curves;                  /* it needs the samples of trials (`curve`, `detail`) even without --metrics */
    bool takes_metrics;           /* knows --metrics */

    /* Whether what lies at the path is an export of this experiment, or a place for several. NULL: `marks` say. */
    bool (*may_replace)(const struct export *export);

    /* Makes what is written, and `state`. -1 with a sentence, and no state. */
    int (*begin)(struct export *export, struct err *err);

    /* A trial, in the order of the numbers the first time; a changed one comes again unless `appends`. -1 with a
     * sentence. */
    int (*put)(struct export *export, const json_t *trial, struct err *err);

    /* What was put can be read from now on, and is whole. -1 with a sentence; then what was put since the last time
     * is dropped. */
    int (*settle)(struct export *export, struct err *err);

    /* Drops what was put since the last settle, of which there was one; NULL: it can't, and begins anew instead. */
    void (*drop)(struct export *export);

    /* Frees the state; what was not settled is dropped. */
    void (*end)(struct export *export);

    /* Instead of all these: writes all at once. -1 with a sentence. */
    int (*write)(struct export *export, struct err *err);
};

/* What came of it. */
struct export_sum {
    uint64_t trials; /* that were put, each counted once */
    char *note;      /* free() it */
    bool interrupted;
};

/* What is told to who waits, while it follows: a sentence. */
typedef void export_tell(void *context, const char *sentence);

struct export_options {
    const char *path;
    bool metrics, force;
    double every; /* seconds between looks, when it follows */
    export_tell *tell;
    void *context;
};

/* Writes the experiment as it is now. 0, or an exit status with a sentence. Ctrl-C and SIGTERM give it up: what lay at
 * the path stays. */
int export_run(struct source *source, const struct exporter *exporter, const struct export_options *options,
               struct export_sum *out, struct err *err);

/* Writes it and keeps it up to date until the experiment has ended, or a signal comes. */
int export_follow(struct source *source, const struct exporter *exporter, const struct export_options *options,
                  struct export_sum *out, struct err *err);

/* For both: fills in what they share; 0, or an exit status with a sentence, also when something else lies at the path.
 */
int export_open(struct source *source, const struct exporter *exporter, const struct export_options *options,
                struct export *out, struct err *err);
void export_close(struct export *export);

/* Adds to a sentence about a full disk what became of the export, and what to do. */
void export_advise(const struct export *export, struct err *err);

/* Whether a signal asks for the end; while an export lasts they are blocked. Waits `seconds` for one. */
bool export_is_told_to_end(double seconds);

extern const struct exporter export_csv, export_jsonl, export_trace, export_optuna, export_tensorboard, export_mlflow;

#endif
