/* Phases that programs tell; see told_phase.h. */
#include "worker/program/told_phase.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "time."

static bool is_among(const char *name, const char *const *metrics)
{
    for (; *metrics; metrics++)
        if (strcmp(*metrics, name) == 0)
            return true;
    return false;
}

/* The other phases are the worker's own. */
void told_phase_names(const char *const *metrics, struct texts *out, bool tells[PHASES_COUNT])
{
    texts_add_all(out, metrics);
    for (int phase = PHASE_DATA; phase <= PHASE_CHECKPOINT; phase++) {
        char *name = mem_format(PREFIX "%s", phase_name((enum phase)phase));
        tells[phase] = !is_among(name, metrics);
        if (tells[phase])
            texts_add(out, name);
        else
            free(name);
    }
}

int told_phase_of(const bool tells[PHASES_COUNT], const char *name)
{
    bool prefixed = strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    int phase = prefixed ? phase_named(name + strlen(PREFIX)) : -1;
    return phase >= 0 && tells[phase] ? phase : -1;
}
