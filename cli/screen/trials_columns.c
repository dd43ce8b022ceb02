/* The columns and rows of the screen trials; see trials_parts.h. */
#include "cli/screen/trials_parts.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- the columns --- */

/* Those that are shown when nobody chose any; behind them all parameters. */
static const char *const usual[] = {"trial", "state", "step", "value", "trend", "seconds", "left"};
enum { USUAL = sizeof usual / sizeof *usual };

static void add_title(struct titles *titles, const char *text, size_t length)
{
    if (titles->count < TITLES_MOST && length)
        titles->items[titles->count++] = mem_text_n(text, length);
}

void titles_fini(struct titles *titles)
{
    for (size_t i = 0; i < titles->count; i++)
        free(titles->items[i]);
    titles->count = 0;
}

void titles_find(const struct model *model, struct titles *out)
{
    const char *chosen = model->view.columns;
    size_t index;
    const json_t *title;
    out->count = 0;
    for (size_t length; *chosen; chosen += length + (chosen[length] == ','))
        add_title(out, chosen, length = strcspn(chosen, ","));
    if (out->count)
        return;
    for (size_t i = 0; i < USUAL; i++)
        add_title(out, usual[i], strlen(usual[i]));
    json_array_foreach(model_get(model, SECTION_TRIALS, "all"), index, title)
    {
        const char *text = json_string_value(title);
        if (strncmp(text, "param.", 6) == 0)
            add_title(out, text, strlen(text));
    }
}

/* "param.lr" as a column. */
struct trial_column title_column(const char *title)
{
    static const struct {
        const char *prefix;
        enum column_kind kind;
    } kinds[] = {{"param.", COLUMN_PARAM}, {"metric.", COLUMN_METRIC}, {"time.", COLUMN_TIME}};
    struct trial_column column = {.kind = COLUMN_MEMBER, .name = (char *)title};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(title, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            column.kind = kinds[i].kind;
            column.name = (char *)title + strlen(kinds[i].prefix);
        }
    bool member = column.kind == COLUMN_MEMBER;
    column.duration =
        column.kind == COLUMN_TIME || (member && (strcmp(title, "seconds") == 0 || strcmp(title, "left") == 0));
    return column;
}

/* The title of a name that was typed, among those that there are: as it is, or behind a prefix. NULL: there is none. */
const char *title_named(const struct model *model, const char *name)
{
    static const char *const prefixes[] = {"", "param.", "metric.", "time."};
    const json_t *all = model_get(model, SECTION_TRIALS, "all"), *title;
    size_t index;
    if (strcmp(name, "left") == 0 || strcmp(name, "trend") == 0)
        return *name == 'l' ? "left" : "trend";
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        json_array_foreach((json_t *)all, index, title)
        {
            const char *text = json_string_value(title);
            size_t length = strlen(prefixes[i]);
            if (strncmp(text, prefixes[i], length) == 0 && strcmp(text + length, name) == 0)
                return text;
        }
    return NULL;
}

bool title_may_order(const char *title)
{
    return strcmp(title, "left") != 0 && strcmp(title, "trend") != 0;
}

bool title_is_order(const struct view *view, const char *title)
{
    return strcmp(*view->order ? view->order : "trial", title) == 0;
}

/* --- the rows --- */

static json_t *rows_of(const struct model *model)
{
    return model_get(model, SECTION_TRIALS, "rows");
}

/* The trial of a row, borrowed; NULL: it has not come. */
json_t *trials_row(const struct model *model, uint64_t row)
{
    uint64_t first = (uint64_t)json_integer_value(model_get(model, SECTION_TRIALS, "first"));
    return row < first ? NULL : json_array_get(rows_of(model), (size_t)(row - first));
}

uint64_t trials_count(const struct model *model)
{
    return (uint64_t)json_integer_value(model_get(model, SECTION_TRIALS, "matching"));
}

uint64_t trials_chosen(const struct model *model)
{
    json_t *trial = trials_row(model, model->view.places[SCREEN_TRIALS].chosen);
    return (uint64_t)json_integer_value(json_object_get(trial, "trial"));
}
