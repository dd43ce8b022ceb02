/* Programs by their names; see path_search.h. */
#include "common/path_search.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/suggest.h"
#include "common/texts.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && S_ISREG(at.st_mode) && access(path, X_OK) == 0;
}

char *path_search(const char *name, const char *search)
{
    for (const char *at = search, *end; *name; at = end + 1) {
        end = strchrnul(at, ':');
        char *directory = mem_text_n(at, (size_t)(end - at));
        char *program = path_join(directory, name);
        free(directory);
        if (*program == '/' && is_program(program))
            return program;
        free(program);
        if (!*end)
            break;
    }
    return NULL;
}

static bool is_among(const struct texts *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

/* Of names that are far from it nothing is kept: a directory of programs has thousands. */
static void add_names(const char *directory, const char *name, struct texts *names)
{
    DIR *open = *directory == '/' ? opendir(directory) : NULL;
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (suggest_nearest(name, &(const char *){entry->d_name}, 1) && !is_among(names, entry->d_name))
            texts_add(names, mem_text(entry->d_name));
    if (open)
        closedir(open);
}

static char *nearest_of(const char *name, struct texts *names)
{
    const char *nearest = suggest_nearest(name, (const char *const *)names->items, names->count);
    char *found = nearest ? mem_text(nearest) : NULL;
    texts_fini(names);
    return found;
}

char *path_search_near(const char *name, const char *search)
{
    struct texts names = {0};
    for (const char *at = search, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, ':');
        char *directory = mem_text_n(at, (size_t)(end - at));
        add_names(directory, name, &names);
        free(directory);
    }
    return nearest_of(name, &names);
}

char *path_near(const char *name, const char *directory)
{
    struct texts names = {0};
    add_names(directory, name, &names);
    return nearest_of(name, &names);
}
