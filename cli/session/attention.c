/* What needs attention; see attention.h. */
#include "cli/session/attention.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/why.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Failed trials that are looked at, the last ones: each is asked for once, a millisecond or two; of those that are
 * known so many are asked for again each time, as one may have been tried again or ignored. */
enum { FAILURES = 20, AGAIN = 4, CAUSES = 5 };

/* What is known of failures: those that were noted last are looked at, and those since are added to them. */
struct attention_memory {
    uint64_t event;            /* up to which events were read */
    uint64_t failed[FAILURES]; /* the trials that failed last, the last one first; 0: no more */
    json_t *known;             /* of these by their numbers: {trial, reason, node, line}, or null: it counts no more */
    size_t again;              /* which of them is asked for again next */
    json_t *endings;           /* of the attempts that failed: {reason: [attempts, seconds]} */
};

struct attention_memory *attention_remember(void)
{
    struct attention_memory *memory = MEM_NEW(struct attention_memory);
    *memory = (struct attention_memory){.known = json_object(), .endings = json_object()};
    return memory;
}

void attention_forget(void *data)
{
    struct attention_memory *memory = data;
    if (!memory)
        return;
    json_decref(memory->known);
    json_decref(memory->endings);
    free(memory);
}

/* --- failures --- */

/* Of an attempt that failed the last line that its program wrote to its error output. */
static json_t *last_line(const json_t *trial)
{
    json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    const char *tail = json_text(run, "tail"), *detail = json_text(run, "detail");
    size_t length = 0;
    const char *line = format_last_line(tail, &length);
    return length ? json_stringn(line, length) : json_of_text(detail);
}

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

/* One that has been ignored was seen by somebody: it is no cause any more. */
static json_t *failure_of(const json_t *trial)
{
    if (strcmp(json_text(trial, "state"), trial_state_name(TRIAL_FAILED)) != 0)
        return json_null();
    json_t *line = last_line(trial);
    return json_pack("{s:O?, s:O?, s:O?, s:o, s:b}", "trial", json_object_get(trial, "trial"), "reason",
                     json_object_get(trial, "reason"), "node", json_object_get(trial, "node"), "line",
                     line ? line : json_null(), "ignored", (int)json_is_true(json_object_get(trial, "ignored")));
}

static json_t *look_at(struct source *source, uint64_t number)
{
    json_t *trial = NULL, *out = json_null();
    if (source_show(source, number, &trial, NULL) == 0)
        out = failure_of(trial);
    json_decref(trial);
    return out;
}

static bool is_due(const struct attention_memory *memory, size_t at, size_t count)
{
    return (at + count - memory->again % count) % count < AGAIN;
}

static size_t count_noted(const struct attention_memory *memory)
{
    size_t count = 0;
    while (count < FAILURES && memory->failed[count])
        count++;
    return count;
}

/* Those that are still failed: [{trial, reason, node, line}]. What is known of others is dropped. */
static json_t *list_failures(struct attention_memory *memory, struct source *source)
{
    json_t *out = json_array(), *known = json_object(), *one;
    size_t count = count_noted(memory);
    for (size_t i = 0; i < count; i++) {
        char number[32];
        snprintf(number, sizeof number, "%" PRIu64, memory->failed[i]);
        one = json_object_get(memory->known, number);
        json_object_set_new(known, number,
                            one && !is_due(memory, i, count) ? json_incref(one) : look_at(source, memory->failed[i]));
        one = json_object_get(known, number);
        if (!json_is_null(one))
            json_array_append(out, one);
    }
    memory->again += AGAIN;
    json_decref(memory->known);
    memory->known = known;
    return out;
}

/* --- causes --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether two lines say the same but for numbers: addresses, sizes and times differ from trial to trial. */
static bool are_alike(const char *a, const char *b)
{
    while (*a || *b) {
        if (is_digit(*a) && is_digit(*b)) {
            while (is_digit(*a))
                a++;
            while (is_digit(*b))
                b++;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return true;
}

static json_t *find_cause(json_t *causes, const char *reason, const char *line)
{
    json_t *one;
    size_t index;
    json_array_foreach(causes, index, one)
    {
        if (strcmp(json_text(one, "reason"), reason) == 0 && are_alike(json_text(one, "line"), line))
            return one;
    }
    return NULL;
}

/* The trial that failed last of a cause comes first, and stands for it. */
static void count_failure(json_t *causes, const json_t *failure)
{
    const char *reason = json_text(failure, "reason"), *line = json_text(failure, "line");
    json_t *cause = find_cause(causes, reason, line);
    if (!cause) {
        cause = json_pack("{s:s, s:s, s:O?, s:i, s:[]}", "reason", reason, "line", line, "trial",
                          json_object_get(failure, "trial"), "count", 0, "nodes");
        json_array_append_new(causes, cause);
    }
    json_object_set_new(cause, "count", json_integer(json_integer_value(json_object_get(cause, "count")) + 1));
    if (*json_text(failure, "node"))
        json_add_once(json_object_get(cause, "nodes"), json_text(failure, "node"));
}

/* The most frequent first, of those that are as frequent the one that came last. */
static json_t *order_causes(const json_t *causes)
{
    json_t *out = json_array(), *one;
    for (size_t i = 0; i < json_array_size(causes); i++) {
        one = json_array_get(causes, i);
        json_int_t count = json_integer_value(json_object_get(one, "count"));
        size_t at = 0;
        while (at < json_array_size(out) &&
               json_integer_value(json_object_get(json_array_get(out, at), "count")) >= count)
            at++;
        json_array_insert(out, at, one);
    }
    while (json_array_size(out) > CAUSES)
        json_array_remove(out, CAUSES);
    return out;
}

/* [{reason, line, trial, count, nodes}] of these failures. */
static json_t *list_causes(const json_t *failures)
{
    json_t *causes = json_array();
    for (size_t i = 0; i < json_array_size(failures); i++)
        if (!json_is_true(json_object_get(json_array_get(failures, i), "ignored")))
            count_failure(causes, json_array_get(failures, i));
    json_t *out = order_causes(causes);
    json_decref(causes);
    return out;
}

/* --- the rest --- */

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

json_t *attention_read(struct attention_memory *memory, struct source *source, const struct seen *seen, struct err *err)
{
    json_t *faults = read_faults(memory, source, err), *out = NULL;
    if (faults) {
        json_t *failures = list_failures(memory, source);
        out = json_pack("{s:o, s:o, s:o, s:I, s:I}", "sentences", list_sentences(&seen->overview, faults, failures),
                        "causes", list_causes(failures), "failures", failures, "failed",
                        (json_int_t)seen->overview.snapshot.trials[TRIAL_FAILED], "looked_at",
                        (json_int_t)count_noted(memory));
    }
    json_decref(faults);
    return out;
}
