/* Fuzzes what `gannet import` reads (libFuzzer): files of other tools, whatever is in them, give a sentence, or a file
 * that is YAML. The first letter says of which tool: o (Optuna's SQLite file), j (its journal), w, k, n, c.
 *
 * The file lies in a directory of its own in TMPDIR, which goes when the program ends. */
#include "cli/start/imported.h"
#include "common/buf.h"
#include "common/path.h"
#include "scheduler/spec/spec.h"
#include "tests/fuzz_seeds.h"
#include "tests/scratch.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *scratch, *path;

static const char *const seeds[] = {
    "j{\"op_code\":0,\"study_name\":\"a\",\"directions\":[2]}\n"
    "{\"op_code\":4,\"study_id\":0,\"datetime_start\":\"2026-11-22T15:32:36.378342\"}\n"
    "{\"op_code\":5,\"trial_id\":0,\"param_name\":\"lr\",\"param_value_internal\":0.5,\"distribution\":"
    "\"{\\\"name\\\": \\\"FloatDistribution\\\", \\\"attributes\\\": {\\\"low\\\": 0.1, \\\"high\\\": 1, \\\"log\\\": "
    "true}}\"}\n"
    "{\"op_code\":7,\"trial_id\":0,\"step\":0,\"intermediate_value\":3.4}\n"
    "{\"op_code\":6,\"trial_id\":0,\"state\":1,\"values\":[0.4]}\n{\"op_code\":1,\"study_id\":1}\n",
    "wprogram: t.py\nmethod: bayes\nmetric: {name: a, goal: maximize}\nparameters:\n  x: {distribution: q_log_uniform, "
    "q: 1, "
    "min: 0, max: 3}\n  y: {values: [1, 1.0, b], probabilities: [1, 2, 3]}\n  z: {mu: 0, sigma: 1}\n  n: {parameters: "
    "{a: {value: 3}}}\ncommand: [\"${env}\", \"${program}\", \"${args}\"]\n",
    "kmetadata: {name: r}\nspec:\n  objective: {type: minimize, objectiveMetricName: loss}\n  parameters:\n  - {name: "
    "lr, "
    "parameterType: double, feasibleSpace: {min: \"0.01\", max: \"3\"}}\n  - {name: o, feasibleSpace: {list: [a, b]}}\n"
    "  trialTemplate: {trialParameters: [{name: l, reference: lr}], trialSpec: {containers: [{command: "
    "[\"x=${trialParameters.l}\"]}]}}\n",
    "n{\"lr\": {\"_type\": \"loguniform\", \"_value\": [0.1, 1]}, \"n\": {\"_type\": \"randint\", \"_value\": [1, 5]}, "
    "\"l\": "
    "{\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\", \"s\": {\"_type\": \"quniform\", \"_value\": [0, 1, "
    "0.1]}}, "
    "{\"_name\": \"b\"}]}}",
    "clr,opt,val_loss\n0.1,a,1\n0.01,\"b\"\"c\",2\n1,True,nan\n"};

enum { SEEDS = sizeof seeds / sizeof *seeds };

static void remove_all(void)
{
    scratch_remove(scratch);
    free(path);
}

/* A small study of Optuna: random bytes are none. */
static void seed_study(void)
{
    static const char sql[] =
        "PRAGMA page_size = 512; CREATE TABLE studies (study_id, study_name);"
        "CREATE TABLE study_directions (study_id, direction, objective);"
        "CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number, study_id, state, datetime_start, "
        "datetime_complete);"
        "CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id, param_name, param_value, "
        "distribution_json);"
        "CREATE TABLE trial_values (trial_id, objective, value, value_type);"
        "INSERT INTO studies VALUES (1, 's'); INSERT INTO study_directions VALUES (1, 'MINIMIZE', 0);"
        "INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE', '2026-11-22 15:32:33.8', '2026-11-22 15:32:34'), (2, 1, 1, "
        "'FAIL', 0, 0);"
        "INSERT INTO trial_params VALUES (1, 1, 'x', 0.5, '{\"name\": \"FloatDistribution\", \"attributes\": {\"low\": "
        "0, \"high\": "
        "1}}'), (2, 2, 'c', 1, '{\"name\": \"CategoricalDistribution\", \"attributes\": {\"choices\": [\"a\", "
        "null]}}');"
        "INSERT INTO trial_values VALUES (1, 0, 0.25, 'FINITE');";
    sqlite3 *handle;
    struct buf bytes = {0};
    if (sqlite3_open(path, &handle) != SQLITE_OK || sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        abort();
    sqlite3_close(handle);
    if (path_read(path, &bytes, 1 << 20, NULL) == 0)
        fuzz_seed_kind('o', bytes.data, bytes.length);
    buf_fini(&bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    scratch = scratch_make();
    path = path_join(scratch, "file");
    fuzz_seed_texts(seeds, SEEDS);
    seed_study();
    atexit(remove_all);
    return 0;
}

static const struct importer *importer_of(uint8_t letter)
{
    switch (letter) {
    case 'w':
        return &import_wandb;
    case 'k':
        return &import_katib;
    case 'n':
        return &import_nni;
    case 'c':
        return &import_csv;
    default:
        return &import_optuna;
    }
}

/* Whatever it says, it is YAML; only its meaning may be wrong. */
static void check_file(const struct imported *imported)
{
    struct buf text = {0};
    struct problems problems = {0};
    sketch_write(&imported->sketch, &text);
    spec_destroy(spec_read_text(buf_str(&text), text.length, "fuzz.yaml", "/fuzz", NULL, 0, &problems));
    for (size_t i = 0; i < problems.count; i++)
        if (strcmp(problems.items[i].code, "syntax") == 0 || strcmp(problems.items[i].code, "bad_text") == 0) {
            fprintf(stderr, "%s:\n%s\n", problems.items[i].message, buf_str(&text));
            abort();
        }
    problems_fini(&problems);
    buf_fini(&text);
}

/* Without waiting for a disk. */
static void write_input(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "we");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct imported imported = {0};
    struct err err = {""};
    if (!size)
        return 0;
    const struct import_options wishes = {.file = path, .made_by = "gannet import"};
    write_input(data + 1, size - 1);
    if (importer_of(*data)->read(&wishes, &imported, &err) == 0)
        check_file(&imported);
    else if (!*err.text)
        abort();
    imported_fini(&imported);
    return 0;
}
