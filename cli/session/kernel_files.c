/* The files that a kernel's options name; see kernel_files.h. */
#include "cli/session/kernel_files.h"

#include "cli/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/row_type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether "a|b|c" has this word. */
static bool has_word(const char *words, const char *word)
{
    const char *at;
    for (size_t length; (length = row_type_next(&words, &at));)
        if (length == strlen(word) && strncmp(at, word, length) == 0)
            return true;
    return false;
}

/* What is no path though the option takes one: nothing, a word, something that is made. */
static bool is_other(const char *type, const char *value)
{
    return !has_word(type, "path") || !*value || has_word(type, value) || strncmp(value, "generate:", 9) == 0;
}

/* Whether a file or directory can be opened; a pipe would wait for its other end, and is none. */
static bool file_opens(const char *path)
{
    struct stat about;
    if (stat(path, &about))
        return false;
    errno = EINVAL;
    int fd = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void check_file(const struct spec *spec, const json_t *row, const char *value, bool warning,
                       struct problems *problems)
{
    char *path = path_join(spec->base, value);
    if (!file_opens(path)) {
        char *key = mem_format("trial.options.%s", json_text(row, "name"));
        char *message = mem_format("can't open %s: %s", path,
                                   errno == EINVAL ? "it is neither a file nor a directory" : strerror(errno));
        char *hint = mem_format("it is to be: %s; relative paths start at the experiment file", json_text(row, "help"));
        problems_report(problems, warning, key, false, "no_file", message, hint);
        free(key);
        free(message);
        free(hint);
    }
    free(path);
}

void kernel_files_check(const json_t *catalog, const struct spec *spec, enum program_place place,
                        struct problems *problems)
{
    bool elsewhere = place == PROGRAM_ELSEWHERE || (place == PROGRAM_OF_FILE && spec->slurm.given);
    const json_t *row;
    size_t index;
    if (!spec->trial.kernel || place == PROGRAM_NOWHERE)
        return;
    json_array_foreach(json_object_get(json_named(catalog, spec->trial.kernel), "options"), index, row)
    {
        const char *value = json_string_value(json_object_get(spec->trial.options, json_text(row, "name")));
        if (value && !is_other(json_text(row, "type"), value))
            check_file(spec, row, value, elsewhere, problems);
    }
}
