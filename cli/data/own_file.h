/* What lies where a person wants an output. A file that a former run of ours wrote is replaced, so that the same
 * command may be given again; anything else is somebody's own and stays, unless that is asked for. Ours are known by
 * their first bytes. */
#ifndef GANNET_CLI_DATA_OWN_FILE_H
#define GANNET_CLI_DATA_OWN_FILE_H

#include "common/err.h"

#include <stdbool.h>

/* What files of one kind begin with. */
struct own_mark {
    const char *begin;  /* NULL: the end of a list of marks */
    const char *within; /* and what is among their first bytes, zeros read as blanks; NULL: nothing more */
};

/* Whether an output may be written to the path without asking: "-", what is not there, a pipe or a device, an empty
 * file, and a file with one of the marks. A directory may not. */
bool own_file_may_replace(const char *path, const struct own_mark *marks);

/* Says that it may not, and what to do; `what` is what it should have been ("report"). Is -1. */
int own_file_refuse(const char *path, const char *what, struct err *err);

/* Both, before the work begins: 0 or -1. `force`: whatever file lies there is replaced. */
int own_file_check(const char *path, const struct own_mark *marks, bool force, const char *what, struct err *err);

#endif
