/* Who cancelled a job: the controller tells nobody, the accounts of the site have it, where it keeps some. */
#include "scheduler/slurm/module/module.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_user(unsigned long id, char *out, size_t size)
{
    const struct passwd *user = getpwuid((uid_t)id);
    if (user)
        snprintf(out, size, "by %s", user->pw_name);
    else
        snprintf(out, size, "by user %lu", id);
}

/* A job that was requeued has several rows, of which the last one is meant: "CANCELLED by 1000". */
void module_cancelled(uint32_t id, char *out, size_t size)
{
    static const char before[] = "CANCELLED by ";
    char command[128], *line = NULL;
    size_t capacity = 0;
    *out = '\0';
    snprintf(command, sizeof command,
             "timeout 3 sacct --noheader --allocations --parsable2 --format=State --jobs=%u 2>/dev/null", (unsigned)id);
    FILE *in = popen(command, "r");
    while (in && getline(&line, &capacity, in) > 0)
        if (strncmp(line, before, sizeof before - 1) == 0)
            write_user(strtoul(line + sizeof before - 1, NULL, 10), out, size);
    free(line);
    if (in)
        pclose(in);
}
