/* What `gannet profile` says of a trial, or of all trials of an experiment, as one object (docs/json.md): read from the
 * store, drawn by cli/view/profile_sections.c. */
#ifndef GANNET_CLI_DATA_PROFILE_PAGE_H
#define GANNET_CLI_DATA_PROFILE_PAGE_H

#include "cli/data/source.h"

#include <jansson.h>

/* The profile of a trial (0: of the experiment, of twice `most` trials and more from a sample of at least `most`; most
 * 0: from all): 0 and *out, else an exit status with a sentence. */
int profile_page_read(struct source *source, uint64_t trial, uint64_t most, json_t **out, struct err *err);

#endif
