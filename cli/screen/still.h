/* One frame without a terminal: of an experiment, or of a model that was written to a file. */
#ifndef GANNET_CLI_SCREEN_STILL_H
#define GANNET_CLI_SCREEN_STILL_H

#include "cli/screen/screen.h"

struct still_setup {
    const char *screen;   /* its name; NULL: as the model has it, else the overview */
    const char *size;     /* "80x24" */
    const char *keys;     /* spellings that are pressed before, a space between them; NULL: none */
    const char *load;     /* a model's file that is read instead of an experiment; NULL: none */
    const char *save;     /* a file that the model is written to; NULL: none */
    bool lines;           /* a line of JSON behind each key instead (gannet.frame/1), the first one before any */
    const char *name;     /* what the person calls the experiment */
    const char *programs; /* what stands before our programs' names */
};

/* Draws it and adds it to `out`. Of an experiment all sections that the screen wants are waited for, a minute at most.
 * Keys change the view alone; of commands that are typed those are run that only look. `dir` may be NULL where a model
 * is read. -1 with a sentence. */
int still_draw(const struct still_setup *setup, const struct rundir *dir, const struct look *look, struct buf *out,
               struct err *err);

#endif
