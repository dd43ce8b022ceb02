/* From names to evidence; see verdict_given.h. */
#include "tests/verdict_given.h"
#include "tests/claims.h"

#include <string.h>

static double *field_named(struct verdict_evidence *evidence, const char *name)
{
    const struct {
        const char *name;
        double *field;
    } fields[] = {{"named", &evidence->named},
                  {"cpu", &evidence->cpu_seconds},
                  {"cores", &evidence->cores},
                  {"core_wait", &evidence->core_wait},
                  {"memory_wait", &evidence->memory_wait},
                  {"disk_wait", &evidence->disk_wait},
                  {"clock", &evidence->clock},
                  {"throttled", &evidence->throttled},
                  {"quota_stall", &evidence->quota_stall},
                  {"slowest", &evidence->slowest},
                  {"mean", &evidence->mean},
                  {"flops", &evidence->flops},
                  {"bytes", &evidence->bytes},
                  {"calls", &evidence->calls},
                  {"peak", &evidence->peak_flops},
                  {"bandwidth", &evidence->bandwidth}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].field;
    assert_true(phase_named(name) >= 0);
    return &evidence->phases[phase_named(name)];
}

struct verdict given_find(const struct given *given)
{
    struct verdict_evidence evidence = verdict_nothing();
    for (int i = 0; i < PHASES_COUNT; i++)
        evidence.phases[i] = 0;
    for (; given->name; given++)
        *field_named(&evidence, given->name) = given->value;
    return verdict_find(&evidence);
}
