/* Counters of an attempt; see counters_table.h. */
#include "cli/view/counters_table.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/run_counters.h"
#include "common/units.h"

#include <string.h>

static void add_value(enum run_counter counter, double value, struct buf *out)
{
    char text[32];
    const char *unit = run_counter_unit(counter);
    if (strcmp(unit, "seconds") == 0)
        buf_text(out, units_show_duration(value, text, sizeof text));
    else if (strcmp(unit, "bytes") == 0)
        buf_text(out, units_show_size((uint64_t)value, text, sizeof text));
    else
        buf_format(out, "%s %s", format_number(value, text, sizeof text), unit);
}

/* The attempt that is shown, or NULL. */
static const json_t *find_run(const json_t *runs)
{
    for (size_t i = json_array_size(runs); i-- > 0;)
        if (json_object_size(json_object_get(json_array_get(runs, i), "counters")))
            return json_array_get(runs, i);
    return NULL;
}

static void add_lines(const json_t *counters, struct buf *zeros, struct buf *out)
{
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++) {
        double value;
        const char *name = run_counter_name(i);
        if (!json_number(counters, name, &value) || !run_counter_is_sane(i, value))
            continue;
        if (value > 0) {
            buf_format(out, "  %-21s ", name);
            add_value(i, value, out);
            buf_text(out, "\n");
        } else {
            buf_format(zeros, "%s%s", zeros->length ? ", " : "", name);
        }
    }
}

/* Counters of the same reason stand on one line. */
static void add_uncounted(const json_t *uncounted, struct buf *out)
{
    json_t *why, *other, *done = json_object(), *all = (json_t *)uncounted;
    const char *name, *like;
    json_object_foreach(all, name, why)
    {
        if (!json_is_string(why) || json_object_get(done, json_string_value(why)))
            continue;
        json_object_set(done, json_string_value(why), why);
        buf_text(out, "  not known: ");
        bool first = true;
        json_object_foreach(all, like, other) if (json_equal(why, other))
        {
            buf_text(out, first ? "" : ", ");
            format_safe(like, out);
            first = false;
        }
        buf_text(out, " (");
        format_safe(json_string_value(why), out);
        buf_text(out, ")\n");
    }
    json_decref(done);
}

void counters_table_draw(const json_t *runs, const struct look *look, struct buf *out)
{
    const json_t *run = find_run(runs);
    struct buf zeros = {0};
    if (!run)
        return;
    look_heading(look, "Counters", out);
    add_lines(json_object_get(run, "counters"), &zeros, out);
    if (zeros.length)
        buf_format(out, "  none of: %s\n", buf_str(&zeros));
    add_uncounted(json_object_get(run, "uncounted"), out);
    buf_fini(&zeros);
}
