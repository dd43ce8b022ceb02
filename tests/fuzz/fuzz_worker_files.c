/* What workers and trainers read, of any bytes: checkpoints, lists of GPUs, lists of numbers as the environment has
 * them, what the processor was measured to do at most (also with the right key), packed data (also with the right
 * hashes). The first byte says which. What is refused is refused in words. */
#include "common/mem.h"
#include "common/pack.h"
#include "common/path.h"
#include "tests/scratch.h"
#include "worker/data/packed.h"
#include "worker/hardware/topology_gpus.h"
#include "worker/limits/roofs.h"
#include "worker/trainer/checkpoint.h"
#include "tests/fuzz_seeds.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = 7, THREADS = 2 };

static char *scratch, *path;
static char *limits_path, *limits_of; /* where limits are kept here, and the key that they have there */

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
    free(limits_path);
    free(limits_of);
}

/* --- seeds: one of each kind --- */

static void save_weights(void *self, struct pack_writer *out)
{
    (void)self;
    pack_add(out, "weights", 7, 1);
}

static const struct kernel seeded = {.name = "mlp", .save = save_weights};

/* Keeps some limits, and finds the file. */
static void seed_limits(void)
{
    struct limits limits = {.threads = THREADS, .flops = 1e11, .flops_bf16 = 2e11, .load = 0.5};
    struct err err = {""};
    glob_t found;
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        limits.bandwidth[i] = 1e11 / (1 + i);
    setenv("XDG_CACHE_HOME", scratch, 1);
    char *pattern = path_join(scratch, "gannet/limits/*.json");
    require(limits_keep(&limits, &err) == 0, "limits can't be kept", &err);
    require(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1, "limits are kept elsewhere", &err);
    limits_path = mem_text(found.gl_pathv[0]);
    json_t *json = json_load_file(limits_path, 0, NULL);
    limits_of = mem_text(json_string_value(json_object_get(json, "of")));
    fuzz_seed_file('3', limits_path);
    fuzz_seed_file('4', limits_path);
    json_decref(json);
    globfree(&found);
    free(pattern);
}

static void seed_packed(bool numbers)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, targets[4] = {1, 2, 3, 4};
    int32_t labels[4] = {0, 1, 0, 1};
    struct dataset data = {.x = x, .count = 4, .training = 3, .inputs = 2, .classes = numbers ? 0 : 2};
    struct err err = {""};
    data.targets = numbers ? targets : NULL;
    data.labels = numbers ? NULL : labels;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(packed_write(fd, &data, DATASET_STANDARD, "what", &err) == 0, "data can't be packed", &err);
    close(fd);
    fuzz_seed_file('5', path);
    fuzz_seed_file('6', path);
}

static void write_seeds(void)
{
    seed_limits();
    seed_packed(false);
    seed_packed(true);
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

static void require_known(double number, double most, const char *what)
{
    require(isnan(number) || (number >= 0 && number < most), what, &(struct err){""});
}

static void read_limits(const char *text, size_t length)
{
    struct limits limits;
    struct operation_count operations[OPERATIONS_COUNT] = {[0] = {.calls = 3, .flops = 1e9, .bytes = 1e6}};
    path_write(limits_path, text, length, 0600, NULL);
    limits_load(THREADS, &limits);
    require_known(limits.flops, 1e18, "operations that nothing can do");
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        require_known(limits.bandwidth[i], 1e18, "bytes that nothing can move");
    require_known(limits_bandwidth_for(&limits, 1e6), 1e18, "a bandwidth that is none");
    struct roofs roofs = roofs_of(&limits, operations);
    require_known(roofs.flops, 1e30, "a roof that is none");
    require_known(roofs.bytes, 1e30, "a roof that is none");
    json_decref(limits_json(&limits));
}

/* As if we had measured it here. */
static void read_limits_of_here(const char *text, size_t length)
{
    json_t *json = json_loadb(text, length, 0, NULL);
    if (json_is_object(json)) {
        json_object_set_new(json, "of", json_string(limits_of));
        char *whole = json_dumps(json, 0);
        read_limits(whole, strlen(whole));
        free(whole);
    }
    json_decref(json);
}

/* The hashes as they would be had we written these bytes. */
static void sign_packed(char *bytes, size_t length)
{
    struct packed_header *header = (struct packed_header *)(void *)bytes;
    struct pack_hash contents = {0}, head = {0};
    header->length = length;
    if (header->text > length - sizeof *header)
        return;
    size_t from = sizeof *header + header->text;
    pack_hash_add(&contents, bytes + from, length - from);
    header->contents = pack_hash_value(&contents);
    header->header = 0;
    pack_hash_add(&head, bytes, from);
    header->header = pack_hash_value(&head);
}

static void read_packed(void)
{
    struct dataset data;
    struct err err = {""};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int failed = packed_map(fd, "it", "what", &data, &err);
    close(fd);
    require(!failed || (*err.text && !data.map), "packed data without a sentence", &err);
    if (failed)
        return;
    double sum = 0;
    for (size_t i = 0; i < data.count * data.inputs; i++)
        sum += data.x[i] < 0;
    for (size_t n = 0; n < data.count; n++)
        sum += data.labels ? (double)data.labels[n] : data.targets[n];
    require(data.training && data.training < data.count && (data.labels || !isinf(sum) || sum > 0 || sum < 0),
            "packed data without examples", &err);
    munmap(data.map, data.map_length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = mem_text_n((const char *)data + 1, size - 1);
    if (data[0] % KINDS == '6' % KINDS && size > sizeof(struct packed_header))
        sign_packed(text, size - 1);
    path_write(path, text, size - 1, 0600, NULL);
    switch ((data[0] - '0' + 256 * KINDS) % KINDS) {
    case 0:
        read_checkpoint();
        break;
    case 1:
        read_gpus(text);
        break;
    case 2:
        read_numbers(text);
        break;
    case 3:
        read_limits(text, size - 1);
        break;
    case 4:
        read_limits_of_here(text, size - 1);
        break;
    default:
        read_packed();
    }
    free(text);
    return 0;
}
