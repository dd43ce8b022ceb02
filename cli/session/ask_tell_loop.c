/* A person's own loop; see ask_tell_loop.h. */
#include "cli/session/ask_tell_loop.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/prepare.h"
#include "cli/status.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 10, MOST_ASKED = 10000, LONGEST_LINE = 1 << 20, STEPS_MOST = 1 << 30 };

int ask_tell_loop_open(struct console *console, const struct args *args, enum ask_tell_use use, struct ask_tell **out)
{
    struct prepare_setup setup = {
        .what = args_rest(args, 0), .directory = args_text(args, "dir", NULL), .own_loop = true};
    struct rundir dir;
    struct err err;
    setup.overrides = args_list(args, "set", &setup.override_count);
    int status = (use == ASK_TELL_ASKS ? prepare_once : prepare_find)(console, &setup, &dir);
    if (status)
        return status;
    *out = ask_tell_open(&dir, (double)args_count(args, "wait", PATIENCE_SECONDS), &err);
    if (!*out)
        status = console_fail(console, ask_tell_is_damaged(&dir) ? STATUS_USAGE : STATUS_FAILED, &err);
    rundir_fini(&dir);
    return status;
}

json_t *ask_tell_loop_ask(struct ask_tell *ask_tell, int *status, struct err *err)
{
    uint64_t trial;
    char *params;
    enum searcher_answer answer = ask_tell_ask(ask_tell, &trial, &params, err);
    if (answer != SEARCHER_PROPOSED) {
        *status = answer == SEARCHER_NO_MORE ? STATUS_NOT_FOUND : STATUS_FAILED;
        return NULL;
    }
    json_t *json = json_object();
    json_object_set_new(json, "trial", json_of_u64(trial));
    json_object_set_new(json, "params", json_loads(params, 0, NULL));
    free(params);
    return json;
}

/* --- telling --- */

static int place_of(const struct metrics *metrics, const char *name, struct err *err)
{
    const char **names = MEM_ARRAY(const char *, metrics->count);
    int place = -1;
    for (uint32_t i = 0; i < metrics->count; i++) {
        names[i] = metrics->items[i].name;
        if (strcmp(names[i], name) == 0)
            place = (int)i;
    }
    if (place < 0)
        format_unknown("the experiment has no metric", name, names, metrics->count, "metrics", err);
    free(names);
    return place;
}

static int read_values(const struct metrics *metrics, const json_t *result, double *values, struct err *err)
{
    const char *name;
    json_t *value;
    const json_t *first = json_object_get(result, "value");
    for (uint32_t i = 0; i < metrics->count; i++)
        values[i] = NAN;
    if (first && !json_to_real(first, &values[0]))
        return err_set(err, "the value of '%s' is no number", metrics->items[0].name);
    json_object_foreach(json_object_get(result, "values"), name, value)
    {
        int place = place_of(metrics, name, err);
        if (place < 0)
            return -1;
        if (!json_to_real(value, &values[place]))
            return err_set(err, "the value of '%s' is no number", name);
    }
    return 0;
}

/* Every objective must be there: who tells has no second chance. */
static int check_values(const struct metrics *metrics, const json_t *result, const double *values, struct err *err)
{
    for (uint32_t i = 0; i < metrics->count; i++) {
        const char *name = metrics->items[i].name;
        bool told =
            json_object_get(json_object_get(result, "values"), name) || (!i && json_object_get(result, "value"));
        if (metrics->items[i].objective && isnan(values[i]) && !told)
            return err_set(err, "there is no value of '%s'; of a trial without one say why it failed", name);
    }
    return 0;
}

/* A person's reason may be the name of an ending: "diverged", "out_of_memory", "cancelled". */
static enum ending ending_of(const char *why)
{
    int ending = ending_named(why);
    bool fits = ending >= 0 && (ending_state((enum ending)ending) == TRIAL_FAILED ||
                                ending_state((enum ending)ending) == TRIAL_CANCELLED);
    return fits ? (enum ending)ending : ENDING_REPORTED;
}

/* The trial that a result or a report is about; 0 with a sentence. */
static uint64_t trial_of(const json_t *said, struct err *err)
{
    const json_t *number = json_object_get(said, "trial");
    if (json_is_integer(number) && json_integer_value(number) >= 1)
        return (uint64_t)json_integer_value(number);
    err_write(err, "a trial has a number from 1");
    return 0;
}

static int tell_values(struct ask_tell *ask_tell, const json_t *result, double *values, struct err *err)
{
    struct metrics metrics = spec_metrics(ask_tell_spec(ask_tell));
    const char *why = json_string_value(json_object_get(result, "failed"));
    bool pruned = json_is_true(json_object_get(result, "pruned"));
    struct ask_tell_result told = {.trial = trial_of(result, err), .values = values};
    if (!told.trial || read_values(&metrics, result, values, err) ||
        (!why && !pruned && check_values(&metrics, result, values, err)))
        return STATUS_USAGE;
    if (pruned)
        told.ending = ENDING_STOPPED_EARLY;
    if (why) {
        told.ending = ending_of(why);
        told.detail = ending_named(why) == (int)told.ending ? NULL : why;
    }
    return ask_tell_tell(ask_tell, &told, err) ? STATUS_NOT_FOUND : STATUS_OK;
}

int ask_tell_loop_tell(struct ask_tell *ask_tell, const json_t *result, struct err *err)
{
    double *values = MEM_ARRAY(double, spec_metrics(ask_tell_spec(ask_tell)).count);
    int status = tell_values(ask_tell, result, values, err);
    free(values);
    return status;
}

/* --- on their way --- */

/* Which metrics the report has. */
static bool mark_told(const struct metrics *metrics, const json_t *report, bool *told)
{
    bool any = false;
    for (uint32_t i = 0; i < metrics->count; i++) {
        told[i] = json_object_get(json_object_get(report, "values"), metrics->items[i].name) ||
                  (!i && json_object_get(report, "value"));
        any |= told[i];
    }
    return any;
}

static int read_report(const struct metrics *metrics, const json_t *report, double *values, bool *told,
                       struct ask_tell_step *out, struct err *err)
{
    const json_t *step = json_object_get(report, "step");
    *out = (struct ask_tell_step){
        .trial = trial_of(report, err), .step = (uint64_t)json_integer_value(step), .values = values, .told = told};
    if (!out->trial || read_values(metrics, report, values, err))
        return -1;
    if (!json_is_integer(step) || json_integer_value(step) < 1 || json_integer_value(step) > STEPS_MOST)
        return err_set(err, "a step is a whole number from 1 on");
    return mark_told(metrics, report, told) ? 0 : err_set(err, "a report has a value");
}

/* --- as lines of JSON --- */

static void say_error(json_t *answer, const struct err *err)
{
    json_object_set_new(answer, "error", json_of_text(err->text));
}

static void serve_tell(struct ask_tell *ask_tell, const json_t *result, json_t *answer)
{
    struct err err;
    if (ask_tell_loop_tell(ask_tell, result, &err))
        say_error(answer, &err);
    else
        json_object_set(answer, "told", json_object_get(result, "trial"));
}

static void serve_report(struct ask_tell *ask_tell, const json_t *report, json_t *answer)
{
    struct metrics metrics = spec_metrics(ask_tell_spec(ask_tell));
    double *values = MEM_ARRAY(double, metrics.count);
    bool *told = MEM_ARRAY(bool, metrics.count);
    struct ask_tell_step step;
    struct ask_tell_decision decision;
    struct err err;
    if (read_report(&metrics, report, values, told, &step, &err) || ask_tell_report(ask_tell, &step, &decision, &err)) {
        say_error(answer, &err);
    } else {
        json_object_set(answer, "reported", json_object_get(report, "trial"));
        json_object_set_new(answer, "prune", json_boolean(decision.stop));
        if (decision.stop)
            json_object_set_new(answer, "why", json_of_text(decision.why));
    }
    free(told);
    free(values);
}

/* {"ask": 4}: up to four trials; {"ask": true}: one. */
static void serve_ask(struct ask_tell *ask_tell, const json_t *asked, json_t *answer)
{
    struct err err = {0};
    int status = STATUS_OK;
    json_int_t count = json_is_integer(asked) ? json_integer_value(asked) : json_is_true(asked);
    json_t *trials = json_array(), *trial;
    for (; count > 0 && json_array_size(trials) < MOST_ASKED && (trial = ask_tell_loop_ask(ask_tell, &status, &err));
         count--)
        json_array_append_new(trials, trial);
    json_object_set_new(answer, "trials", trials);
    if (status == STATUS_NOT_FOUND)
        json_object_set_new(answer, "no_more", json_true());
    else if (status)
        say_error(answer, &err);
}

/* What is told in the same line counts already. -1 with a sentence when it can't be written. */
static int serve_best(struct ask_tell *ask_tell, json_t *answer, struct err *err)
{
    struct err why;
    if (ask_tell_commit(ask_tell, err))
        return -1;
    json_t *best = reader_best(ask_tell_reader(ask_tell), &why);
    if (best)
        json_object_set_new(answer, "best", best);
    else
        say_error(answer, &why);
    return 0;
}

/* A loop that answers lines. */
struct serving {
    struct console *console;
    struct ask_tell *ask_tell;
    struct buf read_so_far; /* lines to be answered, the last one perhaps in part */
    bool promises;          /* an answer that has not left yet says more than proposals: it waits for the disk */
    double due; /* when proposals that were answered are to be written, by the monotonic clock; 0: all are */
};

/* Proposals are answered before they are on disk, and go there with what is told next, or soon: whoever dies in between
 * has told nothing about them, and the next loop is given the same. A commit takes some milliseconds. */
static const double write_soon = 0.02;

static int serve_line(struct serving *serving, const char *line, size_t length, json_t *answer, struct err *err)
{
    struct ask_tell *ask_tell = serving->ask_tell;
    static const char *const members[] = {"report", "tell", "ask", "best"};
    json_error_t why;
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    bool known = false;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        known |= json_object_get(request, members[i]) != NULL;
    if (!known)
        json_object_set_new(
            answer, "error",
            json_string(request ? "a request has report, tell, ask or best" : "the line is no JSON object"));
    const json_t *tell = json_object_get(request, "tell"), *ask = json_object_get(request, "ask");
    const json_t *report = json_object_get(request, "report");
    int failed = 0;
    serving->promises |= tell || report;
    if (report)
        serve_report(ask_tell, report, answer);
    if (tell && !json_object_get(answer, "error"))
        serve_tell(ask_tell, tell, answer);
    if (ask && !json_object_get(answer, "error"))
        serve_ask(ask_tell, ask, answer);
    if (json_is_true(json_object_get(request, "best")))
        failed = serve_best(ask_tell, answer, err);
    json_decref(request);
    return failed;
}

/* Writes what there is. */
static int commit_all(struct serving *serving, struct err *err)
{
    serving->promises = false;
    serving->due = 0;
    return ask_tell_commit(serving->ask_tell, err);
}

/* Before answers leave: what they promise is written, and what has waited long enough. */
static int commit_promises(struct serving *serving, struct err *err)
{
    double now = clock_monotonic();
    if (serving->promises || (serving->due > 0 && now >= serving->due))
        return commit_all(serving, err);
    if (!(serving->due > 0))
        serving->due = now + write_soon;
    return 0;
}

/* Answers all whole lines of what was read, and drops them. */
static int serve_lines(struct serving *serving, struct err *err)
{
    struct buf answers = {0}, *read_so_far = &serving->read_so_far;
    size_t done = 0;
    int failed = 0;
    for (const char *end; !failed && read_so_far->length > done &&
                          (end = memchr(read_so_far->data + done, '\n', read_so_far->length - done));) {
        size_t length = (size_t)(end - read_so_far->data) - done;
        json_t *answer = json_object();
        failed = serve_line(serving, read_so_far->data + done, length, answer, err);
        json_add(answer, &answers);
        buf_text(&answers, "\n");
        json_decref(answer);
        done += length + 1;
    }
    failed = failed || commit_promises(serving, err);
    if (!failed) {
        console_write(serving->console->out, &answers);
        fflush(serving->console->out);
    }
    buf_fini(&answers);
    buf_drop(read_so_far, done);
    return failed ? -1 : 0;
}

/* Waits for input; what is due meanwhile is written. */
static int wait_for_input(struct serving *serving, int in, struct err *err)
{
    struct pollfd input = {.fd = in, .events = POLLIN};
    double left = serving->due - clock_monotonic();
    bool none = serving->due > 0 && poll(&input, 1, left > 0 ? (int)(1000 * left) + 1 : 0) == 0;
    return none ? commit_all(serving, err) : 0;
}

/* Reads more and answers it. 1: it goes on; 0: the input has ended; -1 with a sentence. */
static int serve_more(struct serving *serving, int in, struct err *err)
{
    char piece[65536];
    if (wait_for_input(serving, in, err))
        return -1;
    ssize_t length = read(in, piece, sizeof piece);
    if (length <= 0)
        return length < 0 && errno == EINTR;
    buf_add(&serving->read_so_far, piece, (size_t)length);
    if (serve_lines(serving, err))
        return -1;
    return serving->read_so_far.length > LONGEST_LINE ? err_set(err, "a line is longer than 1 MiB") : 1;
}

int ask_tell_loop_serve(struct console *console, struct ask_tell *ask_tell, int in)
{
    struct serving serving = {.console = console, .ask_tell = ask_tell};
    struct err err;
    int more;
    ask_tell_serve(ask_tell);
    do
        more = serve_more(&serving, in, &err);
    while (more > 0);
    if (!more)
        more = commit_all(&serving, &err);
    buf_fini(&serving.read_so_far);
    return more ? console_fail(console, STATUS_FAILED, &err) : STATUS_OK;
}
