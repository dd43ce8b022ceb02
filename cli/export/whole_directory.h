/* What an export that is a directory writes until it is whole: a directory beside its place (beside.h), out of which
 * everything is moved there at once. A place that is not there yet appears with all that is in it; in one that is there
 * what is new replaces what has its name, and the rest stays. So a disk that is full, or a signal, leaves what was. */
#ifndef GANNET_CLI_EXPORT_WHOLE_DIRECTORY_H
#define GANNET_CLI_EXPORT_WHOLE_DIRECTORY_H

#include "common/buf.h"
#include "common/err.h"

struct addition; /* a text that lengthens a file of the place */

/* {.place = PATH} is an empty one. */
struct whole_directory {
    const char *place;
    char *directory; /* NULL: nothing was written since the last settle */
    struct addition *additions;
    size_t count, capacity; /* of additions */
};

/* Writes a file by its path below the place, or makes a directory; what lies above is made, too. -1 with a sentence,
 * and errno that of the failure. */
int whole_directory_write(struct whole_directory *whole, const char *name, const struct buf *text, struct err *err);
int whole_directory_make(struct whole_directory *whole, const char *name, struct err *err);

/* Keeps a text that is added to a file of the place when it is settled; at most one for each file. Takes the text. */
void whole_directory_add(struct whole_directory *whole, const char *name, struct buf *text);

/* Adds and moves all. -1 with a sentence: then what was added is gone again, and what could not be moved is dropped. */
int whole_directory_settle(struct whole_directory *whole, struct err *err);

/* Drops what was not settled; of a {0} it is fine. */
void whole_directory_drop(struct whole_directory *whole);

#endif
