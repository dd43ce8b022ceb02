/* The share of trials that came to a value or better: how good a search's trials are as a whole. */
#include "cli/plot/values.h"

#include "cli/format.h"
#include "common/buf.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SAID = 6 };

static int compare_numbers(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* The values that count from the best on. free() them. */
static double *sorted_values(const struct trial_data *data, size_t *count)
{
    double *values = MEM_ARRAY(double, data->count + 1), sign = data->metrics[0].maximize ? -1 : 1;
    *count = 0;
    for (size_t i = 0; i < data->count; i++)
        if (trial_data_counts(&data->trials[i]))
            values[(*count)++] = sign * data->trials[i].value;
    qsort(values, *count, sizeof *values, compare_numbers);
    for (size_t i = 0; i < *count; i++)
        values[i] *= sign;
    return values;
}

static json_t *add_search(const struct trial_data *data, enum ink ink, struct panel *panel)
{
    size_t count;
    double *values = sorted_values(data, &count);
    panel_line(panel, ink)->width = 2;
    for (size_t i = 0; i < count; i++) {
        panel_to(panel, values[i], 100.0 * (double)i / (double)count);
        panel_to(panel, values[i], 100.0 * (double)(i + 1) / (double)count);
    }
    json_t *json = json_pack("{s:o, s:I, s:o, s:o, s:o}", "name", json_of_text(data->name), "trials", (json_int_t)count,
                             "best", count ? json_of_real(values[0]) : json_null(), "median",
                             count ? json_of_real(values[(count - 1) / 2]) : json_null(), "worst",
                             count ? json_of_real(values[count - 1]) : json_null());
    free(values);
    return json;
}

/* Of several the first ones; the legend has the others. */
static void describe_edf(const struct plot_question *question, struct picture *out)
{
    struct buf text = {0};
    char number[32];
    for (size_t i = 0, said = 0; i < question->count && said < MOST_SAID; i++) {
        double median = NAN;
        json_to_real(json_object_get(json_array_get(out->numbers, i), "median"), &median);
        if (isnan(median))
            continue;
        const struct trial_data *data = &question->subjects[i].data;
        if (said++)
            buf_format(&text, ", of %s ", data->name);
        else
            buf_format(&text, "Half of the trials of %s came to %s ", data->name, data->metrics[0].name);
        buf_format(&text, "%s or better", format_number(median, number, sizeof number));
    }
    picture_say(out, "%s.", buf_str(&text));
    buf_fini(&text);
}

static int draw_edf(const struct plot_question *question, struct picture *out, struct err *err)
{
    const struct trial_data *one = &question->subjects[0].data;
    size_t beyond, bests = 0;
    if (plot_check_comparable(question->subjects, question->count, err))
        return -1;
    for (size_t i = 0; i < question->count; i++)
        bests += question->subjects[i].data.best_count;
    if (!bests)
        return values_none(one, err);
    picture_title(out, "Distribution of values");
    struct panel *panel = picture_panel(out, NULL);
    scale_set(&panel->x, values_axis(question->subjects, question->count, &beyond), one->metrics[0].name);
    scale_set(&panel->y, (struct axis){0, 102, AXIS_LINEAR}, "% of trials this good or better");
    json_decref(out->numbers);
    out->numbers = json_array();
    for (size_t i = 0; i < question->count; i++) {
        enum ink ink = (enum ink)(INK_SERIES_1 + i % INK_SERIES);
        json_array_append_new(out->numbers, add_search(&question->subjects[i].data, ink, panel));
        if (question->count > 1)
            picture_legend(out, ink, MARK_LINE, question->subjects[i].data.name);
    }
    values_widen_same(panel);
    describe_edf(question, out);
    values_note_beyond(beyond, out);
    values_note_failed(question->subjects, question->count, out);
    return 0;
}

const struct plot_kind plot_edf = {
    .name = "edf", .summary = "the share of trials that came to a value or better", .compares = true, .draw = draw_edf};
