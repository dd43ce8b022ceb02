/* Where the modules for people's programs are; see clients.h. */
#include "common/clients.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdbool.h>
#include <stdlib.h>

char *clients_python(void)
{
    char *here = path_program_directory(), *directory = mem_format("%s/../share/gannet/clients/python", here);
    char *file = path_join(directory, "gannet.py"), *found = path_is_file(file) ? realpath(directory, NULL) : NULL;
    free(file);
    free(directory);
    free(here);
    return found;
}

/* An empty part of the list would be the working directory. */
char *clients_python_path(const char *directory)
{
    const char *before = getenv("PYTHONPATH");
    bool any = before && *before;
    return mem_format("PYTHONPATH=%s%s%s", any ? before : "", any ? ":" : "", directory);
}
