/* Any bytes as slurm.json, as a job that the agent tells of, and as a request: they are refused, in words where a
 * person reads them, or what was read is written and read again as the same. */
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/slurm_record.h"
#include "common/path.h"
#include "tests/fuzz_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_slurm: %s\n", what);
    abort();
}

static void require_same(json_t *one, json_t *other, const char *what)
{
    require(json_equal(one, other), what);
    json_decref(one);
    json_decref(other);
}

/* --- what is read is what was written --- */

static void as_job(const json_t *json)
{
    struct slurm_job job, again;
    if (slurm_job_read(json, &job))
        return;
    /* The core sorts slots by the ends of their jobs. */
    require(isfinite(job.submitted) && isfinite(job.started) && isfinite(job.ends), "a job has a time that is none");
    json_t *written = slurm_job_json(&job);
    require(written && slurm_job_read(written, &again) == 0, "a job that was written can't be read");
    require_same(written, slurm_job_json(&again), "a job is read as another one");
}

static void as_request(const json_t *json)
{
    struct slurm_request request, again;
    struct err err = {""};
    if (slurm_request_read(json, &request, &err)) {
        require(*err.text, "a request is refused without a sentence");
        return;
    }
    json_t *written = slurm_request_json(&request);
    require(written && slurm_request_read(written, &again, &err) == 0, "a request that was written can't be read");
    require_same(written, slurm_request_json(&again), "a request is read as another one");
    slurm_request_fini(&request);
    slurm_request_fini(&again);
}

static void nothing(void *context, struct slurm_record *record)
{
    (void)context, (void)record;
}

static void as_record(const struct rundir *dir)
{
    struct slurm_record record, again;
    struct err err = {""};
    if (slurm_record_read(dir, &record, &err)) {
        require(*err.text && !record.items, "a record is refused without a sentence, or in part");
        return;
    }
    require(slurm_record_change(dir, nothing, NULL, &err) == 0, "a record can't be written again");
    require(slurm_record_read(dir, &again, &err) == 0, "a record that was written can't be read");
    require(strcmp(record.comment, again.comment) == 0 && strcmp(record.note, again.note) == 0 &&
                record.count == again.count && record.paused == again.paused,
            "a record is read as another one");
    for (uint32_t i = 0; i < record.count; i++)
        require_same(slurm_job_json(&record.items[i].seen), slurm_job_json(&again.items[i].seen),
                     "a job of a record is read as another one");
    slurm_record_fini(&record);
    slurm_record_fini(&again);
}

/* --- the fuzzer --- */

/* A directory in memory, which stays for the life of the process. */
static const struct rundir *directory(void)
{
    static struct rundir dir;
    char path[] = "/dev/shm/gannet-fuzz.XXXXXX";
    if (!dir.path) {
        require(mkdtemp(path), "there is no place for a file");
        rundir_name(path, &dir);
    }
    return &dir;
}

/* Writes the start of the corpus. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const seeds[] = {
        "{\"id\": 12, \"array\": 12, \"element\": 3, \"restarts\": 1, \"state\": \"pending\", \"reason\": "
        "\"Priority\", "
        "\"submitted\": 1.7e9, \"started\": 0.0, \"ends\": 0.0, \"nodes\": \"n[1-4]\", \"exit_status\": 1}",
        "{\"name\": \"digits\", \"script\": \"#!/bin/sh\", \"nodes\": 4, \"exclusive\": true, \"minutes\": 60, "
        "\"environment\": [\"PATH=/bin\"]}",
        "{\"id\": 12, \"state\": \"running\", \"started\": \"inf\", \"ends\": \"nan\"}",
        "{\"name\": 1, \"nodes\": \"four\", \"state\": null, \"reason\": {}, \"ends\": \"nan\", \"requeued\": 2}",
        "{\"comment\": \"gannet:digits:1\", \"paused\": false, \"asked\": 0.0, \"note\": \"\", \"jobs\": [{\"id\": 12, "
        "\"role\": \"worker\", \"count\": 1, \"array\": false, \"submitted\": 1.7e9, \"looked\": 0.0, \"seen\": "
        "{\"id\": 12, \"state\": \"running\"}}]}",
    };
    (void)argc, (void)argv;
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    const struct rundir *dir = directory();
    char *path = path_join(dir->path, "slurm.json");
    FILE *file = fopen(path, "w");
    require(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "the file can't be written");
    json_t *json = json_loadb((const char *)bytes, length, 0, NULL);
    if (json) {
        as_job(json);
        as_request(json);
    }
    as_record(dir);
    json_decref(json);
    free(path);
    return 0;
}
