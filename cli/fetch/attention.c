/* The section attention: what a person may have to do something about. */
#include "cli/fetch/sections.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/missing.h"
#include "cli/session/seen.h"
#include "cli/view/why.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FAILURES = 5, MOST_SLOTS = 2000 };

/* Of an attempt that failed the last line that its program wrote to its error output. */
static json_t *last_line(const json_t *trial)
{
    json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    const char *tail = json_text(run, "tail"), *detail = json_text(run, "detail");
    size_t length = 0;
    const char *line = format_last_line(tail, &length);
    return length ? json_stringn(line, length) : json_of_text(detail);
}

/* What is known of failures: those that were noted last are looked at, and those since are added to them. */
struct attention_memory {
    uint64_t event;            /* up to which events were read */
    uint64_t failed[FAILURES]; /* the trials that failed last, the last one first; 0: no more */
    json_t *endings;           /* of the attempts that failed: {reason: [attempts, seconds]} */
};

static void free_attention(void *data)
{
    struct attention_memory *memory = data;
    json_decref(memory->endings);
    free(memory);
}

static struct attention_memory *remember(struct section_memory *memory)
{
    if (!memory->data) {
        struct attention_memory *attention = MEM_NEW(struct attention_memory);
        attention->endings = json_object();
        *memory = (struct section_memory){.data = attention, .free = free_attention};
    }
    return memory->data;
}

/* --- failures --- */

static void put_failed(uint64_t *failed, uint64_t *count, uint64_t trial)
{
    for (uint64_t i = 0; i < *count; i++)
        if (failed[i] == trial)
            return;
    if (trial && *count < FAILURES)
        failed[(*count)++] = trial;
}

/* Trials that have failed before stay behind those that did since. */
static void note_failed(struct attention_memory *memory, const json_t *rows)
{
    uint64_t failed[FAILURES] = {0}, count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        put_failed(failed, &count, (uint64_t)json_integer_value(json_object_get(json_array_get(rows, i), "trial")));
    for (size_t i = 0; i < FAILURES; i++)
        put_failed(failed, &count, memory->failed[i]);
    memcpy(memory->failed, failed, sizeof failed);
}

/* Adds how attempts ended since to what is known, and puts the sums in its place. */
static void note_endings(struct attention_memory *memory, json_t *faults)
{
    const char *reason;
    json_t *row, *sum, *all = json_array();
    size_t index;
    json_array_foreach(json_object_get(faults, "endings"), index, row)
    {
        double seconds = 0, before = 0;
        json_int_t attempts = json_integer_value(json_object_get(row, "attempts"));
        sum = json_object_get(memory->endings, json_text(row, "reason"));
        json_number(row, "seconds", &seconds);
        json_number(sum, "seconds", &before);
        attempts += json_integer_value(json_object_get(sum, "attempts"));
        json_object_set_new(memory->endings, json_text(row, "reason"),
                            json_pack("{s:O, s:I, s:f}", "reason", json_object_get(row, "reason"), "attempts", attempts,
                                      "seconds", before + seconds));
    }
    json_object_foreach(memory->endings, reason, sum) json_array_append(all, sum);
    json_object_set_new(faults, "endings", all);
}

static json_t *read_faults(struct attention_memory *memory, struct source *source, struct err *err)
{
    json_t *faults = source_read(source, "faults", json_pack("{s:I}", "after", (json_int_t)memory->event), err);
    if (!faults)
        return NULL;
    note_failed(memory, json_object_get(faults, "failed"));
    note_endings(memory, faults);
    memory->event = (uint64_t)json_integer_value(json_object_get(faults, "last"));
    return faults;
}

static json_t *failure_of(const json_t *trial)
{
    json_t *line = last_line(trial);
    return json_pack("{s:O?, s:O?, s:O?, s:o}", "trial", json_object_get(trial, "trial"), "reason",
                     json_object_get(trial, "reason"), "node", json_object_get(trial, "node"), "line",
                     line ? line : json_null());
}

/* Those that are still failed: [{trial, reason, node, line}]. */
static json_t *list_failures(const struct attention_memory *memory, struct source *source)
{
    json_t *out = json_array();
    for (size_t i = 0; i < FAILURES && memory->failed[i]; i++) {
        json_t *trial = NULL;
        if (source_show(source, memory->failed[i], &trial, NULL) == 0 &&
            strcmp(json_text(trial, "state"), trial_state_name(TRIAL_FAILED)) == 0)
            json_array_append_new(out, failure_of(trial));
        json_decref(trial);
    }
    return out;
}

/* --- the section --- */

/* What is wrong with the experiment, as gannet explain says it; the failures are told with their last lines. */
static json_t *list_sentences(const struct overview *overview, const json_t *faults, const json_t *failures)
{
    json_t *none = json_array();
    struct why_facts known = {
        .overview = overview, .faults = faults, .events = none, .failures = failures, .trouble = true};
    json_t *sentences = why_experiment(&known);
    json_decref(none);
    return sentences;
}

/* Nodes of its job without workers are known by all of these: a long list of a very large search is not asked for. */
static json_t *read_missing(struct source *source, const struct slurm_record *jobs, const struct overview *overview)
{
    struct experiment_standing standing;
    struct buf text = {0};
    if (overview->lives && overview->snapshot.slots <= MOST_SLOTS && source_standing(source, &standing, NULL) == 0) {
        missing_describe(source_dir(source), jobs, &standing.snapshot, overview->now, &text);
        standing_fini(&standing);
    } else if (!overview->lives) {
        missing_quote(source_dir(source), jobs, &text);
    }
    json_t *out = json_of_text(buf_str(&text));
    buf_fini(&text);
    return out;
}

json_t *section_attention(const struct section_reading *reading, struct err *err)
{
    struct source *source = reading->source;
    struct attention_memory *memory = remember(reading->memory);
    struct seen seen;
    json_t *out = NULL, *faults = NULL;
    if (seen_short(source, false, &seen, err) == 0 && (faults = read_faults(memory, source, err))) {
        seen.overview.best = seen.best = json_null();
        json_t *failures = list_failures(memory, source);
        out = json_pack("{s:o, s:o, s:o}", "sentences", list_sentences(&seen.overview, faults, failures), "failures",
                        failures, "missing", read_missing(source, &seen.jobs, &seen.overview));
    }
    json_decref(faults);
    seen_fini(&seen);
    return out;
}
