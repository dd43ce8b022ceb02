/* What a person may have to do something about; see overview_parts.h. */
#include "cli/screen/overview_parts.h"
#include "cli/json.h"
#include "cli/view/attention.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NARROW = 60 }; /* columns below which a failure takes a row more */

struct attention_list {
    struct canvas *canvas;
    struct area area;
    unsigned row;
    unsigned each; /* rows that one of them may take */
};

static void add_sentence(struct attention_list *list, enum tint tint, const char *text)
{
    struct area rows = list->area;
    if (!text || !*text || list->row >= rows.rows)
        return;
    rows.rows = list->row + list->each < rows.rows ? list->row + list->each : rows.rows;
    canvas_text(list->canvas, list->area, list->row, 0, tint, "!");
    list->row += canvas_wrap(list->canvas, rows, list->row, 2, tint, text);
}

static void add_aside(struct attention_list *list, const json_t *status)
{
    json_t *one;
    size_t index;
    json_array_foreach(json_object_get(status, "aside"), index, one)
    {
        char *text = mem_format("node %s is set aside: %s", json_text(one, "node"), json_text(one, "why"));
        add_sentence(list, TINT_WARN, text);
        free(text);
    }
}

static void add_explanation(struct attention_list *list, const struct model *model)
{
    json_t *sentences = model_get(model, SECTION_ATTENTION, "sentences");
    for (size_t i = 0; i < json_array_size(sentences); i++)
        add_sentence(list, TINT_NONE, json_string_value(json_array_get(sentences, i)));
}

static void add_standstills(struct attention_list *list, const json_t *status)
{
    json_t *one;
    size_t index;
    json_array_foreach(json_object_get(status, "standstills"), index, one)
        add_sentence(list, TINT_WARN, json_text(one, "text"));
}

/* Commands are typed behind ":". */
static const struct attention_subject typed = {0};

static void add_causes(struct attention_list *list, const struct model *model)
{
    const json_t *attention = model->sections[SECTION_ATTENTION].value, *causes = json_object_get(attention, "causes");
    unsigned each = list->each;
    struct buf line = {0};
    list->each = list->area.columns < NARROW || each > 2 ? 3 : 2; /* what is wrong stands at the end of the line */
    for (size_t i = 0; i < json_array_size(causes); i++) {
        buf_clear(&line);
        attention_add_cause(attention, json_array_get(causes, i), &typed, &line);
        add_sentence(list, TINT_BAD, buf_str(&line));
    }
    list->each = each;
    buf_fini(&line);
}

static void add_remedy(struct attention_list *list, const struct model *model)
{
    struct buf line = {0};
    attention_add_remedy(model->sections[SECTION_ATTENTION].value, &typed, &line);
    add_sentence(list, TINT_NONE, buf_str(&line));
    buf_fini(&line);
}

/* The heading comes last: without anything below it there is none. */
unsigned attention_draw(const struct model *model, struct canvas *canvas, struct area area)
{
    struct attention_list list = {.canvas = canvas, .area = area, .row = area.rows > 2, .each = area.rows > 6 ? 3 : 1};
    unsigned first = list.row;
    json_t *status = model_get(model, SECTION_OVERVIEW, "status");
    add_sentence(&list, TINT_WARN, json_string_value(model_get(model, SECTION_ATTENTION, "missing")));
    add_standstills(&list, status);
    add_aside(&list, status);
    add_causes(&list, model);
    add_explanation(&list, model);
    add_remedy(&list, model);
    if (list.row == first)
        return 0;
    if (first)
        canvas_rule(canvas, area, 0, "Attention");
    return list.row;
}
