/* Advice by its table; see advice.h. */
#include "scheduler/verdict/advice.h"

#include <string.h>

static const struct {
    enum verdict_kind kind;
    unsigned whom;
    const char *text;
} rows[] = {
#define X(kind, whom, text) {VERDICT_##kind, FOR_##whom, text},
    ADVICES(X)
#undef X
};

/* All others train networks. */
static const struct {
    const char *name;
    unsigned whom;
} kernels[] = {
    {"gbt", FOR_TREES},
    {"synth", 0},
    {"table", 0},
    {"mlp", FOR_NETWORK | FOR_SMALL},
    {"logreg", FOR_NETWORK | FOR_SMALL},
};

static unsigned kinds_of_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(name, kernels[i].name) == 0)
            return kernels[i].whom;
    return FOR_NETWORK;
}

bool advice_augments(const char *name)
{
    static const char *const names[] = {"flip", "crop", "shift", "cutout"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

unsigned advice_whom(const struct advice_facts *facts)
{
    unsigned whom = facts->kernel ? FOR_KERNEL | kinds_of_kernel(facts->kernel) : FOR_PROGRAM;
    if (whom & FOR_NETWORK && facts->makes_data)
        whom |= facts->augments ? FOR_AUGMENTED : FOR_MEMORY;
    return facts->has_threads ? whom | FOR_THREADS : whom;
}

const char *advice_find(enum verdict_kind kind, unsigned whom)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind && rows[i].whom & whom)
            return rows[i].text;
    return "";
}
