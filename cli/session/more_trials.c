/* More trials; see more_trials.h. */
#include "cli/session/more_trials.h"
#include "cli/session/quiet.h"
#include "common/arena.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The trials that have ended of what is to be resumed; 0 when it can't be found, which is said later. */
static uint64_t count_ended(struct console *console, const struct prepare_setup *setup)
{
    struct rundir dir;
    uint64_t ended = 0;
    if (quiet_find(console, setup, &dir))
        return 0;
    if (!rundir_ended(&dir, &ended))
        ended = 0;
    rundir_fini(&dir);
    return ended;
}

void more_trials_add(struct console *console, const struct args *args, struct prepare_setup *setup)
{
    uint64_t more = args_count(args, "max-trials", 0);
    if (!more)
        return;
    uint64_t before = setup->resume ? count_ended(console, setup) : 0;
    char *text = mem_format("limits.max_trials=%" PRIu64, more < UINT64_MAX - before ? before + more : more);
    const char **list = arena_zero(args->lists, setup->override_count + 1, sizeof *list);
    for (size_t i = 0; i < setup->override_count; i++)
        list[i] = setup->overrides[i];
    list[setup->override_count++] = arena_text(args->lists, text);
    setup->overrides = list;
    free(text);
}
