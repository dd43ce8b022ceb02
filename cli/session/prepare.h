/* From what a person typed to an experiment that can start: the file read and checked, the run directory made or found
 * again. Problems are shown to the person here. */
#ifndef GANNET_CLI_SESSION_PREPARE_H
#define GANNET_CLI_SESSION_PREPARE_H

#include "cli/console.h"
#include "cli/data/sibling.h"
#include "cli/session/kernel_data.h"
#include "cli/session/program_check.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

#include <stdbool.h>
#include <stddef.h>

struct prepare_setup {
    const char *what;      /* the experiment file; with `resume` also a name, run directory or .db file */
    const char *directory; /* the run directory; NULL: runs/NAME */
    const char *const *overrides;
    size_t override_count;
    bool resume;
    const char *listen;                   /* a coordinator will listen there, on this machine; NULL: not over TCP */
    const struct slots_machine *machine;  /* where the trials run, so they must fit; NULL: elsewhere */
    uint32_t nodes;                       /* that there will be workers on; 0: as many as anybody starts them on */
    bool own_loop;                        /* whoever asks runs the trials: the command is not looked at */
    bool submit;                          /* it is to be submitted to Slurm */
    const struct spec_defaults *defaults; /* below the file; may be NULL */
    const char *const *sbatch_args;       /* options for sbatch, behind those of the file */
    size_t sbatch_args_count;
    struct buf *checked;      /* with `resume`: takes the stamp of the store, as rundir_resume says; NULL: not wanted */
    struct kernel_data *data; /* what was seen of a kernel's data, for the caller to end; NULL: it is not looked at */
    bool dry;                 /* nothing is written, and *dir need not exist */
    /* With `resume`: whether it may go on, asked before anything is written; else an exit status, everything said. */
    int (*may_go_on)(struct console *console, const struct rundir *dir);
};

/* 0, *dir and *spec (as frozen); else the exit status, everything said. Nothing is left behind. */
int prepare_experiment(struct console *console, const struct prepare_setup *setup, struct rundir *dir,
                       struct spec **spec);

/* The run directory of an experiment: made of the file unless it is there already; of what is no file, found. As above
 * otherwise. A file that has changed since then is refused when it would be another search, as are overrides that would
 * change what is there; limits and what else may change on the way are taken over. */
int prepare_once(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

/* The run directory of an experiment that is there already. As above otherwise; one that is not made yet is refused
 * with what to do. */
int prepare_find(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

/* The same without a word to the person: who asks tries again, or lets somebody else complain. */
int prepare_find_quietly(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

/* Reads a file, over `defaults` (may be NULL), and checks it against the kernels too, with their data unless `seen` is
 * NULL, or its command against the machine. NULL when there are errors. */
struct spec *prepare_spec(const char *file, const char *const *overrides, size_t override_count,
                          const struct spec_defaults *defaults, enum program_place place, struct kernel_data *seen,
                          struct problems *problems);

/* Reports an image or a runtime of `trial.container` that is not on this machine: an error when trials run `here`, else
 * a warning. */
void prepare_check_container(const struct spec *spec, bool here, struct problems *problems);

/* Shows problems, with the line that closes them: "...; nothing was started." */
void prepare_show_problems(struct console *console, struct problems *problems, const char *consequence);

#endif
