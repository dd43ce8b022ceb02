/* Characters; see locale.h. */
#include "cli/locale.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The name that setlocale looks at: POSIX, "Internationalization Variables". */
static const char *wanted_name(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *name = getenv(variables[i]);
        if (name && *name)
            return name;
    }
    return "C";
}

/* "de_DE.UTF-8", "en_US.utf8@variant" */
static bool is_utf8(const char *name)
{
    const char *codeset = strchr(name, '.');
    return codeset && (strncasecmp(codeset, ".UTF-8", 6) == 0 || strncasecmp(codeset, ".UTF8", 5) == 0);
}

void locale_choose(void)
{
    if (!setlocale(LC_CTYPE, "") && is_utf8(wanted_name()))
        setlocale(LC_CTYPE, "C.UTF-8");
}
