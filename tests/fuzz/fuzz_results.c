/* Results as a worker may send them, with profiles, counters and operations of any kind: what the coordinator's core
 * takes of them the store takes, too, and everything that reads the store reads it. The input is a message RESULTS;
 * that its first result is about the run that the worker has is seen to here.
 *
 * The core and its store live on from input to input: each is about another trial. */
#include "common/json.h"
#include "common/mem.h"
#include "common/operations.h"
#include "common/run_counters.h"
#include "scheduler/core/core.h"
#include "scheduler/store/reader.h"
#include "scheduler/store/store.h"
#include "tests/fuzz_seeds.h"
#include "tests/scratch.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORKER = 7, PEER = 1, TRIALS_A_STORE = 500 };

static char *scratch, *path;
static struct store *store;
static struct core *core;
static double now;
static struct msg_run_id leased; /* the run that the worker has; trial 0: none */
static unsigned stores;

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_results: %s: %s\n", what, err ? err->text : "");
    abort();
}

static void close_all(void)
{
    core_destroy(core);
    store_close(store);
    core = NULL;
    store = NULL;
}

static void remove_all(void)
{
    close_all();
    scratch_remove(scratch);
    free(path);
}

/* --- what the core wants --- */

static void take_message(const struct buf *bytes)
{
    struct msg msg;
    struct err err;
    require(msg_decode(&msg, bytes->data, bytes->length, &err) == 0, "it sends no message", &err);
    if (msg.kind == MSG_LEASES && msg.leases.leases_count)
        leased = (struct msg_run_id){msg.leases.leases[0].trial, msg.leases.leases[0].attempt};
    msg_fini(&msg);
}

static uint64_t take_output(const struct output *output)
{
    struct err err = {""};
    if (output->kind == OUTPUT_SEND)
        take_message(&output->bytes);
    else if (output->kind == OUTPUT_ASK)
        core_proposal(core, now, output->trial, &(struct event_proposed){.params = "{\"x\": 1}"});
    else if (output->kind == OUTPUT_STORE)
        require(store_write(store, &output->event, 1, &err) == 0, "an event can't be written", &err);
    return output->kind == OUTPUT_STORE ? output->event.number : 0;
}

static void drive(void)
{
    struct output output;
    for (uint64_t last = 1; last;) {
        last = 0;
        while (core_next(core, &output)) {
            uint64_t number = take_output(&output);
            last = number ? number : last;
            output_fini(&output);
        }
        if (last)
            core_committed(core, now, last);
    }
}

static void say(const struct msg *msg)
{
    core_message(core, now, PEER, msg);
    drive();
}

/* A worker with one slot, which gets the first trial. */
static void start(void)
{
    struct core_config config;
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    free(path);
    path = mem_format("%s/%u.db", scratch, stores++);
    store = stores_make(path);
    core_config_defaults(&config);
    config.task = "{}";
    config.metrics = metrics_min;
    config.max_trials = 1000000;
    now = 100;
    leased.trial = 0;
    core = core_create(&config, &(struct memory){.next_trial = 1}, now);
    drive();
    say(&(struct msg){.kind = MSG_HELLO, .hello = {.worker = WORKER, .node = "n"}});
    say(&(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
    require(leased.trial > 0, "nothing was leased", NULL);
}

/* --- seeds --- */

/* A result of everything that there is, with sensible numbers; of an attempt that ends in this way. */
static void write_seed(enum ending ending)
{
    struct msg_sample sample = {"loss", 3, 0.5, 1};
    struct msg_measure measure = {0, 0.5, 0.5, 2};
    struct msg_phase phases[3] = {0};
    struct msg_named named = {"io/read", 1, 3, 0.1, 0.5, 0.3, 0.4};
    struct msg_counted counted[RUN_COUNTERS_COUNT];
    struct msg_operation operations[OPERATIONS_COUNT];
    for (uint32_t i = 0; i < 3; i++)
        phases[i] = (struct msg_phase){i, 1 + i, 4, 0.1, 0.5, 0.3, 0.4};
    for (uint32_t i = 0; i < RUN_COUNTERS_COUNT; i++)
        counted[i] = (struct msg_counted){i, 1 + i};
    for (uint32_t i = 0; i < OPERATIONS_COUNT; i++)
        operations[i] = (struct msg_operation){i, 10, 1e9, 1e6, 5, 0.5, 0.01, 0.2};
    struct msg_result result = {.trial = 1,
                                .attempt = 1,
                                .ending = ending,
                                .detail = "why",
                                .tail = "last words",
                                .started = 1.8e9,
                                .seconds = 12,
                                .cpu_seconds = 11,
                                .peak_memory = 1 << 20,
                                .measures = &measure,
                                .measures_count = 1,
                                .samples = &sample,
                                .samples_count = 1,
                                .phases = phases,
                                .phases_count = 3,
                                .named = &named,
                                .named_count = 1,
                                .counted = counted,
                                .counted_count = RUN_COUNTERS_COUNT,
                                .operations = operations,
                                .operations_count = OPERATIONS_COUNT};
    struct buf bytes = {0};
    msg_encode(&(struct msg){.kind = MSG_RESULTS, .results = {&result, 1}}, &bytes);
    fuzz_seed(ending_name(ending), bytes.data, bytes.length);
    buf_fini(&bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_require_memory();
    scratch = scratch_make();
    for (int ending = 0; ending < ENDINGS_COUNT; ending++)
        write_seed((enum ending)ending);
    atexit(remove_all);
    return 0;
}

/* --- reading --- */

static void read_back(json_t *json, const char *what, const struct err *err)
{
    char *text = json_dumps(json, JSON_ENCODE_ANY);
    require(json && text, what, err);
    free(text);
    json_decref(json);
}

static void read_all(uint64_t trial)
{
    struct err err = {""};
    struct reader *reader = store_reader(store);
    read_back(reader_show(reader, trial, &err), "the trial can't be read", &err);
    read_back(reader_operations(reader, 1, &err), "operations can't be read", &err);
    read_back(reader_phases(reader, 1, &err), "phases can't be read", &err);
    read_back(reader_verdicts(reader, 1, &err), "verdicts can't be read", &err);
    read_back(reader_speed(reader, 1, &err), "speeds can't be read", &err);
    read_back(reader_faults(reader, &err), "faults can't be read", &err);
    read_back(reader_spans(reader, 0, trial, &err), "spans can't be read", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct msg msg;
    if (msg_decode(&msg, data, size, NULL) || msg.kind != MSG_RESULTS || !msg.results.results_count) {
        msg_fini(&msg);
        return 0;
    }
    if (!core || leased.trial >= TRIALS_A_STORE) {
        close_all();
        start();
    }
    struct msg_run_id run = leased;
    struct msg_result *result = (struct msg_result *)(uintptr_t)&msg.results.results[0];
    result->trial = run.trial;
    result->attempt = run.attempt;
    now += 1;
    say(&msg);
    read_all(run.trial);
    msg_fini(&msg);
    if (leased.trial == run.trial && leased.attempt == run.attempt) /* set aside: another worker goes on */
        close_all();
    return 0;
}
