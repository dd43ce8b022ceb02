/* Memory limits and kills of the control group; see cgroup.h. */
#include "worker/hardware/cgroup.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_LARGEST = 1 << 16 };

/* A limit above this is version 1's way of saying that there is none. */
#define NO_LIMIT (UINT64_C(1) << 60)

static int read_file(const char *directory, const char *name, struct buf *out)
{
    char *path = path_join(directory, name);
    buf_clear(out);
    int result = path_read(path, out, FILE_LARGEST, NULL);
    free(path);
    return result;
}

/* The path behind the line of /proc/self/cgroup that begins "N:CONTROLLERS:" with this controller, "" being the unified
 * tree's; NULL when there is none. The text is cut into lines. */
static char *path_of(const char *lines, const char *controller)
{
    char *copy = mem_text(lines), *rest = NULL, *found = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        char *name = strstr(++names, controller);
        if (*controller ? name != NULL : !*names)
            found = mem_text(path);
    }
    free(copy);
    return found;
}

/* The group's directory below `top`; in a container the path may be that of the outside, and the group is `top`. */
static char *directory_of(const char *top, const char *path)
{
    char *directory = mem_format("%s%s", top, strcmp(path, "/") == 0 ? "" : path);
    if (path_exists(directory))
        return directory;
    free(directory);
    return mem_text(top);
}

void cgroup_find(struct cgroup *group, const char *proc, const char *sys)
{
    struct buf lines = {0};
    *group = (struct cgroup){.proc = mem_text(proc)};
    read_file(proc, "self/cgroup", &lines);
    char *path = path_of(buf_str(&lines), "memory");
    group->version = path ? 1 : 2;
    if (!path)
        path = path_of(buf_str(&lines), "");
    if (path) {
        group->top = path_join(sys, group->version == 1 ? "memory" : ".");
        group->directory = directory_of(group->top, path);
    }
    free(path);
    buf_fini(&lines);
}

void cgroup_fini(struct cgroup *group)
{
    free(group->proc);
    free(group->directory);
    free(group->top);
    *group = (struct cgroup){0};
}

uint64_t cgroup_memory_limit(const struct cgroup *group)
{
    uint64_t lowest = UINT64_MAX;
    struct buf text = {0};
    char *directory = mem_text(group->directory);
    while (directory && strlen(directory) >= strlen(group->top)) {
        char *end;
        read_file(directory, group->version == 1 ? "memory.limit_in_bytes" : "memory.max", &text);
        uint64_t limit = strtoull(buf_str(&text), &end, 10);
        if (end != buf_str(&text) && limit < NO_LIMIT && limit < lowest)
            lowest = limit;
        char *slash = strrchr(directory, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    free(directory);
    buf_fini(&text);
    return lowest;
}

/* The number behind "name " at the start of a line; false when there is no such line. */
static bool number_behind(const char *text, const char *name, uint64_t *number)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            *number = strtoull(line + length, NULL, 10);
            return true;
        }
    }
    return false;
}

uint64_t cgroup_oom_kills(const struct cgroup *group)
{
    struct buf text = {0};
    uint64_t kills = 0;
    if (group->directory)
        read_file(group->directory, group->version == 1 ? "memory.oom_control" : "memory.events", &text);
    if (!number_behind(buf_str(&text), "oom_kill", &kills)) {
        read_file(group->proc, "vmstat", &text);
        number_behind(buf_str(&text), "oom_kill", &kills);
    }
    buf_fini(&text);
    return kills;
}

void cgroup_watch(struct cgroup *group, double now)
{
    if (now - group->asked < 1)
        return;
    group->asked = now;
    group->kills = cgroup_oom_kills(group);
}

bool cgroup_was_starved(struct cgroup *group)
{
    if (cgroup_oom_kills(group) <= group->kills)
        return false;
    group->kills++;
    return true;
}
