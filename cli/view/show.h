/* One trial in all detail, drawn. */
#ifndef GANNET_CLI_VIEW_SHOW_H
#define GANNET_CLI_VIEW_SHOW_H

#include "cli/console.h"

#include <stdint.h>

/* What is shown. */
struct shown_trial {
    const json_t *trial; /* as reader_show gives it */
    const char *metric;  /* the objective's name */
    const char *bound;   /* the sentence of its verdict; "": it has none */
    const char *again;   /* the command that trains it again; "": none */
    uint32_t ranks;      /* processes of a trial on a node */
    const char *files;   /* where its files are; NULL: it has none */
    bool own_loop;       /* a person's own loop runs it */
};

void show_draw(const struct shown_trial *show, const struct look *look, struct buf *out);

#endif
