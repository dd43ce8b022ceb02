/* Any bytes as a constraint and as a configuration: they are refused, or do what they say without harm. */
#include "search/expression.h"
#include "common/mem.h"
#include "tests/fuzz_seeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSION = 5 };

static void add(struct space *space, struct param param, const char *name)
{
    param.name = mem_text(name);
    space_add(space, &param);
}

static struct value *texts(const char *const *list, uint32_t count)
{
    struct value *values = MEM_ARRAY(struct value, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] = value_of_text(list[i]);
    return values;
}

/* Parameters of all kinds, one of them hanging on another. */
static struct space *make_space(void)
{
    static const char *const optimizers[] = {"sgd", "adam"};
    struct space *space = space_create();
    struct condition *when = MEM_NEW(struct condition);
    *when = (struct condition){.parent = 1, .values = texts(optimizers, 1), .count = 1};
    add(space, (struct param){.kind = PARAM_REAL, .min = 1e-5, .max = 1, .log = true}, "lr");
    add(space, (struct param){.kind = PARAM_CHOICE, .values = texts(optimizers, 2), .count = 2}, "opt");
    add(space, (struct param){.kind = PARAM_INT, .min = 1, .max = 64, .conditions = when, .condition_count = 1}, "n");
    add(space, (struct param){.kind = PARAM_NORMAL, .min = -INFINITY, .max = INFINITY, .stddev = 1}, "w.x");
    add(space, (struct param){.kind = PARAM_REAL, .min = 0, .max = 0.6, .step = 0.1}, "d-r");
    uint32_t culprit;
    if (space_finish(space, &culprit, NULL))
        abort();
    return space;
}

/* A constraint that is accepted can be evaluated everywhere. */
static void as_constraint(struct space *space, const char *text)
{
    struct err err = {{0}};
    size_t column = 0;
    if (space_constrain(space, text, &column, &err)) {
        if (!*err.text || column > strlen(text))
            abort();
        return;
    }
    for (int i = 0; i <= 4; i++) {
        double unit[DIMENSION];
        for (int c = 0; c < DIMENSION; c++)
            unit[c] = i / 4.0;
        space_snap(space, unit);
        space_allowed(space, unit);
    }
}

/* A configuration that is accepted is the one that its point stands for. */
static void as_configuration(const struct space *space, const char *text)
{
    double unit[DIMENSION], again[DIMENSION];
    struct buf json = {0};
    if (space_point_of_json(space, text, unit, NULL))
        return;
    space_json(space, unit, &json);
    if (space_point_of_json(space, buf_str(&json), again, NULL))
        abort();
    for (int c = 0; c < DIMENSION; c++)
        if (isnan(unit[c]) != isnan(again[c]) || (!isnan(unit[c]) && unit[c] != again[c]))
            abort();
    buf_fini(&json);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* Writes the start of the corpus. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const seeds[] = {
        "lr * n <= 0.3 and opt == 'sgd'",
        "not (w.x < 0 || d-r != 0.3) && true",
        "max(1, n, 3) + log10(lr) > -2 ^ 2 % 3",
        "{\"lr\": 0.001, \"opt\": \"sgd\", \"n\": 4, \"w.x\": 0.5, \"d-r\": 0.3}",
    };
    (void)argc, (void)argv;
    fuzz_seed_texts(seeds, sizeof seeds / sizeof *seeds);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    char *text = mem_text_n((const char *)bytes, length);
    struct space *space = make_space();
    as_constraint(space, text);
    as_configuration(space, text);
    space_destroy(space);
    free(text);
    return 0;
}
