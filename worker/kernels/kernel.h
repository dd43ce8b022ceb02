/* What a training kernel is: a table of functions, called by the trainer in this order, all from one thread.
 *
 *     open      once: read the options, load the data (the warm part, kept from trial to trial)
 *     start     for each trial: read the configuration, allocate
 *     resume    when there is a checkpoint: takes it up in place of the first steps
 *     step      one unit of fidelity (an epoch); until all are done, or the kernel says so, the metric
 *               diverged or HALT came
 *     save      after a step: what a checkpoint needs; the trainer writes the file
 *     finish    after each start that succeeded
 *     close     once
 *
 * A kernel may crash, hang or leak: it costs one run, the worker starts a new trainer. */
#ifndef GANNET_WORKER_KERNELS_KERNEL_H
#define GANNET_WORKER_KERNELS_KERNEL_H

#include "common/endings.h"
#include "common/err.h"
#include "common/operations.h"
#include "common/pack.h"
#include "common/phases.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* One row of a kernel's options (trial.options in the experiment file) or of the parameters it understands. A name that
 * ends in '*' stands for all names with that beginning. kernel_settings.h reads the rows. */
struct kernel_option {
    const char *name; /* NULL ends the table */
    const char
        *type; /* "text", "integer", "number", "switch", "list", "map" or a word; several separated by |: "sgd|adam" */
    const char *default_value; /* the default, as text; NULL: must be given; "" : none */
    const char *help;          /* one line */
    double min, max;           /* the range of a number, both included; min == max: not limited */
};

/* What is the same for all trials of a trainer. */
struct kernel_task {
    const json_t *options;               /* the object trial.options, or NULL */
    const char *base;                    /* directory that relative paths start from */
    const char *metric;                  /* the objective's name */
    int threads;                         /* processor threads the kernel may use */
    const struct collective *collective; /* of a kernel with `ranks`: the processes that train each trial together;
                                            NULL: this one alone. All get the same calls */
};

/* One trial. */
struct kernel_trial {
    uint64_t number;
    uint32_t attempt;
    uint64_t seed;        /* of all its random numbers */
    const json_t *params; /* the object of parameters */
};

/* Where a kernel's step leaves what it measured. */
struct kernel_report {
    void *context;
    /* Reports a metric of the present step. The trainer copies the name. */
    void (*metric)(void *context, const char *name, double value);
    int64_t step;     /* the step that metrics are reported for; a kernel with its own count of steps may set it */
    double objective; /* the last value of the objective that was reported; set by who takes the metrics */
    bool done;        /* set by a kernel in its step: this was the last one, the run is complete */
    uint64_t samples; /* a kernel may add the examples that a step trained on */
    struct phase_time
        phases[PHASES_COUNT]; /* the kernel adds its times to these; when it adds none, a step is "work" */
    struct operation_count operations[OPERATIONS_COUNT]; /* a kernel adds what it counts */
    uint64_t timed;                                      /* bits of the operations that this step is to time */
};

/* The metric that the trainer reports of kernels that count their examples, when it is the objective: examples of a
 * step by the seconds that it trained, without validation. */
#define KERNEL_SPEED "samples_per_second"

/* The row of the parameter that says how many of the slot's threads a trial has. */
#define KERNEL_THREADS_PARAM                                                                                           \
    {                                                                                                                  \
        "threads", "integer", "0", "of the slot's processors, that train it; 0: all of them", 0, 65536                 \
    }

/* An experiment to begin with, each part in a few words (cli/start/wishes.h); parameters NULL: there is none. */
struct kernel_example {
    const char *options;    /* trial.options: "data=generate:shapes scaling=unit" */
    const char *metric;     /* "val_accuracy maximize" */
    const char *parameters; /* what is searched: "lr=1e-4..0.03:log optimizer=sgd,adam" */
    const char *data;       /* which data that is, and where one's own is to be put: a sentence */
};
struct collective;
struct dataset;

/* Training several trials at once, in one process (resources.fuse). Each has a `self` of its own, which goes through
 * start, resume, save, finish and close as that of `open` does; what open has loaded they share. So nothing of a trial
 * lies elsewhere between two steps, and it is paused, resumed and ended as one that trains alone. */
struct kernel_fusion {
    size_t (*most)(const void *self); /* trials of a call of step, at least 2 */

    /* Another self beside that of open, which outlives it. */
    void *(*join)(void *self);

    /* Whether two that were started may take their next steps together. */
    bool (*match)(const void *self, const void *other);

    /* How many of such trials, at least 2, train faster together than one after the other. */
    size_t (*least)(const void *self);

    /* Bytes of a device that each of several takes beside its own when they train together; 0: it trains alone. */
    uint64_t (*room)(const void *self);

    /* The next step of `count` trials that match, `least` to `most`; for each what struct kernel's step does. */
    void (*step)(void *const *selves, size_t count, struct kernel_report *const *reports, enum ending *endings,
                 struct err *const *errs);
};

struct kernel {
    const char *name;
    const char *summary;                 /* one line */
    const struct kernel_option *options; /* of trial.options */
    const struct kernel_option *params;  /* parameters of the experiment that it understands */
    bool fixed;                          /* parameters may be given as options too: fixed for all trials */
    const char *shapes;  /* names of parameters, separated by blanks, from which it follows together with options and
                            data  whether a trial can start; NULL: nobody asks before */
    bool ranks;          /* several processes may train a trial together */
    const char *metrics; /* the metrics it reports, "val_loss, val_accuracy, train_loss"; "*": any, the data says */
    const char *memory;  /* what a trial takes, a sentence */
    struct kernel_example example;

    /* Reads options and data. -1 with a sentence (the trainer then refuses every trial with it). What `task` points to
     * lives until close. */
    int (*open)(const struct kernel_task *task, void **self, struct err *err);

    /* Optional: the examples that open has read; of a text x is NULL. */
    const struct dataset *(*data)(const void *self);

    /* Optional: bytes of what computes that open and start have taken. */
    uint64_t (*taken)(const void *self);

    /* Prepares a trial; *steps is how many steps it has. -1 with a sentence: the configuration can't be run
     * (bad_config). What `trial` points to lives until finish. */
    int (*start)(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err);

    /* Runs step `step`, from 1, and reports metrics. Returns COMPLETED to go on (or be done after the last), any other
     * ending to end the trial with it and the sentence in err. A NaN objective needs no care: the trainer sees it. */
    enum ending (*step)(void *self, int64_t step, struct kernel_report *report, struct err *err);

    /* Optional, both or none: a kernel that has them can be continued. Adds to `out` all that the next steps depend on
     * beside the configuration and the data, piece by piece: never a copy of all of it. A write that failed is the
     * trainer's business. */
    void (*save)(void *self, struct pack_writer *out);

    /* Directly after start: takes back what was saved after step `step`, by this trial or by another one whose
     * configuration may differ. -1 with a sentence when the bytes don't fit. Any bytes may come: whether the file is
     * whole is known behind its last byte. When it is not, or -1 was returned, the trainer calls finish and starts
     * anew, before any step. */
    int (*resume)(void *self, int64_t step, struct pack_reader *in, struct err *err);

    /* Frees what start allocated. */
    void (*finish)(void *self);

    /* Frees all. Never called with NULL. */
    void (*close)(void *self);

    const struct kernel_fusion *fusion; /* NULL: it trains one trial at a time */
};

/* The kernels of this build; NULL ends the list. */
extern const struct kernel kernel_cnn, kernel_gbt, kernel_logreg, kernel_lstm, kernel_mlp, kernel_resnet, kernel_synth,
    kernel_table, kernel_transformer;
extern const struct kernel *const kernel_list[];

/* The kernel of that name, or NULL. */
const struct kernel *kernel_find(const char *name);

#endif
