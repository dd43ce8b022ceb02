/* Snapshots as a coordinator answers `gannet status`, any bytes of it: what is taken encodes to what is taken again.
 * The command line believes no coordinator: its file may lie in a directory that others made. */
#include "scheduler/core/snapshot.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_snapshot: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct snapshot_worker worker = {.name = "n01", .worker = 7, .slots = 8, .aside = "why", .job = {12, 3}};
    struct snapshot snapshot = {.has_best = true,
                                .early_stop = true,
                                .has_deadline = true,
                                .exceeds_walltime = 1,
                                .workers = &worker,
                                .worker_count = 1};
    json_t *json = snapshot_encode(&snapshot);
    char *text = json_dumps(json, 0);
    fuzz_seed("whole", text, strlen(text));
    free(text);
    json_decref(json);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct snapshot snapshot, again;
    struct err err = {""};
    json_t *json = json_loadb((const char *)data, size, 0, NULL);
    int failed = snapshot_decode(json, &snapshot, &err);
    require(!failed || *err.text, "a refusal without a sentence");
    if (!failed) {
        json_t *encoded = snapshot_encode(&snapshot);
        require(snapshot_decode(encoded, &again, &err) == 0, "what was encoded is refused");
        require(again.worker_count == snapshot.worker_count && again.steps == snapshot.steps, "it became another one");
        json_decref(encoded);
        snapshot_fini(&again);
        snapshot_fini(&snapshot);
    }
    json_decref(json);
    return 0;
}
