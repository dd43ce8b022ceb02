/* Experiments that are compared; see rivals.h. */
#include "cli/data/rivals.h"
#include "cli/data/names.h"
#include "cli/data/source.h"
#include "cli/data/trial_data_read.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void rival_fini(struct rival *rival)
{
    for (size_t i = 0; i < rival->count; i++) {
        trial_data_fini(&rival->seeds[i]);
        free(rival->experiments[i]);
    }
    free(rival->seeds);
    free(rival->experiments);
    free(rival->name);
}

/* Takes over the data. */
static void add_seed(struct rival *rival, const char *experiment, struct trial_data *data)
{
    MEM_GROW(rival->seeds, rival->seed_capacity, rival->count + 1);
    MEM_GROW(rival->experiments, rival->experiment_capacity, rival->count + 1);
    rival->seeds[rival->count] = *data;
    rival->experiments[rival->count++] = mem_text(experiment);
}

static int read_seed(struct rival *rival, const char *experiment, struct err *err)
{
    struct source *source;
    struct trial_data data;
    int status = source_open(experiment, &source, err);
    if (status)
        return status;
    int failed = trial_data_read(source, &data, err);
    source_close(source);
    if (failed)
        return STATUS_FAILED;
    add_seed(rival, experiment, &data);
    return STATUS_OK;
}

/* --- arguments --- */

static int add_part(struct rival *rival, const char *part, struct err *err)
{
    struct names names = {0};
    int status = names_add(&names, part, err);
    for (size_t i = 0; i < names.count && !status; i++)
        status = read_seed(rival, names.items[i], err);
    names_fini(&names);
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

int rivals_add(struct rivals *rivals, const char *argument, struct err *err)
{
    struct rival rival = {0};
    const char *rest;
    int status = STATUS_OK;
    rival.name = name_of(argument, &rest);
    while (!status && *rest) {
        size_t length = path_exists(rest) ? strlen(rest) : strcspn(rest, ",");
        char *part = mem_text_n(rest, length);
        if (length)
            status = add_part(&rival, part, err);
        rest += length + (rest[length] == ',');
        free(part);
    }
    if (!status && !rival.count) {
        err_write(err, "'%s' names no experiment", argument);
        status = STATUS_USAGE;
    }
    if (status) {
        rival_fini(&rival);
        return status;
    }
    MEM_GROW(rivals->items, rivals->capacity, rivals->count + 1);
    rivals->items[rivals->count++] = rival;
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

void rivals_join(struct rivals *rivals)
{
    size_t kept = 0;
    for (size_t i = 0; i < rivals->count; i++) {
        struct rival *rival = &rivals->items[i];
        size_t into = 0;
        while (into < kept && !belong_together(rivals->items[into].experiments[0], rival->experiments[0]))
            into++;
        if (into == kept) {
            rivals->items[kept++] = *rival;
            continue;
        }
        for (size_t j = 0; j < rival->count; j++)
            add_seed(&rivals->items[into], rival->experiments[j], &rival->seeds[j]);
        for (size_t j = 0; j < rival->count; j++)
            free(rival->experiments[j]);
        free(rival->seeds);
        free(rival->experiments);
        free(rival->name);
    }
    rivals->count = kept;
    for (size_t i = 0; i < kept; i++)
        if (rivals->items[i].count > 1)
            rivals->items[i].name[stem(rivals->items[i].name)] = '\0';
}

static int check_seed(const struct rival *first, const struct rival *rival, size_t seed, struct err *err)
{
    const struct trial_metric *wanted = &first->seeds[0].metrics[0], *found = &rival->seeds[seed].metrics[0];
    if (strcmp(wanted->name, found->name) == 0 && wanted->maximize == found->maximize)
        return 0;
    return err_set(err, "%s %ss %s and %s %ss %s: only searches for the same can be compared", first->experiments[0],
                   wanted->maximize ? "maximize" : "minimize", wanted->name, rival->experiments[seed],
                   found->maximize ? "maximize" : "minimize", found->name);
}

int rivals_check(const struct rivals *rivals, struct err *err)
{
    if (rivals->count < 2)
        return err_set(err,
                       "there is one contender, %s; name another one to compare it with: gannet compare %s OTHER "
                       "(seeds of one are joined by commas, contenders by blanks)",
                       rivals->items[0].name, rivals->items[0].name);
    for (size_t i = 0; i < rivals->count; i++)
        for (size_t j = 0; j < rivals->items[i].count; j++)
            if (!rivals->items[i].seeds[j].metric_count)
                return err_set(err, "%s has no metric", rivals->items[i].experiments[j]);
            else if (check_seed(&rivals->items[0], &rivals->items[i], j, err))
                return -1;
    return 0;
}

void rivals_fini(struct rivals *rivals)
{
    for (size_t i = 0; i < rivals->count; i++)
        rival_fini(&rivals->items[i]);
    free(rivals->items);
    *rivals = (struct rivals){0};
}
