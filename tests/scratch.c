/* Directories for tests; see scratch.h. What fails ends the test program with the reason. */
#include "tests/scratch.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int result, const struct err *err)
{
    if (result == 0)
        return;
    fprintf(stderr, "scratch: %s\n", err->text);
    abort();
}

char *scratch_make(void)
{
    const char *where = getenv("TMPDIR");
    char *path = mem_format("%s/gannet-test-XXXXXX", where ? where : "/tmp");
    struct err err = {"can't make a scratch directory"};
    must(mkdtemp(path) ? 0 : -1, &err);
    return path;
}

char *scratch_file(const char *scratch, const char *name, const char *text)
{
    struct err err;
    char *path = path_join(scratch, name), *directory = path_directory(path);
    must(path_make_directory(directory, 0700, &err), &err);
    must(path_write(path, text, strlen(text), 0600, &err), &err);
    free(directory);
    return path;
}

void scratch_change(const char *scratch, const char *name, const char *text)
{
    struct err err = {"can't change a file of the scratch directory"};
    char *path = path_join(scratch, name);
    if (!path_exists(path))
        free(scratch_file(scratch, name, ""));
    FILE *file = fopen(path, "we");
    must(file && fputs(text, file) >= 0 ? 0 : -1, &err);
    must(fclose(file), &err);
    free(path);
}

void scratch_remove(char *scratch)
{
    struct err err;
    must(path_remove_tree(scratch, &err), &err);
    free(scratch);
}
