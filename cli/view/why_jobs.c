/* See why_jobs.h. */
#include "cli/view/why_jobs.h"
#include "cli/json.h"
#include "cli/view/job_list.h"
#include "common/json.h"
#include "scheduler/slurm/slurm_agent.h"

#include <stdio.h>
#include <string.h>

/* The submission in the record that this row of the store is about; NULL: none. */
static const struct slurm_submission *submission_of(const struct why_facts *known, const json_t *job)
{
    const struct slurm_record *record = known->overview->jobs;
    const struct slurm_submission *found = NULL;
    for (uint32_t i = 0; record && !json_is_integer(json_object_get(job, "element")) && i < record->count; i++)
        if (record->items[i].id == (uint32_t)json_integer_value(json_object_get(job, "job")) &&
            record->items[i].seen.restarts == (uint32_t)json_integer_value(json_object_get(job, "restarts")))
            found = &record->items[i];
    return found;
}

/* How it ended: the coordinator wrote what it knew, and Slurm said later how its job ended. False when it has not. */
static bool find_end(const struct why_facts *known, const json_t *row, struct slurm_job *out)
{
    const struct slurm_submission *one = submission_of(known, row);
    bool later = one && slurm_state_is_end(one->seen.state) && one->seen.state != SLURM_VANISHED;
    bool ended = later || job_list_read_end(row, out);
    if (later)
        *out = one->seen;
    return ended;
}

/* Whether there is nothing in it that a person may have to do something about. */
static bool is_well(const struct why_facts *known, const json_t *job)
{
    struct slurm_job end;
    return !find_end(known, job, &end) || end.state == SLURM_COMPLETED;
}

static void explain_job(const struct why_facts *known, const json_t *job, struct buf *line)
{
    json_int_t restarts = json_integer_value(json_object_get(job, "restarts"));
    struct slurm_job end;
    bool ended = find_end(known, job, &end);
    buf_format(line, "job %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(job, "job")));
    if (json_is_integer(json_object_get(job, "element")))
        buf_format(line, "_%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(job, "element")));
    if (restarts)
        buf_format(line, ", requeued %" JSON_INTEGER_FORMAT " time%s before,", restarts, restarts == 1 ? "" : "s");
    buf_format(line, " (%s): %s", json_text(job, "role"),
               ended ? slurm_state_name(end.state) : json_text(job, "state"));
    if (*json_text(job, "nodes"))
        buf_format(line, " on %s", json_text(job, "nodes"));
    if (ended && end.state != SLURM_COMPLETED) {
        buf_text(line, ": it ");
        job_list_add_end(&end, line);
    } else if (*json_text(job, "reason")) {
        buf_format(line, ": %s", json_text(job, "reason"));
    }
}

void why_jobs_explain(const struct why_facts *known, json_t *sentences)
{
    size_t index;
    json_t *job;
    struct buf line = {0};
    json_array_foreach(json_object_get(known->faults, "jobs"), index, job)
    {
        if (known->trouble && is_well(known, job))
            continue;
        buf_clear(&line);
        explain_job(known, job, &line);
        json_array_append_new(sentences, json_of_text(buf_str(&line)));
    }
    buf_fini(&line);
}

/* Whether a row is of the job that a worker names: "12", or element 3 of it "12_3". */
static bool is_named(const json_t *row, const char *name)
{
    char of_row[48];
    const json_t *element = json_object_get(row, "element");
    int length =
        snprintf(of_row, sizeof of_row, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "job")));
    if (json_is_integer(element))
        snprintf(of_row + length, sizeof of_row - (size_t)length, "_%" JSON_INTEGER_FORMAT,
                 json_integer_value(element));
    return strcmp(of_row, name) == 0;
}

void why_jobs_add_end(const struct why_facts *known, const char *name, const char *moment, struct buf *line)
{
    size_t index;
    json_t *row;
    const json_t *its = NULL; /* of several runs of the job the last one that had begun by then */
    struct slurm_job end;
    json_array_foreach(json_object_get(known->faults, "jobs"), index, row)
    {
        bool begun = *json_text(row, "started") && strcmp(json_text(row, "started"), moment) <= 0;
        if (is_named(row, name) && (begun || !its))
            its = row;
    }
    if (!its || !find_end(known, its, &end) || !job_list_end_is_of_slurm(end.state))
        return;
    buf_format(line, "; job %s ", name);
    job_list_add_end(&end, line);
}
