/* Joules that are not known; see cost_note.h. */
#include "cli/view/cost_note.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/json.h"

bool cost_note_add(const json_t *experiment, struct buf *out)
{
    const json_t *energy = json_object_get(experiment, "energy");
    json_int_t ended = json_integer_value(json_object_get(energy, "ended")),
               known = json_integer_value(json_object_get(energy, "known"));
    const char *why = json_text(energy, "why");
    if (!json_is_object(energy) || 2 * known >= (ended ? ended : 1) || !(ended || *why))
        return false;
    if (ended)
        buf_format(out, "cost: energy weighs trials by time, since joules are known of %lld of %lld", (long long)known,
                   (long long)ended);
    else
        buf_text(out, "cost: energy will weigh trials by time, since this worker measures no joules");
    if (*why) {
        buf_text(out, " (");
        format_safe(why, out);
        buf_text(out, ")");
    }
    return true;
}
