/* Values of a kernel's table rows; see kernel_settings.h. */
#include "worker/kernels/kernel_settings.h"

#include "common/row_type.h"
#include "common/suggest.h"
#include "common/units.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 };

static const struct kernel_option *find_row(const struct kernel_option *rows, const char *name)
{
    for (; rows->name; rows++)
        if (row_type_covers(rows->name, name))
            return rows;
    return NULL;
}

/* The row of an option: one of its own, or of a parameter that may be fixed. */
static const struct kernel_option *find_option(const struct kernel *kernel, const char *name)
{
    const struct kernel_option *row = find_row(kernel->options, name);
    return row || !kernel->fixed ? row : find_row(kernel->params, name);
}

static int check_value(const char *what, const char *name, const struct kernel_option *row, const json_t *value,
                       struct err *err)
{
    struct row_type type = {row->type, row->min, row->max};
    if (row_type_takes(type, value))
        return 0;
    struct buf wanted = {0};
    row_type_describe(type, &wanted);
    char *given = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    err_write(err, "the %s '%s' is %.60s; it takes: %s", what, name, given ? given : "?", buf_str(&wanted));
    free(given);
    buf_fini(&wanted);
    return -1;
}

static size_t list_names(const struct kernel_option *rows, const char **names, size_t count)
{
    for (; rows->name && count < MOST_NAMES; rows++)
        names[count++] = rows->name;
    return count;
}

/* Another kernel that knows this name, or NULL. The list is not asked for: a program of one kernel, as `gannet bench`
 * is, would be linked with all others and with oneDNN, whose loading is half of what a command costs to start. */
#pragma weak kernel_list
static const struct kernel *find_other(const struct kernel *kernel, const char *name)
{
    for (size_t i = 0; kernel_list && kernel_list[i]; i++)
        for (const struct kernel_option *row = kernel_list[i]->params; kernel_list[i] != kernel && row->name; row++)
            if (strcmp(row->name, name) == 0)
                return kernel_list[i];
    return NULL;
}

static int refuse_unknown_kernels(const struct kernel *kernel, bool option, const char *name, struct err *err)
{
    const char *names[MOST_NAMES], *what = option ? "option" : "parameter";
    size_t count = option ? list_names(kernel->options, names, 0) : 0;
    if (!option || kernel->fixed)
        count = list_names(kernel->params, names, count);
    const struct kernel *other = find_other(kernel, name);
    const char *near = other ? NULL : suggest_nearest(name, names, count);
    if (near)
        return err_set(err, "kernel %s has no %s '%s'; did you mean '%s'?", kernel->name, what, name, near);
    struct buf all = {0};
    suggest_list(&all, names, count);
    err_write(err, "kernel %s has no %s '%s'%s%s; it takes: %s", kernel->name, what, name,
              other ? ", which is one of the kernel " : "", other ? other->name : "", buf_str(&all));
    buf_fini(&all);
    return -1;
}

static int check_all(const struct kernel *kernel, bool option, const json_t *given, struct err *err)
{
    const char *name;
    json_t *value;
    /* The macro asks for an object without const, but only reads it. */
    json_object_foreach((json_t *)given, name, value)
    {
        const struct kernel_option *row = option ? find_option(kernel, name) : find_row(kernel->params, name);
        if (!row)
            return refuse_unknown_kernels(kernel, option, name, err);
        if (check_value(option ? "option" : "parameter", name, row, value, err))
            return -1;
    }
    return 0;
}

int kernel_settings_check_options(const struct kernel_settings *settings, struct err *err)
{
    if (settings->options && !json_is_object(settings->options))
        return err_set(err, "the options of kernel %s must be a map of names and values", settings->kernel->name);
    for (const struct kernel_option *row = settings->kernel->options; row->name; row++)
        if (!row->default_value && !json_object_get(settings->options, row->name))
            return err_set(err, "kernel %s needs the option '%s': %s", settings->kernel->name, row->name, row->help);
    return check_all(settings->kernel, true, settings->options, err);
}

int kernel_settings_check_params(const struct kernel_settings *settings, struct err *err)
{
    return check_all(settings->kernel, false, settings->params, err);
}

const json_t *kernel_settings_given(const struct kernel_settings *settings, const char *name)
{
    const json_t *value = json_object_get(settings->params, name);
    return value ? value : json_object_get(settings->options, name);
}

static const struct kernel_option *row_of(const struct kernel_settings *settings, const char *name)
{
    const struct kernel_option *row = find_row(settings->kernel->options, name);
    row = row ? row : find_row(settings->kernel->params, name);
    assert(row);
    return row;
}

double kernel_settings_number(const struct kernel_settings *settings, const char *name)
{
    const json_t *value = kernel_settings_given(settings, name);
    double number = 0;
    if (value)
        return json_number_value(value);
    units_number(row_of(settings, name)->default_value, &number);
    return number;
}

int64_t kernel_settings_integer(const struct kernel_settings *settings, const char *name)
{
    return (int64_t)kernel_settings_number(settings, name);
}

bool kernel_settings_switch(const struct kernel_settings *settings, const char *name)
{
    const json_t *value = kernel_settings_given(settings, name);
    return value ? json_is_true(value) : strcmp(row_of(settings, name)->default_value, "true") == 0;
}

const char *kernel_settings_text(const struct kernel_settings *settings, const char *name)
{
    const json_t *value = kernel_settings_given(settings, name);
    return value ? json_string_value(value) : row_of(settings, name)->default_value;
}

int kernel_settings_word(const struct kernel_settings *settings, const char *name)
{
    const char *text = kernel_settings_text(settings, name);
    const char *type = row_of(settings, name)->type, *word;
    int which = 0;
    for (size_t length; (length = row_type_next(&type, &word)); which++)
        if (strlen(text) == length && strncmp(word, text, length) == 0)
            return which;
    assert(false && "the default is one of the words");
    return 0;
}

int kernel_settings_threads(const struct kernel_settings *settings, int slot, struct err *err)
{
    int64_t wanted = kernel_settings_integer(settings, "threads");
    slot = slot > 1 ? slot : 1;
    if (wanted > slot)
        return err_set(err, "threads is %lld, and the slot has %d (resources.cpus)", (long long)wanted, slot);
    return wanted ? (int)wanted : slot;
}
