/* Writing trials while they are read; see export.h. */
#include "cli/view/export.h"
#include "cli/view/csv_line.h"
#include "cli/view/json.h"
#include "common/endings.h"

#include <string.h>

/* Where they go to. */
struct writing {
    struct console *console;
    const struct columns *columns; /* of CSV */
    struct buf text;               /* of one trial */
    uint64_t written;
};

static int write_json(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    buf_text(&writing->text, writing->written++ ? ",\n " : "[");
    json_add(trial, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

int export_json(struct console *console, struct source *source, const struct trial_query *query, struct err *err)
{
    struct writing writing = {.console = console};
    int result = source_each_trial(source, query, write_json, &writing, err);
    if (result == 0)
        fputs(writing.written ? "]\n" : "[]\n", console->out);
    buf_fini(&writing.text);
    return result;
}

/* Values that call for a column of their own: columns_usual looks for them. */
static bool is_telling(const char *name, const json_t *value)
{
    int state = strcmp(name, "state") == 0 ? trial_state_named(json_string_value(value)) : -1;
    return state == TRIAL_FAILED || state == TRIAL_CANCELLED || (strcmp(name, "feasible") == 0 && json_is_false(value));
}

static int collect_names(void *context, json_t *trial, struct err *err)
{
    json_t *all = context;
    const char *name;
    json_t *part;
    (void)err;
    json_object_foreach(trial, name, part)
    {
        json_t *known = json_object_get(all, name);
        if (!known || json_is_null(known) || is_telling(name, part))
            json_object_set_new(all, name, json_copy(part));
        else if (json_is_object(part) && json_is_object(known))
            json_object_update_missing(known, part);
    }
    return 0;
}

json_t *export_names(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *all = json_object(), *list = json_array();
    int result = source_each_trial(source, query, collect_names, all, err);
    if (result == 0 && json_object_size(all))
        json_array_append(list, all);
    json_decref(all);
    if (result == 0)
        return list;
    json_decref(list);
    return NULL;
}

static int write_csv(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    csv_trial(trial, writing->columns, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

int export_csv(struct console *console, struct source *source, const struct trial_query *query,
               const struct columns *columns, struct err *err)
{
    struct writing writing = {.console = console, .columns = columns};
    csv_names(columns, &writing.text);
    console_write(console->out, &writing.text);
    int result = source_each_trial(source, query, write_csv, &writing, err);
    buf_fini(&writing.text);
    return result;
}
