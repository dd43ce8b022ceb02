/* What workers and trainers read, of any bytes: checkpoints, lists of GPUs, lists of numbers as the environment has
 * them. The first byte says which. What is refused is refused in words. */
#include "common/mem.h"
#include "common/path.h"
#include "tests/scratch.h"
#include "worker/hardware/topology_gpus.h"
#include "worker/trainer/checkpoint.h"
#include "tests/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *scratch, *path;

static void require(bool good, const char *what, const struct err *err)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_worker_files: %s: %s\n", what, err->text);
    abort();
}

static void remove_all(void)
{
    scratch_remove(scratch);
    free(path);
}

/* --- seeds: one of each kind --- */

static void save_weights(void *self, struct pack_writer *out)
{
    (void)self;
    pack_add(out, "weights", 7, 1);
}

static const struct kernel seeded = {.name = "mlp", .save = save_weights};

static void write_seeds(void)
{
    static const char gpus[] = "0 numa:0 A100\n1 cpus:0-3,8 A100\n2 - none\n", numbers[] = "0-3,8,12-15";
    struct msg_sample sample = {"loss", 3, 0.5, 1};
    struct checkpoint checkpoint = {.step = 3, .samples = &sample, .sample_count = 1};
    if (checkpoint_write(path, &checkpoint, &seeded, NULL, NULL) == 0)
        fuzz_seed_file('0', path);
    fuzz_seed_kind('1', gpus, sizeof gpus - 1);
    fuzz_seed_kind('2', numbers, sizeof numbers - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    scratch = scratch_make();
    path = path_join(scratch, "file");
    write_seeds();
    atexit(remove_all);
    return 0;
}

/* --- the readers --- */

static void read_checkpoint(void)
{
    struct checkpoint_file file;
    struct err err = {""};
    char weights[7];
    int found = checkpoint_open(path, &seeded, &file, &err);
    if (found > 0) {
        pack_take(&file.bytes, weights, sizeof weights, 1);
        found = checkpoint_check(&file, &err);
        checkpoint_close(&file);
    }
    require(found >= 0 || *err.text, "a checkpoint without a sentence", &err);
}

static void read_gpus(const char *text)
{
    struct topology topology = {0};
    struct err err = {""};
    require(gpus_from_list(&topology, path, &err) == 0 || *err.text, "a list of GPUs without a sentence", &err);
    gpus_keep_visible(&topology, text, text);
    topology_fini(&topology);
    topology = (struct topology){0};
    gpus_from_numbers(&topology, text);
    gpus_keep_visible(&topology, text, NULL);
    topology_fini(&topology);
}

static void read_numbers(const char *text)
{
    struct numbers set = {0}, again = {0};
    struct buf shown = {0};
    struct err err = {""};
    int failed = numbers_read(text, &set, &err);
    require(!failed || *err.text, "a list of numbers without a sentence", &err);
    numbers_show(&set, &shown);
    require(failed || numbers_read(buf_str(&shown), &again, &err) == 0, "what is shown is no list", &err);
    require(failed || again.count == set.count, "what is shown is another list", &err);
    numbers_fini(&set);
    numbers_fini(&again);
    buf_fini(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = mem_text_n((const char *)data + 1, size - 1);
    path_write(path, (const char *)data + 1, size - 1, 0600, NULL);
    switch (data[0] % 3) {
    case 0:
        read_checkpoint();
        break;
    case 1:
        read_gpus(text);
        break;
    default:
        read_numbers(text);
    }
    free(text);
    return 0;
}
