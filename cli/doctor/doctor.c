/* What was found, collected and drawn; see doctor.h. */
#include "cli/doctor/doctor.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum tint tint;
} healths[] = {
#define X(id, name, tint) [HEALTH_##id] = {name, tint},
    HEALTHS(X)
#undef X
};

void doctor_add(struct doctor *doctor, enum health health, const char *name, const char *advice, const char *format,
                ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = mem_vformat(format, arguments);
    va_end(arguments);
    doctor->problem |= health == HEALTH_PROBLEM;
    json_array_append_new(doctor->checks,
                          json_pack("{s:s, s:s, s:o, s:o}", "name", name, "health", healths[health].name, "text",
                                    json_of_text(text), "advice", json_of_text(advice)));
    free(text);
}

void doctor_fini(struct doctor *doctor)
{
    json_decref(doctor->checks);
}

static enum tint tint_of(const char *health)
{
    for (size_t i = 0; i < sizeof healths / sizeof *healths; i++)
        if (strcmp(healths[i].name, health) == 0)
            return healths[i].tint;
    return TINT_NONE;
}

/* "problem  open files     at most 256 ...", and what to do below it. */
static void draw_check(const json_t *check, const struct look *look, struct buf *out)
{
    const char *health = json_text(check, "health"), *advice = json_text(check, "advice");
    char word[16];
    snprintf(word, sizeof word, "%-8s", health);
    look_add(look, tint_of(health), word, out);
    buf_format(out, " %-11s ", json_text(check, "name"));
    format_safe(json_text(check, "text"), out);
    buf_text(out, "\n");
    if (!*advice)
        return;
    buf_format(out, "%21s", "");
    format_safe(advice, out);
    buf_text(out, "\n");
}

void doctor_draw(const struct doctor *doctor, const struct look *look, struct buf *out)
{
    size_t index;
    const json_t *check;
    json_array_foreach(doctor->checks, index, check) draw_check(check, look, out);
}
