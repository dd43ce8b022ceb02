/* What a place can show; see look.h. */
#include "cli/look.h"

#include <string.h>

enum { USUAL_COLUMNS = 80 };

static bool is_set(const char *text)
{
    return text && *text;
}

static bool wants_colour(const struct look_facts *facts, bool capable)
{
    if (facts->when && strcmp(facts->when, "always") == 0)
        return true;
    if (facts->plain || (facts->when && strcmp(facts->when, "never") == 0) || is_set(facts->no_color))
        return false;
    if (is_set(facts->force) && strcmp(facts->force, "0") != 0)
        return true;
    return capable;
}

struct look look_decide(const struct look_facts *facts)
{
    bool capable = facts->terminal && is_set(facts->term) && strcmp(facts->term, "dumb") != 0;
    return (struct look){.colour = wants_colour(facts, capable),
                         .unicode = facts->utf8 && !facts->plain,
                         .live = capable && !facts->plain,
                         .width = !facts->terminal ? 0
                                  : facts->columns ? facts->columns
                                                   : USUAL_COLUMNS};
}

void look_add(const struct look *look, enum tint tint, const char *text, struct buf *out)
{
    static const char *const codes[] = {
        [TINT_NONE] = "",    [TINT_STRONG] = "1", [TINT_QUIET] = "2", [TINT_GOOD] = "32",
        [TINT_BAD] = "1;31", [TINT_BUSY] = "34",  [TINT_WARN] = "33"};
    if (look->colour && tint != TINT_NONE)
        buf_format(out, "\033[%sm%s\033[0m", codes[tint], text);
    else
        buf_text(out, text);
}

void look_heading(const struct look *look, const char *heading, struct buf *out)
{
    buf_text(out, "\n");
    look_add(look, TINT_STRONG, heading, out);
    buf_text(out, "\n");
}
