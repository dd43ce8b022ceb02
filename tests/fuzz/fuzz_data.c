/* Files of examples of any bytes, as people have them: IDX (plain and compressed), NPY, NPZ, CSV, CIFAR, a text, and
 * generators as an experiment names them. The first byte says which. What is read is examples that can be trained on,
 * what is refused is refused in words.
 *
 * The seeds of files of arrays lie in tests/data/examples, where `make test` and tests/fuzz/run start. */
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/fuzz_seeds.h"
#include "tests/scratch.h"
#include "worker/data/dataset.h"
#include "worker/data/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = 6, RECORD = 3073, CONTEXT = 8, LARGEST = 1 << 16 };

/* Where whole files lie: the labels of damaged inputs, and the other way round. */
#define WHOLE "tests/data/examples/"

static char *scratch, *path, *records, *whole;

static void require(bool good, const char *what, const char *said)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_data: %s: %s\n", what, said);
    abort();
}

static void remove_all(void)
{
    scratch_remove(scratch);
    free(path);
    free(records);
    free(whole);
}

/* --- seeds --- */

/* A seed's name is its first byte, which also says what it is. */
static char next_kind(int kind)
{
    static int seeds[KINDS];
    return (char)('0' + kind + KINDS * seeds[kind]++);
}

static void seed_bytes(int kind, const void *bytes, size_t length)
{
    fuzz_seed_kind(next_kind(kind), bytes, length);
}

static void seed_arrays(void)
{
    static const char *const arrays[] = {"x.npy", "y.npy", "stored.npz", "packed.npz", "images.gz", "labels.gz"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        for (int kind = 0; kind < 2; kind++) {
            char *file = path_join(whole, arrays[i]);
            fuzz_seed_file(next_kind(kind), file);
            free(file);
        }
}

static void write_seeds(void)
{
    static const char idx[] = "\0\0\x08\3\0\0\0\4\0\0\0\1\0\0\0\2abcdefgh", labels[] = "\0\0\x08\1\0\0\0\4\0\1\0\1";
    static const char csv[] = "a,b,label\n1,2,x\n3,4,y\n5,6,x\n7,8e3,y\n",
                      lines[] = "a line of text\nand another one\n";
    static const char made[] = "{\"generate\": \"shapes\", \"examples\": 40, \"size\": 5, \"noise\": 0.5}";
    static const char named[] = "\"generate:sequences\"", numbers[] = "a,b\n1,2\nnan,3\n?,4\n,1e3\n";
    static char cifar[4 * RECORD];
    for (size_t n = 0; n < 4; n++)
        cifar[n * RECORD] = (char)(n % 2);
    seed_arrays();
    seed_bytes(0, idx, sizeof idx - 1);
    seed_bytes(1, labels, sizeof labels - 1);
    seed_bytes(0, csv, sizeof csv - 1);
    seed_bytes(2, numbers, sizeof numbers - 1);
    seed_bytes(3, cifar, sizeof cifar);
    seed_bytes(4, lines, sizeof lines - 1);
    seed_bytes(5, made, sizeof made - 1);
    seed_bytes(5, named, sizeof named - 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_require_memory();
    scratch = scratch_make();
    path = path_join(scratch, "file");
    records = path_join(scratch, "records.bin");
    whole = path_absolute(WHOLE);
    write_seeds();
    atexit(remove_all);
    return 0;
}

/* --- what is read --- */

static void check_examples(const struct dataset *data, const struct dataset_source *source)
{
    size_t shaped = dataset_shape_inputs(&data->shape);
    require(data->training > 0 && data->training < data->count, "a part without examples", "");
    require(data->inputs > 0 && (!shaped || shaped == data->inputs), "a shape of another number of inputs", "");
    for (size_t i = 0; i < data->count * data->inputs; i++)
        require(isfinite(data->x[i]) || source->missing, "an input that is no number", "");
    for (size_t n = 0; n < data->count; n++)
        if (source->numbers)
            require(isfinite(data->targets[n]), "a number to be learned that is none", "");
        else
            require(data->labels[n] >= 0 && (size_t)data->labels[n] < data->classes, "a label of no class", "");
}

static void open_source(struct dataset_source source)
{
    struct dataset data;
    struct err err = {""};
    const char **texts[] = {&source.labels, &source.array, &source.label, &source.validation_data,
                            &source.validation_labels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? *texts[i] : "";
    source.base = whole;
    source.validation = 0.5;
    if (dataset_open(&data, &source, &err) == 0)
        check_examples(&data, &source);
    else
        require(*err.text, "examples are refused without a sentence", "");
    dataset_close(&data);
}

/* As a file of one format and as that of another, with labels that fit and with none. */
static void read_file(bool numbers)
{
    open_source((struct dataset_source){.file = path, .labels = "labels.gz", .scaling = DATASET_STANDARD});
    open_source((struct dataset_source){.file = path, .labels = "y.npy", .numbers = numbers, .missing = numbers});
    open_source((struct dataset_source){.file = path, .validation_data = "test", .stratified = true});
}

static void read_labels(void)
{
    open_source((struct dataset_source){.file = "images.gz", .labels = path, .scaling = DATASET_UNIT});
    open_source((struct dataset_source){.file = "x.npy", .labels = path, .stratified = true});
}

static void read_records(void)
{
    open_source((struct dataset_source){.file = records, .scaling = DATASET_UNIT});
    open_source((struct dataset_source){.file = records, .label = "coarse"});
}

static void read_text(void)
{
    struct text text;
    struct err err = {""};
    int32_t tokens[CONTEXT], next[CONTEXT];
    if (text_open(&text, path, CONTEXT, 0.25, &err)) {
        require(*err.text, "a text is refused without a sentence", "");
        return;
    }
    for (size_t n = 0; n < text.count; n++)
        text_read(&text, n, tokens, next);
    text_close(&text);
}

/* Of what an experiment asks for only what is soon made. */
static bool is_small(const json_t *made)
{
    const char *name;
    json_t *value;
    double product = 1;
    json_object_foreach((json_t *)made, name, value) /* which only reads it */
        product *= fmax(1, json_number_value(value));
    return product < LARGEST;
}

static void read_made(const char *text)
{
    json_error_t where;
    json_t *made = json_loads(text, JSON_DECODE_ANY, &where);
    if (json_is_string(made) && strncmp(json_string_value(made), "generate:", 9) == 0)
        open_source((struct dataset_source){.file = json_string_value(made)});
    else if (json_is_object(made) && is_small(made))
        open_source((struct dataset_source){.made = made});
    json_decref(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    char *text = mem_text_n((const char *)data + 1, size - 1);
    path_write(data[0] % KINDS == 3 ? records : path, text, size - 1, 0600, NULL);
    switch (data[0] % KINDS) {
    case 0:
    case 2:
        read_file(data[0] % KINDS == 2);
        break;
    case 1:
        read_labels();
        break;
    case 3:
        read_records();
        break;
    case 4:
        read_text();
        break;
    default:
        read_made(text);
    }
    free(text);
    return 0;
}
