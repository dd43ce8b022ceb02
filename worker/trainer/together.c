/* See together.h. */
#include "worker/trainer/together.h"

#include "common/clock.h"

#include <assert.h>

enum { MOST = 64 }; /* that one step may take */

/* Whether both go on with their next step together. */
static bool can_share(const struct kernel_fusion *fusion, const struct together *a, const struct together *b)
{
    return fusion->match(a->training->opened->self, b->training->opened->self);
}

/* Those of the rest that step together with the first of it, which are put behind it; the count of all. */
static size_t gather_group(struct together **rest, size_t count)
{
    const struct kernel_fusion *fusion = rest[0]->training->opened->kernel->fusion;
    size_t found = 1, most = fusion ? fusion->most(rest[0]->training->opened->self) : 1;
    for (size_t i = 1; i < count && found < most; i++)
        if (can_share(fusion, rest[0], rest[i])) {
            struct together *mate = rest[i];
            for (size_t j = i; j > found; j--)
                rest[j] = rest[j - 1];
            rest[found++] = mate;
        }
    return found > 1 && found >= fusion->least(rest[0]->training->opened->self) ? found : 1;
}

static void step_group(struct together **group, size_t count)
{
    const struct kernel_fusion *fusion = group[0]->training->opened->kernel->fusion;
    void *selves[MOST];
    struct kernel_report *reports[MOST];
    enum ending endings[MOST];
    struct err *details[MOST];
    for (size_t i = 0; i < count; i++) {
        struct training *training = group[i]->training;
        training_enter(training);
        selves[i] = training->opened->self;
        reports[i] = &training->report;
        details[i] = &training->detail;
    }
    fusion->step(selves, count, reports, endings, details);
    for (size_t i = 0; i < count; i++)
        group[i]->goes = training_leave(group[i]->training, endings[i]);
}

void together_step(struct together *runs, size_t count)
{
    struct together *rest[MOST];
    assert(count <= MOST);
    for (size_t i = 0; i < count; i++)
        rest[i] = &runs[i];
    for (size_t at = 0, size; at < count; at += size) {
        double then = clock_cpu();
        size = gather_group(rest + at, count - at);
        if (size > 1)
            step_group(rest + at, size);
        else
            rest[at]->goes = training_step(rest[at]->training);
        for (size_t i = 0; i < size; i++) {
            rest[at + i]->cpu_seconds = (clock_cpu() - then) / (double)size;
            rest[at + i]->mates = (uint32_t)size;
        }
    }
}
