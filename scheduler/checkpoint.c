/* Checkpoints that are needed no more; see checkpoint.h. */
#include "scheduler/checkpoint.h"

#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "checkpoint" itself, and "checkpoint.ANYTHING" beside it. */
static bool is_part(const char *name)
{
    static const char own[] = "checkpoint";
    size_t length = sizeof own - 1;
    return strncmp(name, own, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static void remove_part(const char *directory, const char *name)
{
    struct err err;
    char *path = path_join(directory, name);
    if (path_remove_tree(path, &err))
        log_warning("a checkpoint that is needed no more stays: %s", err.text);
    free(path);
}

void checkpoint_drop(const struct rundir *dir, uint64_t trial)
{
    char *directory = mem_format("%s/%06llu", dir->trials, (unsigned long long)trial);
    DIR *files = opendir(directory); /* most trials of built-in kernels have none */
    for (struct dirent *entry; files && (entry = readdir(files));)
        if (is_part(entry->d_name))
            remove_part(directory, entry->d_name);
    if (files)
        closedir(files);
    free(directory);
}
