/* What another tool's files say: an experiment file on its way, and the trials that it ran. */
#ifndef GANNET_CLI_START_IMPORTED_H
#define GANNET_CLI_START_IMPORTED_H

#include "cli/start/sketch.h"
#include "common/err.h"

#include <stdbool.h>

struct imported {
    struct sketch sketch;
    /* An array of {params: {...}, values: [number or null, ...] in the order of the metrics, ending: "completed",
     * detail, started, seconds, steps: [[step, value], ...]}; params, values and ending are always there. NULL: the
     * files have none. */
    json_t *trials;
    size_t skipped; /* trials that had not ended there */
};

/* What a person says beside the file. */
struct import_options {
    const char *file;
    const char *made_by; /* the command line, for the file's first line */
    const char *study;   /* optuna: which one; NULL: the only one */
    const char *metric;  /* csv: "val_loss" or "score maximize"; NULL: guessed */
    const char *params;  /* csv: columns, separated by commas; NULL: guessed */
};

/* A tool. `read` fills *out, which is zeroed and freed with imported_fini in any case; -1 with a sentence. */
struct importer {
    const char *name;
    const char *what; /* which file it reads */
    int (*read)(const struct import_options *options, struct imported *out, struct err *err);
};

extern const struct importer import_optuna, import_wandb, import_katib, import_nni, import_csv;

void imported_fini(struct imported *imported); /* {0} is fine */

/* --- for importers --- */

/* A range; what it stands for has this many values at least, or it is a constant. */
struct import_range {
    double min, max, step; /* step 0: none */
    bool integer, log;
};

/* Whether a parameter of an experiment can take it: numbers, texts, true, false, null, and lists of these. */
bool import_is_value(const json_t *json);

/* The keys of a parameter, new; NULL, with why not (constant) in *why. */
json_t *import_range_keys(const struct import_range *range, const char **why);
json_t *import_choice_keys(const json_t *values, const json_t *weights, const char **why);
json_t *import_normal_keys(double mean, double stddev, bool log, const char **why);

/* Adds a parameter, or, when keys is NULL, leaves it with the reason. */
void import_add(struct imported *out, const char *name, json_t *keys, const char *why);

/* A YAML or JSON file as one JSON object. NULL with a sentence. */
json_t *import_document(const char *path, struct err *err);

/* The command: words that may hold "${args}"; and one that the person has to fill in. */
void import_no_command(struct imported *out);

/* Adds a metric of the experiment; an empty name becomes "value" with a comment that says so. */
void import_metric(struct imported *out, const char *name, bool maximize);

/* An array of up to four numbers into out; false when it is none. */
bool import_numbers(const json_t *array, double *out, size_t count);

#endif
