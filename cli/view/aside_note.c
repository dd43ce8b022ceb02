/* Nodes that were set aside; see aside_note.h. */
#include "cli/view/aside_note.h"
#include "cli/format.h"
#include "cli/json.h"

#include <string.h>

enum { SHOWN = 10 };

void aside_note_add(const json_t *aside, struct buf *out)
{
    buf_text(out, "a worker on ");
    format_safe(json_text(aside, "node"), out);
    buf_text(out, " was set aside: ");
    format_safe(json_text(aside, "why"), out);
}

static bool is_shown(const struct snapshot *shown, const char *node)
{
    for (uint32_t i = 0; shown && i < shown->worker_count; i++)
        if (*shown->workers[i].aside && strcmp(shown->workers[i].name, node) == 0)
            return true;
    return false;
}

void aside_note_draw(const json_t *experiment, const struct snapshot *shown, struct buf *out)
{
    const json_t *list = json_object_get(experiment, "aside");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *aside = json_array_get(list, i);
        if (is_shown(shown, json_text(aside, "node")) || ++count > SHOWN)
            continue;
        aside_note_add(aside, out);
        buf_text(out, "\n");
    }
    if (count > SHOWN)
        buf_format(out, "and %zu nodes more; gannet explain names them\n", count - SHOWN);
}
