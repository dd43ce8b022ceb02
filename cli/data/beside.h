/* What is written beside its place until it is whole, under names that say whose it is:
 *
 *     PLACE.gannet-HOST-PROCESS-START-XXXXXX
 *
 * A process that is killed leaves it behind. The next one that writes to the same place removes what dead processes of
 * this host left there. (Files without a name, O_TMPFILE, would leave nothing: but they can't replace a file at once,
 * SQLite can't write one, there are no such directories, and NFS has none of them. A lock would be in SQLite's way.) */
#ifndef GANNET_CLI_DATA_BESIDE_H
#define GANNET_CLI_DATA_BESIDE_H

/* The name for what this process writes, with XXXXXX at its end: for mkostemp and mkdtemp. free() it. */
char *beside_name(const char *place);

/* The same within a place that is a directory. */
char *beside_name_within(const char *place);

/* Removes files and directories with such names of this place that are ours and whose process is dead. What can't be
 * removed stays. */
void beside_sweep(const char *place);

#endif
