/* The sections of a profile; see profile_sections.h. */
#include "cli/view/profile_sections.h"

#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/notes.h"
#include "cli/view/profile.h"
#include "common/units.h"

#include <string.h>

/* ", from a sample: 20004 of 1000000 trials (--all reads every one)". */
static void draw_sample(const json_t *sample, struct buf *out)
{
    struct buf note = {0};
    if (notes_add_sample(sample, &note))
        buf_format(out, ", from %s (--all reads every one)", buf_str(&note));
    buf_fini(&note);
}

/* "Trial 3 of digits: completed after 12s on node7". */
static void draw_head(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *trial = json_object_get(page, "trial");
    double seconds;
    char text[32];
    (void)look;
    buf_text(out, json_is_integer(trial) ? "Trial " : "All trials of ");
    if (json_is_integer(trial)) {
        format_scalar(trial, out);
        buf_text(out, " of ");
    }
    format_safe(json_text(page, "experiment"), out);
    if (json_is_integer(trial))
        buf_format(out, ": %s", json_text(page, "state"));
    if (json_number(page, "seconds", &seconds))
        buf_format(out, " after %s", units_show_duration(seconds, text, sizeof text));
    if (*json_text(page, "node")) {
        buf_text(out, " on ");
        format_safe(json_text(page, "node"), out);
    }
    draw_sample(json_object_get(page, "sample"), out);
    buf_text(out, "\n");
}

static void draw_phases(const json_t *page, const struct look *look, struct buf *out)
{
    profile_draw(json_object_get(page, "phases"), "", look, out);
}

static profile_section *const sections[] = {draw_phases, profile_operations_draw, profile_steps_draw,
                                            profile_verdict_draw};

/* What to do where there is nothing to show. */
static void draw_nothing(const json_t *page, struct buf *out)
{
    bool runs = strcmp(json_text(page, "state"), "running") == 0;
    buf_text(
        out,
        !json_is_integer(json_object_get(page, "trial"))
            ? "  nothing is recorded of its trials yet: what a trial spends its time with is known when it ends\n"
        : runs ? "  it runs, and nothing is recorded of it before it ends; --flame FILE samples a program as it runs\n"
               : "  nothing is recorded of it: no attempt at it came to an end and told what it did\n");
}

void profile_sections_draw(const json_t *page, const struct look *look, struct buf *out)
{
    draw_head(page, look, out);
    size_t head = out->length;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        sections[i](page, look, out);
    if (out->length == head)
        draw_nothing(page, out);
}
