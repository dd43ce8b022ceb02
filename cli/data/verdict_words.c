/* From the store's verdicts to words; see verdict_words.h. */
#include "cli/data/verdict_words.h"

#include "cli/data/advice_kinds.h"
#include "cli/data/verdict_remark.h"
#include "cli/json.h"
#include "common/json.h"
#include "scheduler/verdict/advice.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static unsigned kinds_of(const json_t *experiment)
{
    return advice_kinds(json_text(experiment, "spec"));
}

/* The cores of the slot in which it ran last; NAN: not known. */
static double cores_of(const json_t *trial)
{
    const json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    double cores;
    return json_number(json_object_get(run ? run : trial, "counters"), "cores", &cores) ? cores : NAN;
}

json_t *verdict_words(const json_t *experiment, const json_t *trial)
{
    int kind = verdict_named(json_text(trial, "verdict"));
    struct verdict verdict = {kind < 0 ? VERDICT_UNKNOWN : (enum verdict_kind)kind, NAN};
    struct buf sentence = {0};
    if (kind < 0)
        return json_null();
    json_number(trial, "figure", &verdict.figure);
    verdict_sentence(&verdict, cores_of(trial), &sentence);
    verdict_remark(verdict.kind, trial, &sentence);
    json_t *words = json_pack("{s:s, s:o, s:o, s:o}", "verdict", verdict_name(verdict.kind), "figure",
                              json_of_real(verdict.figure), "sentence", json_of_text(buf_str(&sentence)), "advice",
                              json_of_text(advice_find(verdict.kind, kinds_of(experiment))));
    buf_fini(&sentence);
    return words;
}

json_t *verdict_words_all(const json_t *experiment, const json_t *verdicts)
{
    json_t *list = json_deep_copy(verdicts), *one;
    unsigned kinds = kinds_of(experiment);
    size_t index;
    json_array_foreach(list, index, one)
    {
        int kind = verdict_named(json_text(one, "verdict"));
        json_object_set_new(one, "advice",
                            kind < 0 ? json_null() : json_of_text(advice_find((enum verdict_kind)kind, kinds)));
    }
    return list;
}

void verdict_words_most(const json_t *experiment, const json_t *verdicts, struct buf *out)
{
    const json_t *one, *most = NULL;
    double sum = 0, largest = 0, seconds;
    size_t index;
    json_array_foreach((json_t *)verdicts, index, one)
    {
        if (!json_number(one, "seconds", &seconds))
            continue;
        sum += seconds;
        if (seconds > largest) {
            largest = seconds;
            most = one;
        }
    }
    int kind = most ? verdict_named(json_text(most, "verdict")) : -1;
    if (kind < 0)
        return;
    const char *advice = advice_find((enum verdict_kind)kind, kinds_of(experiment));
    buf_format(out, "%.0f %% of the time was in runs with the verdict %s%s%s", 100 * largest / sum,
               verdict_name((enum verdict_kind)kind), *advice ? ": " : "", advice);
}
