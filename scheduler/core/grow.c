/* What an attempt is given; see grow.h. The retry itself is counted as any other (trial.c). No more is given than some
 * worker of this session has: what nobody can offer would be waited for in vain. */
#include "scheduler/core/grow.h"
#include "common/units.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/trial.h"

#include <math.h>
#include <stdio.h>

uint64_t grow_memory(const struct core *core, const struct trial *trial)
{
    uint64_t usual = core->config.memory;
    bool alike = core->config.nodes > 1; /* each of its nodes has the same, and none takes from its neighbours */
    return usual && !alike && trial->memory > usual ? trial->memory : usual;
}

double grow_time(const struct core *core, const struct trial *trial)
{
    double usual = core->config.trial_time;
    return usual > 0 ? fmax(usual, trial->time) : 0;
}

uint64_t grow_written_memory(const struct core *core, const struct trial *trial)
{
    bool same = !growth_is_given(core->config.more_memory) && !trial->memory;
    return same ? 0 : grow_memory(core, trial);
}

double grow_written_time(const struct core *core, const struct trial *trial)
{
    bool same = !growth_is_given(core->config.more_time) && trial->time <= 0;
    return same ? 0 : grow_time(core, trial);
}

bool grow_is_wanted(const struct core *core, enum ending ending)
{
    const struct core_config *config = &core->config;
    return ending == ENDING_OUT_OF_MEMORY ? config->memory && growth_is_given(config->more_memory)
           : ending == ENDING_TIMED_OUT   ? config->trial_time > 0 && growth_is_given(config->more_time)
                                          : false;
}

/* More bytes than any node has, and exact in a store. */
#define MOST_MEMORY ((uint64_t)1 << 53)

static bool give_memory(const struct core *core, struct trial *trial, const char *detail, char *why, size_t size)
{
    char there[32];
    uint64_t had = grow_memory(core, trial), most = core->large.most ? core->large.most : MOST_MEMORY;
    bool limited = core->config.memory_max && core->config.memory_max < most;
    if (limited)
        most = core->config.memory_max;
    double wanted = growth_after(core->config.more_memory, (double)had);
    uint64_t next = wanted < (double)most ? (uint64_t)wanted : most;
    if (next > had) {
        trial->memory = next;
        return true;
    }
    snprintf(why, size, "%s; %s is the most that %s", detail, units_show_size(most, there, sizeof there),
             limited ? "resources.memory_max allows" : "a worker has");
    return false;
}

static bool give_time(const struct core *core, struct trial *trial, const char *detail, char *why, size_t size)
{
    char there[32];
    double had = grow_time(core, trial), most = core->config.trial_time_max;
    double wanted = growth_after(core->config.more_time, had), next = most > 0 ? fmin(wanted, most) : wanted;
    if (next > had) {
        trial->time = next;
        return true;
    }
    snprintf(why, size, "%s; %s is the most that limits.trial_time_max allows", detail,
             units_show_duration(had, there, sizeof there));
    return false;
}

bool grow_give(const struct core *core, struct trial *trial, enum ending ending, const char *detail, char *why,
               size_t size)
{
    const char *said = detail && *detail ? detail : ending_sentence(ending);
    return (ending == ENDING_OUT_OF_MEMORY ? give_memory : give_time)(core, trial, said, why, size);
}
