/* Metrics and results for tests; see test_metrics.h. */
#include "tests/test_metrics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST = 8, KEPT = 64 };

static const struct metric min_items[] = {{.name = "loss", .objective = true}};
static const struct metric max_items[] = {{.name = "loss", .objective = true, .maximize = true}};
static const struct metric best_items[] = {{.name = "loss", .objective = true, .use_best = true}};
static const struct metric three_items[] = {{.name = "loss", .objective = true},
                                            {.name = "accuracy", .objective = true, .maximize = true},
                                            {.name = "memory", .has_max = true, .max = 8}};

const struct metrics metrics_min = {min_items, 1};
const struct metrics metrics_max = {max_items, 1};
const struct metrics metrics_best = {best_items, 1};
const struct metrics metrics_three = {three_items, 3};

void decided_add(struct msg_result *result, uint32_t metric, double value)
{
    static struct msg_measure kept[KEPT][MOST];
    static unsigned next;
    struct msg_measure *measures = kept[next++ % KEPT];
    assert(result->measures_count < MOST);
    if (isnan(value))
        return;
    if (result->measures)
        memcpy(measures, result->measures, result->measures_count * sizeof *measures);
    measures[result->measures_count++] = (struct msg_measure){metric, value, value, value};
    result->measures = measures;
}
