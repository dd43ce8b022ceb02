/* Stores with values that no row should have: a rich store is made once, the input says which columns of which rows
 * become what (or, when its first byte is odd, which bytes of the file), and then a start takes it up, and everything
 * that reads a store reads it. What a start takes up makes a core that works; what it refuses is refused in words and
 * stays as it was.
 *
 * The store lies in a directory of its own in TMPDIR, which goes when the program ends. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/core/core.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"
#include "tests/damaged_store.h"
#include "tests/scratch.h"
#include "tests/test_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *scratch, *path;
static struct damaged_store damaged;

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_store: %s: %s\n", what, err->text);
    abort();
}

static void remove_all(void)
{
    scratch_remove(scratch);
    damaged_store_fini(&damaged);
    free(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct err err = {""};
    scratch = scratch_make();
    path = path_join(scratch, "a.db");
    damaged_store_init(&damaged, path);
    require(store_check(path, &metrics_min, NULL, &err) == 0, "a sound store is refused", &err);
    atexit(remove_all);
    return 0;
}

/* --- reading --- */

static int visit_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                          struct err *err)
{
    (void)context, (void)trial, (void)told_before, (void)from_start, (void)err;
    return strlen(params) > 1u << 30;
}

static int visit_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)context, (void)err;
    return tell->ending >= ENDINGS_COUNT;
}

static int visit_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)context, (void)err;
    return seen->value_count && seen->values[0] > 1e308;
}

static void visit_sample(void *context, uint64_t trial, uint64_t step, const double *judged)
{
    (void)trial, (void)step;
    *(double *)context += judged[0];
}

static void visit_went_on(void *context, uint64_t trial)
{
    (void)context, (void)trial;
}

static void visit_ended(void *context, uint64_t trial, enum ending ending)
{
    (void)context, (void)trial;
    ending_name(ending);
}

static void replay(struct reader *reader)
{
    struct err err;
    double sum = 0;
    reader_replay(reader, &(struct replay_visitor){NULL, visit_proposal, visit_tell, visit_observation, NULL, NULL},
                  &err);
    reader_decisions(reader, &(struct decision_visitor){&sum, visit_sample, visit_went_on, visit_ended}, &err);
}

static void read_everything(void)
{
    struct err err = {""};
    struct snapshot snapshot, again;
    struct reader *reader = reader_open(path, &err);
    require(reader || *err.text, "a store is refused without a sentence", &err);
    if (!reader)
        return;
    json_decref(reader_trials(reader, &(struct trial_query){0}, &err));
    json_decref(reader_trials(reader, &(struct trial_query){.order = "metric.loss", .limit = 5}, &err));
    json_decref(reader_best(reader, &err));
    for (uint64_t trial = 1; trial < 4; trial++)
        json_decref(reader_show(reader, trial, &err));
    json_decref(reader_experiment(reader, &err));
    json_decref(reader_events(reader, 0, &err));
    json_decref(reader_phases(reader, 1, &err));
    if (reader_snapshot(reader, &snapshot, &err) == 0) {
        json_t *json = snapshot_encode(&snapshot);
        if (snapshot_decode(json, &again, &err) == 0)
            snapshot_fini(&again);
        json_decref(json);
        snapshot_fini(&snapshot);
    }
    replay(reader);
    reader_close(reader);
}

/* --- a start --- */

static void take_outputs(struct core *core)
{
    struct output output;
    uint64_t last = 0;
    while (core_next(core, &output)) {
        last = output.kind == OUTPUT_STORE ? output.event.number : last;
        output_fini(&output);
    }
    if (last)
        core_committed(core, 100, last);
}

static void start_core(const struct memory *memory)
{
    struct core_config config;
    struct snapshot snapshot;
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    core_config_defaults(&config);
    config.task = "{}";
    config.metrics = metrics_min;
    config.can_continue = true;
    struct core *core = core_create(&config, memory, 100);
    take_outputs(core);
    core_message(core, 100, 1, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 7, .node = "n"}});
    core_message(core, 100, 1, &(struct msg){.kind = MSG_OFFER, .offer = {1, &slot, 1, NULL, 0}});
    core_deadline(core, 100, 1000);
    for (int i = 0; i < 5; i++) {
        core_tick(core, 100 + 31 * i);
        take_outputs(core);
    }
    core_snapshot(core, 300, &snapshot);
    snapshot_fini(&snapshot);
    core_destroy(core);
}

static void start(void)
{
    struct err err = {""};
    struct memory memory;
    struct store *store = store_open(path, &err);
    require(store || *err.text, "a store is refused without a sentence", &err);
    if (!store)
        return;
    int failed = reader_check(store_reader(store), &metrics_min, &err);
    if (!failed)
        failed = store_recall(store, &memory, &err);
    require(!failed || *err.text, "a start is refused without a sentence", &err);
    if (!failed) {
        start_core(&memory);
        memory_fini(&memory);
    }
    store_leave(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {""};
    if (!size)
        return 0;
    damaged_store_write(&damaged, data, size);
    int failed = store_check(path, &metrics_min, NULL, &err);
    require(!failed || *err.text, "a store is refused without a sentence", &err);
    if (data[0] & 2) /* which takes ten times as long */
        read_everything();
    start();
    char *wal = mem_format("%s-wal", path), *index = mem_format("%s-shm", path);
    unlink(wal);
    unlink(index);
    free(wal);
    free(index);
    return 0;
}
