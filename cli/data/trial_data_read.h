/* Reads the trials of an experiment into columns: in one pass, page by page. */
#ifndef GANNET_CLI_DATA_TRIAL_DATA_READ_H
#define GANNET_CLI_DATA_TRIAL_DATA_READ_H

#include "cli/data/source.h"
#include "cli/data/trial_data.h"

/* 0 and *out, for trial_data_fini; -1 with a sentence. */
int trial_data_read(struct source *source, struct trial_data *out, struct err *err);

#endif
