/* Reading an experiment file; see spec.h for what it gives and read.h for the steps. */
#include "scheduler/spec/read.h"
#include "scheduler/spec/defaults.h"
#include "scheduler/spec/load.h"
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/text.h"
#include "scheduler/spec/type.h"
#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct source_mark nowhere = {0};

/* --- defaults that depend on the file --- */

/* "searches/my digits.gannet.yaml" is the experiment my-digits. */
static char *name_of_file(const char *file)
{
    char *name = mem_text(path_base(file));
    static const char *const endings[] = {".yaml", ".yml", ".gannet"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (path_ends_with(name, endings[i]))
            name[strlen(name) - strlen(endings[i])] = '\0';
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '-';
    size_t skipped = strspn(name, "._-");
    char *fit = name[skipped] ? mem_format("%.*s", TYPE_LONGEST_NAME, name + skipped) : mem_text("experiment");
    free(name);
    return fit;
}

static void fill_in(struct reading *reading)
{
    struct spec *spec = reading->spec;
    if (spec->resources.gpu_memory && !spec->resources.gpus) {
        spec->resources.gpus = 1; /* as small a part as its memory lets it be */
        spec->resources.gpu_share = 1.0 / GPU_SHARE_MOST;
    }
    if (!spec->name)
        spec->name = name_of_file(spec->file);
    if (!spec->trial.workdir)
        spec->trial.workdir = mem_text(spec->base);
    struct spec_resources *resources = &spec->resources;
    if (resources->ranks > 1 && !resources->cpus && !resources->sockets && !resources->gpus)
        resources->cpus = resources->ranks; /* a core for each process */
}

/* --- the whole --- */

/* Paths in the file start from `base:`, so it is read before all others. */
static void read_base(struct reading *reading)
{
    const struct node *base = node_find(reading->root, "base");
    if (base)
        key_read(reading, key_of_path("base"), base, reading->spec);
}

static void read_keys(struct reading *reading)
{
    struct parameters parameters;
    read_base(reading);
    key_read_map(reading, "", 0, reading->root, nowhere, reading->spec);
    fill_in(reading);
    trial_check(reading);
    growths_check(reading);
    resources_check(reading);
    parameters_read(reading, &parameters);
    parameters_check_placeholders(reading, &parameters);
    parameters_check_variables(reading, &parameters);
    parameters_read_start(reading, &parameters);
    parameters_make_space(reading, &parameters);
    if (!reading->problems->errors)
        parameters_check_start(reading);
    parameters_fini(&parameters);
    strategy_check(reading);
    stop_check(reading);
    slurm_check(reading);
    notify_check(reading);
}

static bool is_experiment(const struct tree *tree, struct problems *problems)
{
    struct problem *problem = NULL;
    if (!tree->root || node_is(tree->root, SCALAR_NULL))
        problem = problem_add(problems, PROBLEM_NO_EXPERIMENT, nowhere, "the file is empty");
    else if (tree->root->kind != NODE_MAP)
        problem = problem_add(problems, PROBLEM_NO_EXPERIMENT, tree->root->mark,
                              "an experiment is a map of keys, not %s", node_show(tree->root).text);
    if (problem)
        problem_hint(problem, "an experiment begins with 'version: 1' and has 'trial', 'metric' and 'parameters'");
    return !problem;
}

static struct spec *read_tree(struct tree *tree, const char *file, const char *base,
                              const struct spec_defaults *defaults, struct problems *problems)
{
    struct spec *spec = MEM_NEW(struct spec);
    defaults_apply(tree, defaults, spec);
    spec->file = mem_text(file);
    spec->base = path_absolute(base);
    char *from = mem_text(spec->base);
    struct reading reading = {.problems = problems, .spec = spec, .root = tree->root, .base = from};
    read_keys(&reading);
    free(from);
    if (!problems->errors)
        return spec;
    spec_destroy(spec);
    return NULL;
}

struct spec *spec_read_text_with(const char *text, size_t length, const char *file, const char *base,
                                 const char *const *overrides, size_t override_count,
                                 const struct spec_defaults *defaults, struct problems *problems)
{
    struct tree tree = {0};
    struct spec *spec = NULL;
    size_t skipped = text_order_mark(text, length);
    length -= skipped;
    *problems = (struct problems){.file = mem_text(file),
                                  .text = mem_text_n(text + skipped, length),
                                  .options = MEM_ARRAY(char *, override_count)};
    for (; problems->option_count < override_count; problems->option_count++)
        problems->options[problems->option_count] = mem_text(overrides[problems->option_count]);
    bool fine = text_check(problems->text, length, NULL, problems) &&
                load_tree(problems->text, length, (struct load_source){0}, &tree, problems) &&
                is_experiment(&tree, problems);
    for (size_t i = 0; fine && i < override_count; i++)
        override_apply(&tree, problems->options[i], problems);
    if (fine)
        spec = read_tree(&tree, file, base, defaults, problems);
    tree_fini(&tree);
    problems_sort(problems);
    return spec;
}

struct spec *spec_read_text(const char *text, size_t length, const char *file, const char *base,
                            const char *const *overrides, size_t override_count, struct problems *problems)
{
    return spec_read_text_with(text, length, file, base, overrides, override_count, NULL, problems);
}

/* The absolute directory of a file, without a "/." at its end. */
static char *base_of(const char *file)
{
    char *whole = path_absolute(file), *base = path_directory(whole);
    for (size_t length; (length = strlen(base)) > 2 && strcmp(base + length - 2, "/.") == 0;)
        base[length - 2] = '\0';
    free(whole);
    return base;
}

/* What a person may take for an experiment file at first: the program itself. */
static bool is_program(const char *file, const struct buf *text)
{
    size_t length = strlen(file);
    bool named = length > 3 && (strcmp(file + length - 3, ".py") == 0 || strcmp(file + length - 3, ".sh") == 0);
    return text->length && (named || strncmp(buf_str(text), "#!", 2) == 0);
}

static void refuse_program(const char *file, struct problems *problems)
{
    *problems = (struct problems){.file = mem_text(file)};
    struct problem *problem =
        problem_add(problems, PROBLEM_NO_EXPERIMENT, nowhere, "this is a program, not an experiment file");
    problem_hint(problem, "gannet init --from %s writes an experiment file that runs it", file);
}

struct spec *spec_read_with(const char *file, const char *const *overrides, size_t override_count,
                            const struct spec_defaults *defaults, struct problems *problems)
{
    struct err err;
    struct buf text = {0};
    if (path_read(file, &text, LOAD_BYTES, &err)) {
        *problems = (struct problems){.file = mem_text(file)};
        problem_add(problems, PROBLEM_CANNOT_READ, nowhere, "%s", err.text);
        buf_fini(&text);
        return NULL;
    }
    if (is_program(file, &text)) {
        refuse_program(file, problems);
        buf_fini(&text);
        return NULL;
    }
    char *base = base_of(file);
    struct spec *spec =
        spec_read_text_with(buf_str(&text), text.length, file, base, overrides, override_count, defaults, problems);
    free(base);
    buf_fini(&text);
    return spec;
}

struct spec *spec_read(const char *file, const char *const *overrides, size_t override_count, struct problems *problems)
{
    return spec_read_with(file, overrides, override_count, NULL, problems);
}
