/* The table of sbatch's options: what each sets of a request, and why some can't be given. */
#ifndef GANNET_SCHEDULER_SLURM_OPTIONS_TABLE_H
#define GANNET_SCHEDULER_SLURM_OPTIONS_TABLE_H

#include <stddef.h>

enum option_kind {
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_MINUTES,
    OPTION_MEMORY, /* MiB: "4000", "4G", "0" */
    OPTION_NICE,   /* a number, which may be left out */
    OPTION_BEGIN,
    OPTION_ON,  /* a switch, */
    OPTION_OFF, /* and one that clears it */
    OPTION_EXPORT,
    OPTION_ON_OR, /* a switch, or handed on when it has a value */
    /* Handed on (further.h): as it is; */
    OPTION_PASS,
    OPTION_PASS_ON,      /* a switch; */
    OPTION_PASS_NUMBER,  /* when it is a whole number; */
    OPTION_PASS_MEMORY,  /* in MiB; */
    OPTION_PASS_MINUTES, /* in minutes; */
    OPTION_PASS_TIME,    /* as a time of day with its date; */
    OPTION_PASS_SHAPE,   /* sockets:cores:threads of a node; */
    OPTION_PASS_HINT,    /* as the threads a core that it means */
    OPTION_OURS          /* refused: gannet sees to it */
};

struct option_row {
    const char *name;
    char short_name;
    enum option_kind kind;
    size_t offset;   /* in struct slurm_request */
    const char *why; /* OPTION_OURS: what to do instead */
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

#endif
