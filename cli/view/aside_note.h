/* Nodes that were set aside, for what fails there alone or for what their workers say, and still are. */
#ifndef GANNET_CLI_VIEW_ASIDE_NOTE_H
#define GANNET_CLI_VIEW_ASIDE_NOTE_H

#include "scheduler/core/snapshot.h"

/* Adds a sentence for one of those that reader_experiment lists, with the reason and what to do. */
void aside_note_add(const json_t *aside, struct buf *out);

/* Adds a line for each, the first ones, but for those whose workers the snapshot has with the same; NULL: none. */
void aside_note_draw(const json_t *experiment, const struct snapshot *shown, struct buf *out);

#endif
