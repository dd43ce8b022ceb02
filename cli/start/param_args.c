/* Reading them; see param_args.h. */
#include "cli/start/param_args.h"
#include "cli/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values --- */

json_t *param_args_value(const char *text)
{
    int64_t integer;
    double real;
    if (units_integer(text, &integer))
        return json_integer(integer);
    if (units_number(text, &real))
        return json_real(real);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(*text == 't');
    return json_string(text);
}

/* "1e-5..1e-1" and perhaps ":log"; NULL with a sentence. */
static json_t *range_json(const char *text, const char *dots, struct err *err)
{
    char *min = mem_text_n(text, (size_t)(dots - text)), *max = mem_text(dots + 2), *colon = strchr(max, ':');
    bool log = colon && strcmp(colon, ":log") == 0;
    double least, most;
    if (colon)
        *colon = '\0';
    json_t *keys = NULL;
    if ((colon && !log) || !units_number(min, &least) || !units_number(max, &most) || least >= most)
        err_write(err, "'%s' is no range; write 0.0..0.5, 1..8 or 1e-5..1e-1:log, the lower end first", text);
    else if (log && least <= 0)
        err_write(err, "'%s': a logarithm needs a lower end above 0", text);
    else
        keys = json_pack("{s:o, s:o}", "min", param_args_value(min), "max", param_args_value(max));
    if (keys && log)
        json_object_set_new(keys, "log", json_true());
    free(min);
    free(max);
    return keys;
}

static json_t *choice_json(const char *text, struct err *err)
{
    char *copy = mem_text(text), *rest = copy, *one;
    json_t *values = json_array();
    while ((one = strsep(&rest, ",")))
        json_array_append_new(values, param_args_value(one));
    free(copy);
    if (json_array_size(values) > 1)
        return json_pack("{s:o}", "values", values);
    json_decref(values);
    err_write(err, "'%s' leaves nothing to choose; write a range as 0.0..0.5 or a choice as sgd,adam", text);
    return NULL;
}

/* --- options --- */

static json_t *find_option(json_t *options, const char *name)
{
    json_t *found = json_named(options, name);
    if (found)
        return found;
    found = json_pack("{s:s, s:o, s:b}", "name", name, "spelling", json_sprintf("--%s", name), "unknown", 1);
    if (found) /* NULL: the name is no UTF-8 */
        json_array_append_new(options, found);
    return found;
}

static int set_option(const char *name, const char *text, json_t *options, struct err *err)
{
    const char *dots = strstr(text, "..");
    json_t *keys = dots ? range_json(text, dots, err) : choice_json(text, err);
    json_t *option = keys ? find_option(options, name) : NULL;
    if (option) {
        json_object_set(option, "keys", keys);
        json_object_del(option, "left");
    }
    json_decref(keys);
    return option ? 0 : keys ? err_set(err, "'%s' is no name", name) : -1;
}

static int leave_option(const char *name, json_t *options, struct err *err)
{
    json_t *option = json_named(options, name);
    if (!option)
        return err_set(err, "the program has no option '%s' to leave out", name);
    json_object_set_new(option, "left", json_true());
    json_object_del(option, "keys");
    return 0;
}

int param_args_take(const char *word, json_t *options, struct err *err)
{
    const char *equals = strchr(word, '='), *name = word + strspn(word, "-");
    if (!equals && *word == '-' && *name)
        return leave_option(name, options, err);
    if (!equals || equals <= name)
        return err_set(err, "'%s' says nothing; write lr=1e-5..1e-1:log, opt=sgd,adam, or -NAME to leave one out",
                       word);
    char *key = mem_text_n(name, (size_t)(equals - name));
    int failed = set_option(key, equals + 1, options, err);
    free(key);
    return failed;
}

int param_args_take_line(const char *line, json_t *options, struct err *err)
{
    char *copy = mem_text(line), *rest = copy, *word;
    int failed = 0;
    while (!failed && (word = strsep(&rest, " \t\n")))
        if (*word)
            failed = param_args_take(word, options, err);
    free(copy);
    return failed;
}

int param_args_metric(const char *text, struct metric_guess *metric, struct err *err)
{
    char name[sizeof metric->name], goal[16] = "";
    bool known;
    if (sscanf(text, "%63s %15s", name, goal) < 1)
        return err_set(err, "the metric has no name");
    bool maximize = metric_guess_maximize(name, &known);
    if (*goal && strcmp(goal, "minimize") != 0 && strcmp(goal, "maximize") != 0)
        return err_set(err, "'%s' is no goal; write minimize or maximize", goal);
    if (!*goal && !known && strcmp(name, metric->name) != 0)
        return err_set(err, "'%s' may be good when small or when large; write '%s minimize' or '%s maximize'", name,
                       name, name);
    if (strcmp(name, metric->name) != 0)
        *metric = (struct metric_guess){.maximize = maximize, .chosen = true};
    metric->chosen = true;
    if (*goal)
        metric->maximize = strcmp(goal, "maximize") == 0;
    memcpy(metric->name, name, sizeof name);
    return 0;
}
