/* Experiments that are compared; see compared.h. */
#include "cli/data/compared.h"
#include "cli/data/source.h"
#include "cli/data/target.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void group_fini(struct compared_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        trial_data_fini(&group->seeds[i]);
        free(group->experiments[i]);
    }
    free(group->seeds);
    free(group->experiments);
    free(group->name);
}

/* Takes over the data. */
static void add_seed(struct compared_group *group, const char *experiment, struct trial_data *data)
{
    MEM_GROW(group->seeds, group->seed_capacity, group->count + 1);
    MEM_GROW(group->experiments, group->experiment_capacity, group->count + 1);
    group->seeds[group->count] = *data;
    group->experiments[group->count++] = mem_text(experiment);
}

/* However it was named, by a link or by a pattern, it is one store. */
static int add_store(struct compared *compared, const char *path, const char *experiment, const char *argument,
                     struct err *err)
{
    char *real = realpath(path, NULL);
    struct compared_store store = {.path = mem_text(real ? real : path), .argument = mem_text(argument)};
    int status = STATUS_OK;
    free(real);
    for (size_t i = 0; i < compared->store_count && !status; i++)
        if (strcmp(compared->stores[i].path, store.path) == 0) {
            err_write(err, "%s is named twice, by '%s' and by '%s': an experiment is one seed of one contender",
                      experiment, compared->stores[i].argument, argument);
            status = STATUS_USAGE;
        }
    MEM_GROW(compared->stores, compared->store_capacity, compared->store_count + 1);
    compared->stores[compared->store_count++] = store;
    return status;
}

/* A group that is being added, and what it comes from. */
struct adding {
    struct compared *compared;
    struct compared_group group;
    const char *argument;
};

static int read_seed(struct adding *adding, const char *experiment, struct err *err)
{
    struct source *source;
    struct trial_data data;
    int status = source_open(experiment, &source, err);
    if (status)
        return status;
    status = add_store(adding->compared, source_dir(source)->store, experiment, adding->argument, err);
    if (!status && trial_data_read(source, &data, err))
        status = STATUS_FAILED;
    source_close(source);
    if (!status)
        add_seed(&adding->group, experiment, &data);
    return status;
}

/* --- arguments --- */

static int add_part(struct adding *adding, const char *part, struct err *err)
{
    struct experiment_names names = {0};
    int status = experiment_names_add(&names, part, err);
    for (size_t i = 0; i < names.count && !status; i++)
        status = read_seed(adding, names.items[i], err);
    experiment_names_fini(&names);
    return status;
}

/* "gp-1,gp-2": the beginning that they share is not asked for: whoever wants another name gives it. */
static char *name_of(const char *argument, const char **experiments)
{
    const char *equals = path_exists(argument) ? NULL : strchr(argument, '=');
    *experiments = equals ? equals + 1 : argument;
    if (equals && equals > argument)
        return mem_text_n(argument, (size_t)(equals - argument));
    return mem_text(strpbrk(*experiments, ",*?[") ? *experiments : path_base(*experiments));
}

/* Two of the same name are told apart by how the second one was given: a/digits and b/digits. */
static void set_name(struct compared_group *group, const struct compared *compared, const char *argument, char *name)
{
    group->name = name;
    for (size_t i = 0; i < compared->count; i++)
        if (strcmp(compared->items[i].name, name) == 0) {
            group->name = mem_text(argument);
            free(name);
            return;
        }
}

int compared_add(struct compared *compared, const char *argument, struct err *err)
{
    struct adding adding = {.compared = compared, .argument = argument};
    const char *rest;
    int status = STATUS_OK;
    set_name(&adding.group, compared, argument, name_of(argument, &rest));
    while (!status && *rest) {
        size_t length = path_exists(rest) ? strlen(rest) : strcspn(rest, ",");
        char *part = mem_text_n(rest, length);
        if (length)
            status = add_part(&adding, part, err);
        rest += length + (rest[length] == ',');
        free(part);
    }
    if (!status && !adding.group.count) {
        err_write(err, "'%s' names no experiment", argument);
        status = STATUS_USAGE;
    }
    if (status) {
        group_fini(&adding.group);
        return status;
    }
    MEM_GROW(compared->items, compared->capacity, compared->count + 1);
    compared->items[compared->count++] = adding.group;
    return STATUS_OK;
}

/* How much of a name is left without a last number and what separates it; all of it when it has none. */
static size_t stem(const char *name)
{
    size_t length = strlen(name), whole = length;
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    if (length == whole || length < 2 || !strchr("-_.", name[length - 1]))
        return whole;
    return length - 1;
}

static bool belong_together(const char *a, const char *b)
{
    size_t length = stem(a);
    return length < strlen(a) && stem(b) == length && length < strlen(b) && strncmp(a, b, length) == 0;
}

void compared_join(struct compared *compared)
{
    size_t kept = 0;
    for (size_t i = 0; i < compared->count; i++) {
        struct compared_group *group = &compared->items[i];
        size_t into = 0;
        while (into < kept && !belong_together(compared->items[into].experiments[0], group->experiments[0]))
            into++;
        if (into == kept) {
            compared->items[kept++] = *group;
            continue;
        }
        for (size_t j = 0; j < group->count; j++)
            add_seed(&compared->items[into], group->experiments[j], &group->seeds[j]);
        for (size_t j = 0; j < group->count; j++)
            free(group->experiments[j]);
        free(group->seeds);
        free(group->experiments);
        free(group->name);
    }
    compared->count = kept;
    for (size_t i = 0; i < kept; i++)
        if (compared->items[i].count > 1)
            compared->items[i].name[stem(compared->items[i].name)] = '\0';
}

static int check_seed(const struct compared_group *first, const struct compared_group *group, size_t seed,
                      struct err *err)
{
    const struct trial_metric *wanted = &first->seeds[0].metrics[0], *found = &group->seeds[seed].metrics[0];
    if (strcmp(wanted->name, found->name) == 0 && wanted->maximize == found->maximize)
        return 0;
    return err_set(err, "%s %ss %s and %s %ss %s: only searches for the same can be compared", first->experiments[0],
                   wanted->maximize ? "maximize" : "minimize", wanted->name, group->experiments[seed],
                   found->maximize ? "maximize" : "minimize", found->name);
}

int compared_check(const struct compared *compared, struct err *err)
{
    if (compared->count < 2)
        return err_set(err,
                       "there is one contender, %s; name another one to compare it with: gannet compare %s OTHER "
                       "(seeds of one are joined by commas, contenders by blanks)",
                       compared->items[0].name, compared->items[0].name);
    for (size_t i = 0; i < compared->count; i++)
        for (size_t j = 0; j < compared->items[i].count; j++)
            if (!compared->items[i].seeds[j].metric_count)
                return err_set(err, "%s has no metric", compared->items[i].experiments[j]);
            else if (check_seed(&compared->items[0], &compared->items[i], j, err))
                return -1;
    return 0;
}

void compared_fini(struct compared *compared)
{
    for (size_t i = 0; i < compared->count; i++)
        group_fini(&compared->items[i]);
    for (size_t i = 0; i < compared->store_count; i++) {
        free(compared->stores[i].path);
        free(compared->stores[i].argument);
    }
    free(compared->stores);
    free(compared->items);
    *compared = (struct compared){0};
}
