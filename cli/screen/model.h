/* All that a frame is drawn from: what was read of the experiment, and what a person has chosen to see. It can be
 * written to a file and read back, so that a frame can be drawn again. */
#ifndef GANNET_CLI_SCREEN_MODEL_H
#define GANNET_CLI_SCREEN_MODEL_H

#include "cli/fetch/fetch.h"
#include "cli/screen/view.h"
#include "common/buf.h"

/* What a command said that was typed. */
struct command_output {
    char *command;   /* as it was typed; NULL: none was */
    struct buf text; /* all of it so far, but of very much the end */
    bool runs;       /* more may come */
    int status;      /* its exit status, when it has ended */
};

struct model {
    double now;      /* seconds since 1970 */
    char *name;      /* the experiment's */
    char *handle;    /* what commands given here find it by; NULL: the name */
    char *programs;  /* what stands before the names of our programs where a command is shown ("build/bin/") */
    char *directory; /* the run directory; NULL: none is open */
    struct command_output output;
    struct section_value sections[SECTIONS_COUNT];
    struct view view;
};

void screen_model_fini(struct model *model); /* search/gp has a model, too */

/* Adds what a command finds the experiment by, as a word of the shell. */
void model_add_handle(const struct model *model, struct buf *out);

/* A member of the section ("status"), not owned: NULL when the section has not come or lacks it. */
json_t *model_get(const struct model *model, enum section section, const char *name);

/* To a JSON object and back. -1 with a sentence. */
json_t *model_encode(const struct model *model);
int model_decode(const json_t *json, struct model *out, struct err *err);

#endif
