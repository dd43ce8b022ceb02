/* Options against their table; see strategy_settings.h. */
#include "search/strategy_settings.h"
#include "common/mem.h"
#include "common/suggest.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count_options(const struct gannet_option *options)
{
    size_t count = 0;
    while (options && options[count].name)
        count++;
    return count;
}

static size_t count_words(const struct gannet_option *option)
{
    size_t count = 0;
    while (option->words && option->words[count])
        count++;
    return count;
}

static int set_number(const struct settings_owner *owner, const struct gannet_option *option, double number,
                      struct gannet_setting *out, struct err *err)
{
    if (option->type == GANNET_INTEGER && number != floor(number))
        return err_set(err, "%s.%s is %g; it must be a whole number", owner->prefix, option->name, number);
    if (!(number >= option->min && number <= option->max))
        return err_set(err, "%s.%s is %g; it must be between %g and %g", owner->prefix, option->name, number,
                       option->min, option->max);
    out->number = number;
    return 0;
}

static int set_word(const struct settings_owner *owner, const struct gannet_option *option, const char *word,
                    struct gannet_setting *out, struct err *err)
{
    size_t count = count_words(option);
    for (size_t i = 0; i < count; i++)
        if (strcmp(option->words[i], word) == 0) {
            *out = (struct gannet_setting){(double)i, option->words[i]};
            return 0;
        }
    struct buf list = {0};
    suggest_list(&list, option->words, count);
    err_write(err, "%s.%s is '%s'; it must be one of: %s", owner->prefix, option->name, word, buf_str(&list));
    buf_fini(&list);
    return -1;
}

static int wrong_type(const struct settings_owner *owner, const struct gannet_option *option, const char *needed,
                      struct err *err)
{
    return err_set(err, "%s.%s must be %s", owner->prefix, option->name, needed);
}

/* A value from the experiment file. */
static int set_json(const struct settings_owner *owner, const struct gannet_option *option, const json_t *value,
                    struct gannet_setting *out, struct err *err)
{
    switch (option->type) {
    case GANNET_NUMBER:
    case GANNET_INTEGER:
        return json_is_number(value) ? set_number(owner, option, json_number_value(value), out, err)
                                     : wrong_type(owner, option, "a number", err);
    case GANNET_SWITCH:
        out->number = json_is_true(value);
        return json_is_boolean(value) ? 0 : wrong_type(owner, option, "true or false", err);
    case GANNET_WORD:
        return json_is_string(value) ? set_word(owner, option, json_string_value(value), out, err)
                                     : wrong_type(owner, option, "a word", err);
    }
    return wrong_type(owner, option, "left out: its table gives it no type", err);
}

/* The default that the table states as text. */
static int set_default_value(const struct settings_owner *owner, const struct gannet_option *option,
                             struct gannet_setting *out, struct err *err)
{
    double number;
    if (!option->default_value)
        return err_set(err, "the option has no default");
    if (option->type == GANNET_WORD)
        return set_word(owner, option, option->default_value, out, err);
    if (option->type == GANNET_SWITCH) {
        out->number = strcmp(option->default_value, "true") == 0;
        return out->number == 1 || strcmp(option->default_value, "false") == 0
                   ? 0
                   : wrong_type(owner, option, "true or false", err);
    }
    if (!units_number(option->default_value, &number))
        return wrong_type(owner, option, "a number", err);
    return set_number(owner, option, number, out, err);
}

static int unknown_option(const struct settings_owner *owner, const char *name, struct err *err)
{
    size_t count = count_options(owner->options);
    if (!count)
        return err_set(err, "the %s '%s' has no options, so '%s' can't be set", owner->what, owner->name, name);
    const char **names = MEM_ARRAY(const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = owner->options[i].name;
    const char *meant = suggest_nearest(name, names, count);
    struct buf list = {0};
    suggest_list(&list, names, count);
    err_write(err, "the %s '%s' has no option '%s'%s%s%s; it has: %s", owner->what, owner->name, name,
              meant ? " (did you mean '" : "", meant ? meant : "", meant ? "'?)" : "", buf_str(&list));
    buf_fini(&list);
    free(names);
    return -1;
}

static int check_names(const struct settings_owner *owner, const json_t *options, struct err *err)
{
    if (options && !json_is_object(options))
        return err_set(err, "%s must be a map of options", owner->prefix);
    json_t *object = (json_t *)(uintptr_t)options; /* walking an object changes nothing, but jansson takes no const */
    size_t count = count_options(owner->options);
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        size_t i = 0;
        while (i < count && strcmp(owner->options[i].name, name) != 0)
            i++;
        if (i == count)
            return unknown_option(owner, name, err);
    }
    return 0;
}

struct gannet_setting *strategy_settings_read_table(const struct settings_owner *owner, const json_t *options,
                                                    struct err *err)
{
    if (check_names(owner, options, err))
        return NULL;
    size_t count = count_options(owner->options);
    struct gannet_setting *settings = MEM_ARRAY(struct gannet_setting, count);
    for (size_t i = 0; i < count; i++) {
        const struct gannet_option *option = &owner->options[i];
        const json_t *value = json_object_get(options, option->name);
        int result = value ? set_json(owner, option, value, &settings[i], err)
                           : set_default_value(owner, option, &settings[i], err);
        if (result && !value)
            err_write_prefix(err, "the %s '%s' is broken: its default for '%s' is not valid", owner->what, owner->name,
                             option->name);
        if (result) {
            free(settings);
            return NULL;
        }
    }
    return settings;
}

struct gannet_setting *strategy_settings_read(const struct gannet_strategy *strategy, const json_t *options,
                                              struct err *err)
{
    struct settings_owner owner = {"strategy", strategy->name, "strategy.options", strategy->options};
    return strategy_settings_read_table(&owner, options, err);
}
