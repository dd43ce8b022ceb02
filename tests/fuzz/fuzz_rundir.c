/* The small files of a run directory, of any bytes: coordinator.json when the first byte is even, else a key. What is
 * refused is refused in words. */
#include "common/keys.h"
#include "common/path.h"
#include "scheduler/rundir/rundir.h"
#include "tests/scratch.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *scratch, *path;
static struct rundir dir;

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_rundir: %s: %s\n", what, err->text);
    abort();
}

static void remove_all(void)
{
    rundir_fini(&dir);
    scratch_remove(scratch);
    free(path);
}

/* --- seeds: one of each kind --- */

static void write_seeds(void)
{
    struct discovery discovery = {.node = "n", .host = "h", .pid = 1, .workers = "tcp://127.0.0.1:1"};
    struct key_pair pair;
    if (discovery_write(&dir, &discovery, NULL) == 0)
        fuzz_seed_file('0', dir.discovery);
    if (keys_make(&pair, NULL) == 0 && keys_write(path, &pair, NULL) == 0)
        fuzz_seed_file('1', path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    scratch = scratch_make();
    path = path_join(scratch, "file");
    rundir_name(scratch, &dir);
    write_seeds();
    atexit(remove_all);
    return 0;
}

/* --- the readers --- */

static void read_discovery(void)
{
    struct discovery discovery;
    struct err err = {""};
    require(discovery_read(&dir, &discovery, &err) == 0 || *err.text, "a coordinator.json without a sentence", &err);
}

static void read_keys(void)
{
    struct key_pair pair = {0};
    struct err err = {""};
    int failed = keys_read(path, &pair, &err);
    require(failed ? *err.text : strlen(pair.public) == KEY_TEXT - 1, "a key without a sentence", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    bool key = data[0] % 2;
    path_write(key ? path : dir.discovery, (const char *)data + 1, size - 1, 0600, NULL);
    (key ? read_keys : read_discovery)();
    return 0;
}
