/* From the store's verdicts to words; see verdict_words.h. */
#include "cli/data/verdict_words.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/units.h"
#include "scheduler/spec/load.h"
#include "scheduler/verdict/advice.h"
#include "scheduler/verdict/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The run that the verdict is about: the last, or the trial's own summary of it. */
static const json_t *run_of(const json_t *trial)
{
    const json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    return run ? run : trial;
}

static double counter_of(const json_t *run, const char *name)
{
    double value;
    return json_number(json_object_get(run, "counters"), name, &value) ? value : NAN;
}

static double seconds_of(const json_t *run, enum phase phase)
{
    double seconds;
    const json_t *one = json_object_get(json_object_get(run, "profile"), phase_name(phase));
    return json_number(one, "seconds", &seconds) ? seconds : NAN;
}

static void remark_sums(const json_t *run, struct buf *out)
{
    char least_text[32], text[32];
    double least = counter_of(run, "allreduce_least"), seconds = seconds_of(run, PHASE_ALLREDUCE);
    if (least > 0 && seconds > 0)
        buf_format(out, "; at best its sums take %s of these %s",
                   units_show_duration(least, least_text, sizeof least_text),
                   units_show_duration(seconds, text, sizeof text));
}

/* What was moved in that phase, beside what can be; nothing of less than a tenth of a second's. */
static void remark_disk(const json_t *run, const char *moved_name, const char *limit_name, enum phase phase,
                        const char *verb, struct buf *out)
{
    double moved = counter_of(run, moved_name), limit = counter_of(run, limit_name), seconds = seconds_of(run, phase);
    if (moved >= limit / 10 && seconds > 0)
        buf_format(out, "; %s %.0f of the %.0f MB/s that its disk can", verb, fmin(moved / seconds, limit) / 1e6,
                   limit / 1e6);
}

/* Adds "; at best its sums take 0.4 s of these 3.1 s" to the sentence of a trial as gannet show --json has it; nothing
 * where that is not known. */
static void verdict_remark(enum verdict_kind kind, const json_t *trial, struct buf *out)
{
    const json_t *run = run_of(trial);
    if (kind == VERDICT_SYNC || kind == VERDICT_IMBALANCE)
        remark_sums(run, out);
    else if (kind == VERDICT_CHECKPOINT)
        remark_disk(run, "disk_written", "disk_write_limit", PHASE_CHECKPOINT, "it wrote", out);
    else if (kind == VERDICT_DATA)
        remark_disk(run, "disk_read", "disk_read_limit", PHASE_DATA, "it read", out);
}

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

static const char *text_of(const struct node *node)
{
    return node && node->kind == NODE_SCALAR ? node->text : NULL;
}

/* `data: "generate:shapes"`, or `data: {generate: shapes}`. */
static bool makes_data(const struct node *options)
{
    static const char made[] = "generate:";
    const struct node *data = node_find(options, "data");
    const char *text = text_of(data);
    return node_find(data, "generate") || (text && strncmp(text, made, strlen(made)) == 0);
}

static bool augments(const struct node *map)
{
    for (uint32_t i = 0; map && map->kind == NODE_MAP && i < map->count; i++)
        if (advice_augments(map->entries[i].key))
            return true;
    return false;
}

static unsigned read_kinds(const struct node *root)
{
    const struct node *trial = node_find(root, "trial"), *options = node_find(trial, "options"),
                      *parameters = node_find(root, "parameters");
    return advice_whom(&(struct advice_facts){.kernel = text_of(node_find(trial, "kernel")),
                                              .makes_data = makes_data(options),
                                              .augments = augments(options) || augments(parameters),
                                              .has_threads = node_find(parameters, "threads")});
}

unsigned advice_kinds(const char *spec)
{
    struct problems problems = {0};
    struct tree tree = {0};
    bool read = load_tree(spec, strlen(spec), (struct load_source){0}, &tree, &problems);
    unsigned kinds = read_kinds(read ? tree.root : NULL);
    tree_fini(&tree);
    problems_fini(&problems);
    return kinds;
}
