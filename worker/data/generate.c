/* Examples that are made; see generate.h. */
#include "worker/data/generate.h"

#include "common/mem.h"
#include "common/suggest.h"
#include "worker/data/generator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "generate:";

static const struct generator *const generators[] = {&generator_spirals, &generator_checkerboard, &generator_sequences,
                                                     &generator_shapes};
enum { GENERATORS = sizeof generators / sizeof *generators };

const char *generate_named(const char *text)
{
    size_t length = sizeof prefix - 1;
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* --- options --- */

static size_t place_of(const struct generator *generator, const char *option)
{
    size_t i = 0;
    while (generator->options[i].name && strcmp(generator->options[i].name, option) != 0)
        i++;
    return i;
}

double generation_number(const struct generation *generation, const char *option)
{
    size_t i = place_of(generation->generator, option);
    assert(generation->generator->options[i].name);
    return generation->values[i];
}

size_t generation_size(const struct generation *generation, const char *option)
{
    return (size_t)generation_number(generation, option);
}

static int refuse_name(const char *what, const char *name, const char *const *names, size_t count, struct err *err)
{
    const char *near = suggest_nearest(name, names, count);
    struct buf all = {0};
    suggest_list(&all, names, count);
    if (near)
        err_write(err, "there is no %s '%s'; did you mean '%s'?", what, name, near);
    else
        err_write(err, "there is no %s '%s'; there are: %s", what, name, buf_str(&all));
    buf_fini(&all);
    return -1;
}

static const struct generator *find_generator(const char *name, struct err *err)
{
    const char *names[GENERATORS];
    for (size_t i = 0; i < GENERATORS; i++) {
        names[i] = generators[i]->name;
        if (strcmp(names[i], name) == 0)
            return generators[i];
    }
    refuse_name("generator of data", name, names, GENERATORS, err);
    return NULL;
}

static int refuse_option(const struct generator *generator, const char *name, struct err *err)
{
    const char *names[GENERATOR_MOST_OPTIONS], *what = "option of this generator";
    size_t count = 0;
    for (; generator->options[count].name; count++)
        names[count] = generator->options[count].name;
    refuse_name(what, name, names, count, err);
    return err_prefix(err, "data: generate: %s", generator->name);
}

static int take_value(struct generation *generation, const char *name, const json_t *value, struct err *err)
{
    size_t i = place_of(generation->generator, name);
    const struct generator_option *option = &generation->generator->options[i];
    if (!option->name)
        return refuse_option(generation->generator, name, err);
    double number = json_number_value(value);
    if (json_is_number(value) && number >= option->min && number <= option->max &&
        (!option->whole || number == floor(number))) {
        generation->values[i] = number;
        return 0;
    }
    char *given = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    err_write(err, "data: generate: %s: '%s' is %.60s; it takes a %snumber from %.10g to %.10g",
              generation->generator->name, name, given ? given : "?", option->whole ? "whole " : "", option->min,
              option->max);
    free(given);
    return -1;
}

static int read_wanted(struct generation *generation, const json_t *wanted, struct err *err)
{
    const json_t *named = json_is_object(wanted) ? json_object_get(wanted, "generate") : wanted;
    const char *name;
    json_t *value;
    if (!json_is_string(named))
        return err_set(err, "the option 'data' is a map, which must name a generator: {generate: spirals, ...}; a file "
                            "is named by a text");
    generation->generator = find_generator(json_string_value(named), err);
    if (!generation->generator)
        return -1;
    for (size_t i = 0; generation->generator->options[i].name; i++)
        generation->values[i] = generation->generator->options[i].usual;
    if (json_is_object(wanted))
        json_object_foreach((json_t *)wanted, name, value) /* which only reads it */
        {
            if (strcmp(name, "generate") != 0 && take_value(generation, name, value, err))
                return -1;
        }
    return 0;
}

/* --- making --- */

/* All of them must fit into memory with room to spare: the kernel of the system would end the trainer otherwise. */
static int check_room(double count, double inputs, struct err *err)
{
    double wanted = count * (inputs * sizeof(float) + sizeof(int32_t));
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (inputs > DATASET_MOST_INPUTS)
        return err_set(err, "data: generate: an example of %.0f inputs; at most %d are possible", inputs,
                       DATASET_MOST_INPUTS);
    if (wanted > 0.5 * there)
        return err_set(err, "data: generate: %.0f examples of %.0f inputs take %.1f GiB; this machine has %.1f", count,
                       inputs, wanted / 0x1p30, there / 0x1p30);
    return 0;
}

int generate_dataset(struct dataset *data, const json_t *wanted, struct err *err)
{
    struct generation generation = {0};
    if (read_wanted(&generation, wanted, err))
        return -1;
    const struct generator *generator = generation.generator;
    data->shape = generator->shape(&generation);
    size_t count = generation_size(&generation, "examples"), inputs = dataset_shape_inputs(&data->shape);
    uint64_t seed = (uint64_t)generation_number(&generation, "seed");
    if (check_room((double)count, (double)inputs, err))
        return -1;
    data->count = data->training = count;
    data->inputs = inputs;
    data->classes = generation_size(&generation, "classes");
    data->x = MEM_ARRAY(float, count *inputs);
    data->labels = MEM_ARRAY(int32_t, count);
    for (size_t n = 0; n < count; n++) {
        struct rng rng = rng_make(seed, generator->name, n);
        data->labels[n] = generator->example(&generation, n, &rng, data->x + n * inputs);
    }
    return 0;
}

void generate_list(struct buf *out)
{
    for (size_t i = 0; i < GENERATORS; i++) {
        buf_format(out, "%sgenerate:%s: %s\n", i ? "\n" : "", generators[i]->name, generators[i]->summary);
        for (const struct generator_option *option = generators[i]->options; option->name; option++)
            buf_format(out, "    %-10s %-46s %s from %.10g to %.10g, default %g\n", option->name, option->help,
                       option->whole ? "integer" : "number", option->min, option->max, option->usual);
    }
}
