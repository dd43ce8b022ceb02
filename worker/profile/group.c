/* The worker's control group; see group.h. */
#include "worker/profile/group.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/profile/node.h"
#include "worker/profile/proc_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LARGEST = 4096 };

static const char *const names[GROUP_FILES] = {"cpu.stat",     "memory.events",   "memory.peak",
                                               "cpu.pressure", "memory.pressure", "io.pressure"};

/* A row for each counter: the file, the name of its line (NULL: the only number, "": of pressure) and the factor. */
static const struct {
    enum run_counter counter;
    enum group_file file;
    const char *line;
    double unit;
} rows[] = {
    {COUNT_GROUP_THROTTLED, GROUP_CPU_STAT, "throttled_usec", 1e-6},
    {COUNT_GROUP_THROTTLES, GROUP_CPU_STAT, "nr_throttled", 1},
    {COUNT_GROUP_HIGH, GROUP_MEMORY_EVENTS, "high", 1},
    {COUNT_GROUP_MAX, GROUP_MEMORY_EVENTS, "max", 1},
    {COUNT_GROUP_OOM, GROUP_MEMORY_EVENTS, "oom", 1},
    {COUNT_GROUP_PEAK, GROUP_MEMORY_PEAK, NULL, 1},
    {COUNT_GROUP_CPU_STALL, GROUP_CPU_PRESSURE, "", 1},
    {COUNT_GROUP_MEMORY_STALL, GROUP_MEMORY_PRESSURE, "", 1},
    {COUNT_GROUP_IO_STALL, GROUP_IO_PRESSURE, "", 1},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Whether a list of controllers has this name; "" is the list of version 2. */
static bool has_name(const char *list, size_t length, const char *name)
{
    size_t size = strlen(name);
    if (!size)
        return !length;
    for (const char *at = list; at < list + length; at += strcspn(at, ",:") + 1)
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == ':'))
            return true;
    return false;
}

/* The path behind the line "N:CONTROLLERS:" that has this controller, without the end of the line; NULL: none does. */
static char *find_path(const char *text, const char *controller)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *list = line + strcspn(line, ":\n"), *path = *list == ':' ? strchr(list + 1, ':') : NULL;
        if (path && has_name(list + 1, (size_t)(path - list - 1), controller))
            return mem_text_n(path + 1, strcspn(path + 1, "\n"));
    }
    return NULL;
}

/* In a container the path may be that of the outside, and the group is the top itself. */
static char *find_directory(const char *top, const char *path)
{
    char *directory = mem_format("%s%s", top, strcmp(path, "/") == 0 ? "" : path);
    if (path_exists(directory))
        return directory;
    free(directory);
    return mem_text(top);
}

/* The group, unless it is the root of all, which does not have `file`. */
static char *find_group(const char *top, const char *path, const char *file)
{
    char *directory = find_directory(top, path), *probe = path_join(directory, file);
    if (!path_exists(probe)) {
        free(directory);
        directory = NULL;
    }
    free(probe);
    return directory;
}

void group_find(struct group_watch *watch, const char *proc, const char *cgroup)
{
    char text[FILE_LARGEST], *path, *older;
    *watch = (struct group_watch){0};
    held_file_read_once(proc, "self/cgroup", text, sizeof text);
    if ((path = find_path(text, "")))
        watch->directory = find_group(cgroup, path, "cgroup.events");
    if ((older = find_path(text, "cpu")) && strcmp(older, "/") != 0) {
        char *top = path_join(cgroup, "cpu");
        watch->older = find_group(top, older, "cpu.stat");
        free(top);
    }
    free(path);
    free(older);
}

static double value_of(const char *text, const char *line)
{
    if (!line)
        return proc_text_value(text);
    return *line ? proc_text_number(text, line) : node_pressure(text);
}

/* In nanoseconds there. */
static void read_older(struct group_watch *watch, struct run_counters *out)
{
    char text[FILE_LARGEST];
    held_file_read(&watch->files[GROUP_CPU_STAT], watch->older, names[GROUP_CPU_STAT], text, sizeof text);
    out->values[COUNT_GROUP_THROTTLED] = proc_text_number(text, "throttled_time") * 1e-9;
    out->values[COUNT_GROUP_THROTTLES] = proc_text_number(text, "nr_throttled");
}

void group_read(struct group_watch *watch, struct run_counters *out)
{
    char text[GROUP_FILES][FILE_LARGEST];
    if (watch->older)
        read_older(watch, out);
    if (!watch->directory)
        return;
    int first = watch->older ? GROUP_CPU_STAT + 1 : 0; /* version 2 has no controller that version 1 has */
    for (int i = first; i < GROUP_FILES; i++)
        held_file_read(&watch->files[i], watch->directory, names[i], text[i], FILE_LARGEST);
    for (int i = 0; i < ROWS; i++)
        if ((int)rows[i].file >= first)
            out->values[rows[i].counter] = value_of(text[rows[i].file], rows[i].line) * rows[i].unit;
}

void group_why(const struct group_watch *watch, const struct run_counters *read,
               void (*why)(void *context, enum run_counter counter, const char *sentence), void *context)
{
    char sentence[200];
    for (int i = 0; i < ROWS; i++) {
        if (!isnan(read->values[rows[i].counter]))
            continue;
        if (watch->directory)
            snprintf(sentence, sizeof sentence, "its control group has no %s that says it", names[rows[i].file]);
        else
            snprintf(sentence, sizeof sentence,
                     "the worker is in no control group (version 2) of its own; node_* are the node's");
        why(context, rows[i].counter, sentence);
    }
}

void group_close(struct group_watch *watch)
{
    for (int i = 0; i < GROUP_FILES; i++)
        held_file_close(&watch->files[i]);
    free(watch->directory);
    free(watch->older);
    *watch = (struct group_watch){0};
}
