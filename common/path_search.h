/* Programs by their names, as a shell finds them. */
#ifndef GANNET_COMMON_PATH_SEARCH_H
#define GANNET_COMMON_PATH_SEARCH_H

#include "common/buf.h"

/* The program of that name in the directories of a PATH, "/usr/bin:/bin"; NULL: there is none. A directory that is not
 * absolute is passed over. free() it. */
char *path_search(const char *name, const char *search);

/* Where programs are looked up that know of no PATH. */
#define PATH_SEARCH_USUAL "/usr/local/bin:/usr/bin:/bin"

/* The one name that `name` may be a misspelling of, among the programs of a PATH; NULL: none. free() it. */
char *path_search_near(const char *name, const char *search);

/* The same among all files of one directory. */
char *path_near(const char *name, const char *directory);

#endif
