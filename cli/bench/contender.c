/* Reading lists of strategies; see contender.h. */
#include "cli/bench/contender.h"
#include "common/mem.h"
#include "common/units.h"
#include "search/plugin.h"
#include "search/registry.h"
#include "search/stop/stopper.h"

#include <stdlib.h>
#include <string.h>

static const char exec_prefix[] = "exec:";

static void contender_fini(struct contender *contender)
{
    free(contender->text);
    free(contender->name);
    free(contender->plugin);
    free(contender->command);
    json_decref(contender->options);
    free(contender->stopper);
    json_decref(contender->stop_options);
}

void contenders_fini(struct contenders *contenders)
{
    for (size_t i = 0; i < contenders->count; i++)
        contender_fini(&contenders->items[i]);
    free(contenders->items);
    *contenders = (struct contenders){0};
}

/* --- options --- */

/* A value as in YAML: true, false, a number, else a text. */
static json_t *read_value(const char *text)
{
    int64_t integer;
    double number;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(*text == 't');
    if (units_integer(text, &integer))
        return json_integer(integer);
    return units_number(text, &number) ? json_real(number) : json_string(text);
}

/* Reads "a=1,b=x", the options of `whose`, into an object. */
static int read_options(const char *whose, const char *text, json_t **options, struct err *err)
{
    *options = json_object();
    while (*text) {
        size_t length = strcspn(text, ",");
        char *option = mem_text_n(text, length), *equals = strchr(option, '=');
        if (equals) {
            *equals = '\0';
            json_object_set_new(*options, option, read_value(equals + 1));
        } else {
            err_write(err, "'%s': the option '%s' needs a value: %s=...", whose, option, option);
        }
        free(option);
        if (!equals)
            return -1;
        text += length + (text[length] == ',');
    }
    return 0;
}

/* --- names --- */

/* Loads a plug-in to learn how its strategy is called. */
static int name_plugin(struct contender *contender, struct err *err)
{
    struct plugin *plugin = plugin_open(contender->plugin, err);
    if (!plugin)
        return -1;
    contender->name = mem_text(plugin_strategy(plugin)->name);
    plugin_close(plugin);
    return 0;
}

static int read_one(struct contender *contender, const char *text, struct err *err)
{
    contender->text = mem_text(text);
    if (strncmp(text, exec_prefix, strlen(exec_prefix)) == 0) {
        contender->command = mem_text(text + strlen(exec_prefix));
        return *contender->command ? 0 : err_set(err, "'exec:' needs a program: exec:./prog");
    }
    size_t length = strcspn(text, ":");
    char *name = mem_text_n(text, length);
    bool plugin = strchr(name, '/');
    *(plugin ? &contender->plugin : &contender->name) = name;
    if (!plugin && !registry_choose(name, "plug-ins (./mine.so) and programs (exec:./prog)", err))
        return -1;
    if (plugin && name_plugin(contender, err))
        return -1;
    return text[length] ? read_options(text, text + length + 1, &contender->options, err) : 0;
}

/* --- the list --- */

/* Where a contender ends that begins at `text`. */
static size_t length_of(const char *text)
{
    if (strncmp(text, exec_prefix, strlen(exec_prefix)) == 0)
        return strlen(text);
    size_t length = strcspn(text, ",");
    while (text[length]) {
        const char *part = text + length + 1;
        size_t equals = strcspn(part, "=,:"); /* "warp=false" goes on, "gp:warp=false" and "tpe" begin another */
        if (part[equals] != '=')
            break;
        length += 1 + strcspn(part, ",");
    }
    return length;
}

static int add_contender(struct contenders *contenders, const char *text, struct err *err)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (strcmp(contenders->items[i].text, text) == 0)
            return err_set(err, "the strategy '%s' is named twice", text);
    MEM_GROW(contenders->items, contenders->capacity, contenders->count + 1);
    struct contender *contender = &contenders->items[contenders->count++];
    *contender = (struct contender){0};
    return read_one(contender, text, err);
}

int contenders_read(struct contenders *contenders, const char *list, struct err *err)
{
    while (*list) {
        size_t length = length_of(list);
        char *text = mem_text_n(list, length);
        int failed =
            length ? add_contender(contenders, text, err) : err_set(err, "there is a comma too many in '%s'", list);
        free(text);
        if (failed)
            return -1;
        list += length + (list[length] == ',');
    }
    return 0;
}

/* --- early stopping --- */

/* Adds a copy of a contender that stops its trials as `text` says. */
static int add_stopped(struct contenders *contenders, const struct contender *plain, const char *text, struct err *err)
{
    bool none = strcmp(text, "none") == 0;
    size_t length = strcspn(text, ":");
    MEM_GROW(contenders->items, contenders->capacity, contenders->count + 1);
    struct contender *contender = &contenders->items[contenders->count++];
    *contender = (struct contender){.text = none ? mem_text(plain->text) : mem_format("%s+%s", plain->text, text),
                                    .name = mem_text(plain->name),
                                    .plugin = mem_text(plain->plugin),
                                    .command = mem_text(plain->command),
                                    .options = json_incref(plain->options),
                                    .stopper = none ? NULL : mem_text_n(text, length)};
    return text[length] ? read_options(text, text + length + 1, &contender->stop_options, err) : 0;
}

/* Whether the stopper exists and takes the options. */
static int check_stopper(const struct contender *contender, struct err *err)
{
    struct stopper_setup setup = {
        .name = contender->stopper, .options = contender->stop_options, .objectives = 1, .can_pause = true};
    struct stopper *stopper = contender->stopper ? stopper_create(&setup, err) : NULL;
    stopper_destroy(stopper);
    return contender->stopper && !stopper ? -1 : 0;
}

int contenders_stop(struct contenders *contenders, const char *list, struct err *err)
{
    struct contenders crossed = {0};
    int failed = 0;
    for (size_t length; *list && !failed; list += length + (list[length] == ',')) {
        length = length_of(list);
        char *text = mem_text_n(list, length);
        for (size_t i = 0; i < contenders->count && !failed; i++)
            failed = add_stopped(&crossed, &contenders->items[i], text, err) ||
                     check_stopper(&crossed.items[crossed.count - 1], err);
        free(text);
    }
    contenders_fini(contenders);
    *contenders = crossed;
    return failed ? -1 : 0;
}

void contenders_add(struct contenders *contenders, const char *name, const char *plugin, const json_t *options)
{
    MEM_GROW(contenders->items, contenders->capacity, contenders->count + 1);
    contenders->items[contenders->count++] = (struct contender){.text = mem_text(plugin ? plugin : name),
                                                                .name = mem_text(name),
                                                                .plugin = mem_text(plugin),
                                                                .options = options ? json_deep_copy(options) : NULL};
}
