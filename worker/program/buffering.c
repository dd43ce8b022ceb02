/* Output line by line; see buffering.h.
 *
 * Python has a variable for it. C's stdio has none, so a library is preloaded that sets it (worker/preload/lines.c).
 * Programs that are linked statically or run as another user are not reached by that, and don't notice. */
#include "worker/program/buffering.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* What the person set: in the experiment file, or around us; NULL: nothing. */
static const char *find_setting(const struct trial_command *command, const char *name)
{
    const char *own = texts_variable((const char *const *)command->env.items, name);
    return own ? own : getenv(name);
}

/* Adds a variable, behind what the person set it to. */
static void add_behind(const struct trial_command *command, const char *name, const char *value, struct texts *env)
{
    const char *theirs = find_setting(command, name);
    bool any = theirs && *theirs;
    texts_add(env, mem_format("%s=%s%s%s", name, any ? theirs : "", any ? ":" : "", value));
}

/* There our library is at no such path, and every program would say so on its error output. */
bool buffering_enters_container(const struct trial_command *command)
{
    static const char *const runtimes[] = {"apptainer", "singularity", "docker", "podman",      "enroot",      "ch-run",
                                           "sarus",     "shifter",     "bwrap",  "--container", "charliecloud"};
    for (size_t i = 0; i < command->argv.count; i++)
        for (size_t k = 0; k < sizeof runtimes / sizeof *runtimes; k++)
            if (strstr(command->argv.items[i], runtimes[k]))
                return true;
    return false;
}

void buffering_env(const struct trial_command *command, const char *lines, struct texts *env)
{
    if (!find_setting(command, "PYTHONUNBUFFERED"))
        texts_add(env, mem_text("PYTHONUNBUFFERED=1"));
    if (!lines || strpbrk(lines, ": \t") ||
        buffering_enters_container(command)) /* a list is divided by colons and blanks */
        return;
    add_behind(command, "LD_PRELOAD", lines, env);
    /* AddressSanitizer wants to come before all other libraries, and else ends the program. One that replaces nothing
     * may be there before. */
    add_behind(command, "ASAN_OPTIONS", "verify_asan_link_order=0", env);
}
