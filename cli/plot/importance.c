/* Which parameters matter: bars, with how sure they are. */
#include "cli/plot/values.h"

#include "cli/json.h"
#include "common/mem.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 };

static double pair_at(const json_t *param, const char *member, size_t index)
{
    double number = NAN;
    const json_t *value = json_array_get(json_object_get(param, member), index);
    return json_is_number(value) ? json_number_value(value) : number;
}

static void add_param(const json_t *param, size_t row, struct panel *panel)
{
    double combined = 0, alone = 0, middle = (double)row + 0.5;
    json_number(param, "combined", &combined);
    json_number(param, "alone", &alone);
    scale_name(&panel->y, json_text(param, "name"));
    struct mark *box = panel_box(panel, INK_FAINT, 0, middle - 0.32, 100 * combined, middle + 0.32);
    box->text = mem_text(json_text(param, "sentence"));
    box = panel_box(panel, INK_PLAIN, 0, middle - 0.32, 100 * alone, middle + 0.32);
    box->text = mem_text(json_text(param, "sentence"));
    double low = 100 * pair_at(param, "combined_between", 0), high = 100 * pair_at(param, "combined_between", 1);
    panel_rule(panel, INK_TEXT, low, middle, high, middle);
    panel_rule(panel, INK_TEXT, low, middle - 0.12, low, middle + 0.12);
    panel_rule(panel, INK_TEXT, high, middle - 0.12, high, middle + 0.12);
}

static int draw_importance(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct plot_subject *subject = &question->subjects[0];
    const json_t *list = json_object_get(subject->importance, "parameters");
    const json_t *trials = json_object_get(subject->importance, "trials");
    size_t count = json_array_size(list);
    if (!count || (json_is_integer(trials) && json_integer_value(trials) < 2))
        return err_set(err, "too few trials of %s have a value to say which parameters matter", subject->data.name);
    json_decref(out->numbers);
    out->numbers = json_incref(subject->importance);
    picture_title(out, "Importance of the parameters");
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, (struct axis){0, 100, AXIS_LINEAR}, "% of the variation over the whole space");
    for (size_t i = 0; i < count && i < MOST; i++)
        add_param(json_array_get(list, i), i, panel);
    panel->height = 26.0 * (double)(count < MOST ? count : MOST);
    picture_legend(out, INK_PLAIN, MARK_BOX, "by itself");
    picture_legend(out, INK_FAINT, MARK_BOX, "and with others");
    picture_legend(out, INK_TEXT, MARK_LINE, "where nine of ten functions that agree with the trials lie");
    picture_say(out, "%s.", json_text(json_array_get(list, 0), "sentence"));
    const char *caution = json_text(subject->importance, "caution");
    if (*caution)
        picture_note(out, "%s", caution);
    else if (count > MOST)
        picture_note(out, "%zu less important ones are not shown.", count - MOST);
    return 0;
}

const struct plot_kind plot_importance = {.name = "importance",
                                          .summary = "which parameters matter, and how sure that is",
                                          .needs = PLOT_IMPORTANCE,
                                          .draw = draw_importance};
