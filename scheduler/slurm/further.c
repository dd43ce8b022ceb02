/* Options that are handed on; see further.h. */
#include "scheduler/slurm/further.h"

#include "common/buf.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const char *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && (line[length] == '=' || line[length] == '\n');
}

/* Keeps the lines that are of one of these names, or of none of them. */
static void sift(char **list, const char *const *names, size_t count, bool of_one)
{
    struct buf kept = {0};
    for (const char *at = *list; at && *at; at += strcspn(at, "\n") + 1) {
        bool named = false;
        for (size_t i = 0; i < count; i++)
            named = named || is_of(at, names[i]);
        if (named == of_one)
            buf_add(&kept, at, strcspn(at, "\n") + 1);
    }
    free(*list);
    *list = kept.length ? mem_text(buf_str(&kept)) : NULL;
    buf_fini(&kept);
}

void further_drop(char **list, const char *name)
{
    sift(list, &name, 1, false);
}

void further_keep_general(char **list)
{
    static const char *const names[] = {"acctg-freq", "deadline", "extra", "kill-on-invalid-dep",
                                        "mcs-label",  "priority", "wckey"};
    sift(list, names, sizeof names / sizeof *names, true);
}

bool further_has(const char *list, const char *name)
{
    bool found = false;
    for (const char *at = list; at && *at && !found; at += strcspn(at, "\n") + 1)
        found = is_of(at, name);
    return found;
}

void further_set(char **list, const char *name, const char *value)
{
    further_drop(list, name);
    char *before = *list;
    *list = mem_format("%s%s%s%s\n", before ? before : "", name, value ? "=" : "", value ? value : "");
    free(before);
}
