/* What the test programs share; see claims.h. */
#include "tests/claims.h"
#include "common/path.h"
#include "tests/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int enter_scratch(void **state)
{
    *state = scratch_make();
    return 0;
}

int leave_scratch(void **state)
{
    scratch_remove(*state);
    return 0;
}

const char *path_in(void *const *state, const char *name)
{
    enum { KEPT = 4 };
    static char paths[KEPT][512];
    static unsigned next;
    char *path = paths[next++ % KEPT];
    snprintf(path, sizeof *paths, "%s/%s", (const char *)*state, name);
    return path;
}

void write_file(const char *path, const char *text, unsigned mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(path_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

void claim_has(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part))
        return;
    print_error("'%s' does not have '%s'\n", text, part);
    _fail(file, line);
}

void could_not_try(const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    const char *path = getenv("GANNET_COULD_NOT");
    FILE *list = path ? fopen(path, "ae") : NULL;
    if (list) {
        fprintf(list, "%s: %s\n", program_invocation_short_name, sentence);
        fclose(list);
    }
}
