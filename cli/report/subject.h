/* Reads of an experiment what pictures need: its trials, and beside them what a kind asks for (cli/plot/plot.h). */
#ifndef GANNET_CLI_REPORT_SUBJECT_H
#define GANNET_CLI_REPORT_SUBJECT_H

#include "cli/data/source.h"
#include "cli/plot/plot.h"

/* 0 and *out, for plot_subject_fini; -1 with a sentence. `needs`: of enum plot_need. */
int subject_read(struct source *source, unsigned needs, struct plot_subject *out, struct err *err);

#endif
