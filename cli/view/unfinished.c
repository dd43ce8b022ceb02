/* A trial that was not trained to its end; see unfinished.h. */
#include "cli/view/unfinished.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/endings.h"

#include <string.h>

/* What is said of a trial in each state that is none of an end of its training. */
static const struct {
    enum trial_state state;
    const char *words;
} kinds[] = {{TRIAL_STOPPED, "stopped early"}, {TRIAL_PAUSED, "paused"}};

static const char *words_of(const json_t *trial)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(json_text(trial, "state"), trial_state_name(kinds[i].state)) == 0)
            return kinds[i].words;
    return NULL;
}

bool unfinished_is(const json_t *trial)
{
    return json_is_object(trial) && words_of(trial);
}

void unfinished_add(const json_t *trial, struct buf *out)
{
    const json_t *step = json_object_get(trial, "step");
    buf_text(out, words_of(trial));
    if (json_is_integer(step)) {
        buf_text(out, ", at step ");
        format_scalar(step, out);
    }
}

void unfinished_add_completed(const json_t *completed, struct buf *out)
{
    if (!json_is_object(completed)) {
        buf_text(out, "No other was trained to its end");
        return;
    }
    buf_text(out, "Of those trained to their end the best is trial ");
    format_scalar(json_object_get(completed, "trial"), out);
    format_values(completed, out);
}

void unfinished_draw_again(const json_t *trial, const char *command, const struct look *look, struct buf *out)
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
