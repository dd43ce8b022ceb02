/* The command that repeats a trial; see again.h. */
#include "cli/view/again.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/endings.h"

#include <string.h>

void again_draw(const json_t *trial, const char *command, const struct look *look, struct buf *out)
{
    const json_t *step = json_object_get(trial, "step");
    look_heading(look, "Train it again", out);
    buf_format(out, "  %s\n", command);
    if (strcmp(json_text(trial, "reason"), ending_name(ENDING_STOPPED_EARLY)) != 0 || !json_is_integer(step))
        return;
    buf_text(out, "  It was stopped early, at step ");
    format_scalar(step, out);
    buf_text(out, "; the command trains to the end, and comes to another value there.\n");
}
