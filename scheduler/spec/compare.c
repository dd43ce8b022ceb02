/* Comparing specs key by key, as spec_write would write them; see spec_compare.h. */
#include "scheduler/spec/spec_compare.h"
#include "scheduler/spec/parameter_json.h"
#include "scheduler/spec/type.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

void spec_changes_fini(struct spec_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        free(changes->items[i].key);
        free(changes->items[i].was);
        free(changes->items[i].is);
    }
    free(changes->items);
    *changes = (struct spec_changes){0};
}

/* Takes both values over (NULL: not given); adds a change when they differ. */
static void compare_values(struct spec_changes *changes, const char *key, bool on_resume, char *was, char *is)
{
    bool equal = was && is ? strcmp(was, is) == 0 : was == is;
    if (equal) {
        free(was);
        free(is);
        return;
    }
    MEM_GROW(changes->items, changes->capacity, changes->count + 1);
    changes->items[changes->count++] =
        (struct spec_change){.key = mem_text(key), .was = was, .is = is, .on_resume = on_resume};
    changes->forbidden += !on_resume;
}

static char *value_of(const struct spec *spec, const struct key *key)
{
    struct buf value = {0};
    bool given = key->type->write && key->type->write(key, spec, &value);
    char *text = given ? buf_take(&value) : NULL;
    buf_fini(&value);
    return text;
}

/* NULL when the space has no such parameter. Its `arg`, how the program is told of it, is not the search's. */
static char *parameter_of(const struct space *space, const char *name)
{
    struct buf value = {0};
    int64_t index = space_find(space, name);
    if (index < 0)
        return NULL;
    parameter_emit(space, (uint32_t)index, NULL, &value);
    return buf_take(&value);
}

static void compare_parameter(struct spec_changes *changes, const char *name, char *was, char *is)
{
    char *key = mem_format("parameters.%s", name);
    compare_values(changes, key, false, was, is);
    free(key);
}

/* The order of parameters counts: strategies see them in it. */
static void compare_parameters(struct spec_changes *changes, const struct space *was, const struct space *is)
{
    bool same_order = space_count(was) == space_count(is);
    for (uint32_t i = 0; i < space_count(was); i++) {
        const char *name = space_param(was, i)->name;
        same_order = same_order && strcmp(name, space_param(is, i)->name) == 0;
        compare_parameter(changes, name, parameter_of(was, name), parameter_of(is, name));
    }
    for (uint32_t i = 0; i < space_count(is); i++) {
        const char *name = space_param(is, i)->name;
        if (space_find(was, name) < 0)
            compare_parameter(changes, name, NULL, parameter_of(is, name));
    }
    if (!same_order && space_count(was) == space_count(is))
        compare_values(changes, "parameters", false, mem_text("one order"), mem_text("another order"));
}

void spec_difference(const struct spec *was, const struct spec *is, struct spec_changes *changes)
{
    for (const struct key *key = key_table; key < key_table + key_count; key++) {
        bool seed_left_open = strcmp(key->path, "seed") == 0 && !is->has_seed;
        if (key->type == &type_parameters)
            compare_parameters(changes, was->space, is->space);
        else if (!strchr(key->path, '*') && !seed_left_open)
            compare_values(changes, key->path, key->flags & KEY_ON_RESUME, value_of(was, key), value_of(is, key));
    }
}

#define SWAP(type, a, b)                                                                                               \
    do {                                                                                                               \
        type swapped = (a);                                                                                            \
        (a) = (b);                                                                                                     \
        (b) = swapped;                                                                                                 \
    } while (0)

void spec_adopt(struct spec *into, struct spec *from)
{
    SWAP(char *, into->description, from->description);
    SWAP(char **, into->tags, from->tags);
    SWAP(uint32_t, into->tag_count, from->tag_count);
    SWAP(char **, into->trial.command, from->trial.command);
    SWAP(uint32_t, into->trial.command_count, from->trial.command_count);
    SWAP(json_t *, into->trial.config, from->trial.config);
    SWAP(char *, into->trial.workdir, from->trial.workdir);
    SWAP(struct setting *, into->trial.env, from->trial.env);
    SWAP(uint32_t, into->trial.env_count, from->trial.env_count);
    SWAP(enum trial_signal, into->trial.signal, from->trial.signal);
    SWAP(uint32_t, into->trial.retries, from->trial.retries);
    SWAP(uint32_t, into->trial.requeues, from->trial.requeues);
    SWAP(struct spec_persistent, into->trial.persistent, from->trial.persistent);
    SWAP(double, into->trial.grace, from->trial.grace);
    SWAP(enum args_style, into->trial.args_style, from->trial.args_style);
    SWAP(json_t *, into->trial.args, from->trial.args);
    SWAP(struct spec_limits, into->limits, from->limits);
    SWAP(struct spec_resources, into->resources, from->resources);
    SWAP(struct spec_notify, into->notify, from->notify);
    SWAP(struct spec_network, into->network, from->network);
    SWAP(struct spec_slurm, into->slurm, from->slurm);
}
