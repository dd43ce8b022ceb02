/* The spec: an experiment file that was read, checked and filled in. Plain data; everything outside this directory
 * works from it and never sees YAML.
 *
 *     spec_read     file + --set overrides -> spec, or all problems of the file at once
 *     spec_write    spec -> YAML that reads back as the same spec (the frozen experiment)
 */
#ifndef GANNET_SCHEDULER_SPEC_SPEC_H
#define GANNET_SCHEDULER_SPEC_SPEC_H

#include "common/buf.h"
#include "common/err.h"
#include "common/growth.h"
#include "common/metric.h"
#include "common/trial_args.h"
#include "search/space.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* CUDA's Multi-Process Service for trials that share a GPU: one that runs; none; the worker's own. */
enum mps_rule { MPS_AUTO, MPS_OFF, MPS_ON };
enum bind { BIND_NONE, BIND_CORE, BIND_SOCKET, BIND_NUMA };

/* How an experiment lies on a Slurm cluster: in one allocation; coordinator and workers apart, the workers as elements
 * of an array; or workers submitted one by one while there is work for them. */
enum slurm_shape { SHAPE_JOB, SHAPE_ARRAY, SHAPE_ELASTIC };

/* How GPUs are asked for when a trial needs some and the file names no gres and no gpus_per_node. AUTO: as GRES, which
 * every Slurm understands. */
enum gpu_request { GPU_REQUEST_AUTO, GPU_REQUEST_GPUS, GPU_REQUEST_GRES, GPU_REQUEST_NONE };

/* A name and a text: an environment variable. */
struct setting {
    char *name, *text;
};

/* Whether trials can be continued from checkpoints. AUTO: kernels that can are, commands are not; resolved before an
 * experiment is frozen. */
enum checkpoint_rule { CHECKPOINT_AUTO, CHECKPOINT_NO, CHECKPOINT_YES };

/* What asks a program to save a checkpoint and end. */
enum trial_signal { SIGNAL_NONE, SIGNAL_USR1, SIGNAL_USR2, SIGNAL_TERM };

/* Whether a program's process runs one trial after the other. */
struct spec_persistent {
    bool on;
    uint64_t trials; /* after which it is renewed; 0: any number */
    uint64_t growth; /* bytes that it may hold more than after its first one; 0: as usual */
};

struct spec_trial {
    char *kernel;    /* the built-in kernel, or NULL when there is a command */
    json_t *options; /* object or NULL: the kernel's own options */
    char **command;  /* argv, or NULL when there is a kernel; a string in the file became /bin/sh -c */
    uint32_t command_count;
    enum args_style args_style;
    json_t *args;    /* object or NULL: of parameters that have one, their `arg` */
    json_t *config;  /* object or NULL: the program's own configuration, which trials get with their parameters in it */
    char *workdir;   /* absolute */
    char *container; /* absolute path of the image that the command runs in; NULL: none */
    char *container_runtime; /* apptainer or singularity; NULL: whichever is there */
    char **container_options;
    uint32_t container_option_count;
    struct setting *env;
    uint32_t env_count;
    enum checkpoint_rule checkpoint;
    uint32_t retries;  /* runs after a failed one */
    uint32_t requeues; /* runs in a row that go on later and come no further */
    double grace;      /* seconds */
    enum trial_signal signal;
    json_t *metrics_from; /* object of file and pattern, or NULL: what it prints in the usual forms */
    struct spec_persistent persistent;
    bool buffered;     /* its output comes as the program would write it to a file, not line by line */
    bool launch_first; /* the command is started once and starts its processes by itself, else once for each rank */
};

/* An earlier experiment to learn from. */
struct spec_source {
    char *experiment; /* its name, or the absolute path of its run directory or store */
    uint64_t best;    /* only so many of its best trials; 0: all */
};

struct spec_strategy {
    char *name;
    char *plugin;    /* absolute path, or NULL */
    json_t *options; /* object or NULL */
    bool repeat;     /* may propose the same configuration again */
};

/* Limits of the experiment; 0 and 0.0 mean no limit, but max_failures has its own flag. */
struct spec_limits {
    uint64_t max_trials;
    uint32_t max_concurrent;
    bool has_max_failures;
    uint64_t max_failures;
    uint32_t same_failures;   /* in a row */
    double time;              /* seconds that the experiment may run */
    double trial_time;        /* seconds that one run may take */
    struct growth on_timeout; /* of the next attempt, after one that took them all */
    double trial_time_max;    /* the most that becomes of them */
};

/* What one trial gets; 0: not given. */
struct spec_resources {
    uint32_t cpus, sockets;
    uint32_t ranks;      /* processes of a trial on each of its nodes, at least 1 */
    bool ranks_given;    /* the file says how many; else a kernel that can has one for each socket */
    uint32_t nodes;      /* different ones that a trial takes a slot on each of, at least 1 */
    uint32_t per_socket; /* trials on each socket; instead of both */
    uint32_t fuse;       /* trials of a slot that train together, at least 1 */
    uint32_t gpus;       /* that it uses, also those that it has a part of */
    double gpu_share;    /* of one GPU, below 1; else as gpus */
    uint64_t gpu_memory; /* bytes of a GPU's */
    enum mps_rule mps;
    uint64_t memory;      /* bytes */
    struct growth on_oom; /* of the next attempt, after one that ran out of it */
    uint64_t memory_max;  /* the most that becomes of it */
    enum bind bind;
};

/* From the first to the last; {0}: not given. */
struct spec_ports {
    uint32_t first, last;
};

/* Where a coordinator listens for other machines, as far as --listen leaves it open. */
struct spec_network {
    char *interface; /* its name, or the IPv4 subnet that its address is in; NULL: all of the machine's */
    struct spec_ports ports;
};

/* Who is told that the search has ended. */
struct spec_notify {
    char *mail;          /* addresses with commas between them, or NULL */
    char **mail_command; /* what sends mail: reads it from its standard input, headers first */
    uint32_t mail_command_count;
    char **command; /* what is run besides */
    uint32_t command_count;
};

/* The keys under `slurm:`, named as sbatch's long options; texts may be NULL, and 0 means not given where nothing else
 * is said. Texts are Slurm's own: what they mean is for scheduler/slurm and for Slurm. */
struct spec_slurm {
    bool given; /* the file has the section at all */
    enum slurm_shape shape;
    char *partition, *account, *qos, *reservation;
    double time, time_min;     /* seconds */
    uint32_t nodes;            /* shape job: how many; at least 1 */
    uint32_t workers_per_node; /* that share a node; at least 1 */
    char *gpus_per_node, *gres;
    enum gpu_request gpu_request;
    uint32_t cpus_per_task;
    bool has_mem;
    uint64_t mem;         /* bytes a node; 0: all of it */
    uint64_t mem_per_cpu; /* bytes */
    char *constraint, *nodelist, *exclude, *dependency, *licenses, *mail_user, *mail_type, *begin, *comment;
    bool exclusive, hold, requeue;
    uint32_t nice;
    double signal_before_end; /* seconds */
    char **setup;             /* lines of the batch script, before gannet starts */
    uint32_t setup_count;
    char **sbatch_args; /* options of sbatch, as on its command line */
    uint32_t sbatch_args_count;
    char **components; /* shape job: the options of each further component, between blanks */
    uint32_t components_count;
    /* For shapes array and elastic. */
    uint32_t workers;      /* the most at a time; at least 1 */
    bool coordinator_here; /* the coordinator runs where the person is, else in a job of its own */
    char *coordinator_partition;
    double coordinator_time; /* seconds; not given: time */
    double idle_time;        /* seconds after which a worker without work leaves */
    uint32_t backlog;        /* elastic: the most jobs that wait in the queue at a time; at least 1 */
};

/* Where a key's value came from that the file does not give; see spec_defaults.h. */
struct spec_origin {
    char *key;    /* "slurm.partition" */
    char *source; /* "/etc/gannet/site.yaml:3" or a variable's name */
};

/* The first and the last step that are timed; 0: all are. */
struct spec_steps {
    uint64_t first, last;
};

/* The keys under `profile:`. */
struct spec_profile {
    json_t *operations; /* names of those that are timed; NULL: none */
    struct spec_steps steps;
};

struct spec {
    char *file;        /* the file it was read from, as the person named it: for messages */
    char *base;        /* absolute directory of that file (after freezing: of the original file) */
    char *name;        /* default: the file's name without its ending */
    char *description; /* or NULL */
    char **tags;
    uint32_t tag_count;
    char *share; /* the group that may read the run directory; NULL: none */
    bool has_seed;
    uint64_t seed; /* below 2^63; when not given: chosen when the experiment is frozen */
    struct spec_trial trial;
    struct metric metric;   /* the first: an objective, whose value is the trial's */
    struct metric *metrics; /* all of them, the first again; they own their texts */
    uint32_t metric_count;
    bool has_target;
    double target; /* of the first */
    struct space *space;
    char **start; /* start points as JSON objects */
    uint32_t start_count;
    struct spec_source *sources; /* start_from */
    uint32_t source_count;
    struct spec_strategy strategy;
    json_t *early_stop; /* {name, and its options}; NULL: trials run to their end */
    struct spec_limits limits;
    struct spec_resources resources;
    struct spec_profile profile;
    struct spec_notify notify;
    struct spec_network network;
    struct spec_slurm slurm;
    struct spec_origin *origins; /* of the file as it was read; none of a frozen one */
    uint32_t origin_count;
};

/* One thing wrong in an experiment file. */
struct problem {
    bool warning;                      /* else an error */
    uint32_t line, column, end_column; /* from 1; line 0: the file as a whole. In an override: columns of `option` */
    char *option;                      /* the override it stands in, as it was typed; NULL: it stands in the file */
    char *code;    /* a short name for programs: "unknown_key", "duplicate_key", "bad_value", "not_yet", ... */
    char *message; /* the sentence */
    char *hint;    /* what to write instead; or NULL */
    size_t order;  /* how many were found before it */
};

struct problems {
    struct problem *items;
    size_t count, capacity;
    size_t errors;  /* how many of them are errors */
    char *file;     /* for showing */
    char *text;     /* the file's text, for showing lines; or NULL */
    char **options; /* the overrides */
    size_t option_count;
};

/* {0} is an empty list. */
void problems_fini(struct problems *problems);

/* Adds the problems as people read them: "file:line:column: error: sentence", the line, a caret with the hint; errors
 * first by line, then warnings; at most 20, then how many more. */
void problems_show(struct problems *problems, struct buf *out);

/* Adds the line that closes them: "cifar.yaml: 3 errors, 1 warning; nothing was started." `consequence` is what comes
 * after the semicolon, said only when there are errors; nothing is added when there are no problems. */
void problems_summary(const struct problems *problems, const char *consequence, struct buf *out);

/* Reports what somebody else found out about a file that was read (an unknown kernel, say) at the place of a dotted key
 * in the file or in an override: its value, or its name when `at_key`. A key that is not there is reported at the
 * nearest one above it. `code`, `message` and `hint` (may be NULL) are copied. */
void problems_report(struct problems *problems, bool warning, const char *key, bool at_key, const char *code,
                     const char *message, const char *hint);

/* Reports, for a file that was read by spec_read_with, what its command makes of the parameters: "{lr}" or $lr where
 * ${params.lr} was meant, a command that uses no parameter, and a warning of each that it does not use. One that starts
 * other programs, which may read theirs, is warned about. */
void problems_check_use(struct problems *problems, bool starts_others);

/* All problems for programs: an array of objects {file, line, column, end_column, severity, code, message, hint}
 * and, for a problem of an override, option. */
json_t *problems_json(struct problems *problems);

/* Reads and checks a file. `overrides` are "dotted.key=value" texts, the value in YAML, applied to the file before
 * checking. Returns the spec when there is no error (there may be warnings), else NULL; *problems holds all of them
 * either way. */
struct spec *spec_read(const char *file, const char *const *overrides, size_t override_count,
                       struct problems *problems);

/* The same for a text in memory; `base` is the directory that relative paths start from. */
struct spec *spec_read_text(const char *text, size_t length, const char *file, const char *base,
                            const char *const *overrides, size_t override_count, struct problems *problems);

void spec_destroy(struct spec *spec); /* NULL is fine */

/* Its metrics, in the order of the file; they live as long as the spec. */
struct metrics spec_metrics(const struct spec *spec);

/* Adds the spec as YAML: every key with its resolved value, types explicit, paths absolute. */
void spec_write(const struct spec *spec, struct buf *out);

/* The JSON Schema (draft-07) of experiment files, made from the table of keys. Caller: json_decref. */
json_t *spec_schema(void);

/* Adds docs/experiment.md, made from the same table. */
void spec_document(struct buf *out);

const char *bind_name(enum bind bind);
const char *mps_name(enum mps_rule mps);
const char *signal_word(enum trial_signal signal); /* "none", "USR1", ... */

#endif
