/* Submitting an experiment; see submission.h.
 *
 * The record is on disk before the controller is asked: a job whose answer was lost is found by the comment in it,
 * which all jobs of the experiment carry. */
#include "cli/session/submission.h"
#include "cli/data/target.h"
#include "cli/format.h"
#include "cli/status.h"
#include "cli/view/table.h"
#include "common/clock.h"
#include "common/mem.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/client.h"
#include "scheduler/slurm/refusal.h"
#include "scheduler/store/network_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A controller that is away makes libslurm wait for its MessageTimeout, 10 s unless the site changed it to up to 100.
 */
static const double patience = 120;

/* Which job an experiment of this shape begins with. */
static enum slurm_role first_role(const struct spec *spec)
{
    return spec->slurm.shape == SHAPE_JOB ? SLURM_ROLE_EXPERIMENT : SLURM_ROLE_COORDINATOR;
}

bool submission_is_here(const struct spec *spec)
{
    return spec->slurm.shape != SHAPE_JOB && spec->slurm.coordinator_here;
}

int submission_request(const struct rundir *dir, const struct spec *spec, const char *comment,
                       struct slurm_request *out, struct buf *notes, struct err *err)
{
    struct slurm_order order = {.spec = spec, .rundir = dir->path, .comment = comment, .now = clock_wall()};
    int failed = slurm_request_make(&order, first_role(spec), 0, out, notes, err);
    return failed ? STATUS_USAGE : STATUS_OK;
}

bool submission_has_workers(const struct spec *spec)
{
    return spec->slurm.shape != SHAPE_JOB;
}

int submission_workers(const struct rundir *dir, const struct spec *spec, const char *comment,
                       struct slurm_request *out, struct buf *notes, struct err *err)
{
    struct slurm_order order = {.spec = spec, .rundir = dir->path, .comment = comment, .now = clock_wall()};
    uint32_t elements = spec->slurm.shape == SHAPE_ARRAY ? spec->slurm.workers : 0;
    return slurm_request_make(&order, SLURM_ROLE_WORKER, elements, out, notes, err) ? STATUS_USAGE : STATUS_OK;
}

/* --- the record --- */

/* A submission on its way: what goes into the record, and what comes out of it. */
struct submission_entry {
    const struct rundir *dir;
    const struct spec *spec;
    bool asks;    /* Slurm is asked for a job */
    bool release; /* it is not to be held */
    bool unclear; /* it is not known whether Slurm has taken it */
    uint32_t id;
    char comment[sizeof((struct slurm_record *)0)->comment];
    uint32_t *known; /* the jobs that it had before */
    size_t known_count;
};

/* A person's own comment follows ours. */
static void prepare_record(void *context, struct slurm_record *record)
{
    struct submission_entry *entry = context;
    const char *own = entry->spec->slurm.comment;
    size_t length = strcspn(record->comment, " ");
    if (own)
        snprintf(record->comment + length, sizeof record->comment - length, " %s", own);
    record->paused = false;
    *record->note = '\0';
    record->unsure = entry->asks ? clock_wall() : 0;
    record->unsure_role = first_role(entry->spec);
    memcpy(entry->comment, record->comment, sizeof entry->comment);
    entry->known = MEM_ARRAY(uint32_t, record->count + 1);
    for (uint32_t i = 0; i < record->count; i++)
        entry->known[entry->known_count++] = record->items[i].id;
}

int submission_begin(const struct rundir *dir, const struct spec *spec, struct err *err)
{
    struct submission_entry entry = {.spec = spec};
    int failed = slurm_record_change(dir, prepare_record, &entry, err);
    free(entry.known);
    return failed;
}

static void add_to_record(void *context, struct slurm_record *record)
{
    const struct submission_entry *entry = context;
    slurm_record_add(record, entry->id, first_role(entry->spec));
    record->unsure = 0;
}

static void forget_question(void *context, struct slurm_record *record)
{
    (void)context;
    record->unsure = 0;
}

/* --- the question --- */

/* Adds what to do about a refusal. */
static void explain_refusal(const struct slurm_request *request, int number, struct buf *out)
{
    json_t *answer =
        refusal_is_of_partition(number) ? slurm_ask_now(slurm_ask_partitions(), patience, NULL, NULL) : NULL;
    const json_t *list = json_object_get(answer, "partitions");
    const char **names = MEM_ARRAY(const char *, json_array_size(list) + 1);
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            names[count++] = json_string_value(json_array_get(list, i));
    refusal_explain(number, request, names, count, out);
    free(names);
    json_decref(answer);
}

static int refuse_request(struct console *console, const struct slurm_request *request, int number, struct err *err)
{
    struct buf advice = {0};
    if (number > 0)
        err_write_prefix(err, "Slurm refused the job");
    console_fail(console, STATUS_SCHEDULER, err);
    explain_refusal(request, number, &advice);
    if (advice.length)
        fprintf(console->err, "  %s\n", buf_str(&advice));
    buf_fini(&advice);
    return STATUS_SCHEDULER;
}

static int ask_controller(struct console *console, const struct slurm_request *request, struct submission_entry *entry)
{
    struct err err;
    int number = 0;
    entry->id = slurm_submit_now(NULL, request, entry->known, entry->known_count, patience, &number, &err);
    entry->unclear = !entry->id && number == SLURM_UNCLEAR;
    if (!entry->id && !entry->unclear)
        (void)slurm_record_change(entry->dir, forget_question, NULL, NULL);
    return entry->id ? STATUS_OK : refuse_request(console, request, number, &err);
}

int submission_check(struct console *console, const struct rundir *dir, const struct spec *spec)
{
    struct err err;
    struct slurm_request request;
    int number = 0;
    if (!submission_has_workers(spec))
        return STATUS_OK;
    int status = submission_workers(dir, spec, "gannet: a test, which is not submitted", &request, NULL, &err);
    if (status)
        return console_fail(console, status, &err);
    json_t *answer = slurm_ask_now(slurm_ask_check(&request), patience, &number, &err);
    if (!answer && refusal_is_final(number)) {
        err_write_prefix(&err, "a worker");
        status = refuse_request(console, &request, number, &err);
    }
    json_decref(answer);
    slurm_request_fini(&request);
    return status;
}

static int send_request(struct console *console, const struct rundir *dir, struct submission_entry *entry)
{
    struct err err;
    struct slurm_request request;
    int status = submission_request(dir, entry->spec, entry->comment, &request, NULL, &err);
    if (status)
        return console_fail(console, status, &err);
    request.hold = request.hold && !entry->release;
    status = ask_controller(console, &request, entry);
    slurm_request_fini(&request);
    if (status || slurm_record_change(dir, add_to_record, entry, &err) == 0)
        return status;
    fprintf(console->err, "gannet: job %u is submitted, but that could not be written down\n", entry->id);
    return console_fail(console, STATUS_FAILED, &err);
}

/* The job may come yet, and will find its run directory. */
static void say_unclear(struct console *console, const struct rundir *dir)
{
    struct buf word = {0};
    char *name = target_handle(dir);
    format_shell(name, &word);
    fprintf(console->err,
            "Whether the job was submitted is not known; %s stays for it. When slurmctld answers again:\n", dir->path);
    fprintf(console->err, "  gannet status %s    says whether it is in the queue\n", buf_str(&word));
    fprintf(console->err, "  gannet resume %s    submits one when it is not\n", buf_str(&word));
    fprintf(console->err, "  gannet cancel %s    takes it back, also one that comes later\n", buf_str(&word));
    buf_fini(&word);
    free(name);
}

int submission_send(struct console *console, const struct rundir *dir, const struct spec *spec, bool release,
                    uint32_t *id, bool *unclear)
{
    struct err err;
    struct submission_entry entry = {.dir = dir, .spec = spec, .asks = true, .release = release};
    int status = slurm_record_change(dir, prepare_record, &entry, &err) ? console_fail(console, STATUS_FAILED, &err)
                                                                        : send_request(console, dir, &entry);
    free(entry.known);
    *id = entry.id;
    *unclear = entry.unclear;
    if (entry.unclear)
        say_unclear(console, dir);
    return status;
}

/* --- for the person --- */

/* The commonest reason why a job ends before it has said anything. */
static void warn_of_local_disk(struct console *console, const struct rundir *dir)
{
    bool network;
    if (network_disk_check(dir->path, &network, NULL) == 0 && !network)
        console_tell(
            console,
            "note: %s is on a disk of this machine; nodes that don't see it can't run the job (--dir elsewhere)",
            dir->path);
}

void submission_say(struct console *console, const struct rundir *dir, const char *name, uint32_t id)
{
    struct buf word = {0};
    format_shell(name, &word);
    fprintf(console->out, "job %u is submitted\n", id);
    fprintf(console->out, "  watch it  %sgannet status %s --watch\n", console->programs, buf_str(&word));
    fprintf(console->out, "  end it    %sgannet cancel %s\n", console->programs, buf_str(&word));
    fprintf(console->out, "  its logs  %s\n", dir->logs);
    fflush(console->out);
    warn_of_local_disk(console, dir);
    buf_fini(&word);
}

/* --- the request as a table --- */

static void add_row(struct text_table *table, const char *key, const char *name, const char *value)
{
    char *path = *key ? mem_format("slurm.%s", key) : mem_text("");
    table_cell(table, TINT_NONE, name);
    table_cell(table, TINT_STRONG, value);
    table_cell(table, TINT_QUIET, path);
    free(path);
}

/* Options that are handed on, a row each; `lines` as in further.h. */
static void add_further_rows(struct text_table *table, const char *lines)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1) {
        size_t whole = strcspn(at, "\n"), length = strcspn(at, "=\n");
        char *name = mem_text_n(at, length);
        char *value = length < whole ? mem_text_n(at + length + 1, whole - length - 1) : mem_text("yes");
        add_row(table, "", name, value);
        free(value);
        free(name);
    }
}

static void row_TEXT(struct text_table *table, const char *key, const char *name, const char *text)
{
    if (text && strcmp(name, "further") == 0)
        add_further_rows(table, text);
    else if (text && strcmp(name, "script") != 0)
        add_row(table, key, name, text);
}

static void row_NUMBER(struct text_table *table, const char *key, const char *name, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    if (number != SLURM_UNSET)
        add_row(table, key, name, text);
}

static void row_SWITCH(struct text_table *table, const char *key, const char *name, bool on)
{
    if (on)
        add_row(table, key, name, "yes");
}

static void add_request(struct text_table *table, const struct slurm_request *request)
{
#define X(type, member, key, help) row_##type(table, key, #member, request->member);
    SLURM_REQUEST(X)
#undef X
}

void submission_draw(const struct slurm_request *request, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    table_columns(table, "request|value|key");
    add_request(table, request);
    for (uint32_t i = 0; i < request->component_count; i++) {
        row_NUMBER(table, "components", "component", i + 2);
        add_request(table, &request->components[i]);
    }
    table_finish(table, look, out);
}
