/* New bests; see new_best.h. */
#include "cli/session/new_best.h"
#include "cli/format.h"

#include <inttypes.h>

void new_best_show(struct console *console, struct live_line *live, struct source *source,
                   const struct run_progress *progress, uint64_t *shown)
{
    const struct look *look = &console->err_look;
    struct trial_query query = {.trial = progress->best_trial};
    struct buf text = {0}, params = {0};
    char number[32];
    if (!progress->has_best || progress->best_trial == *shown)
        return;
    *shown = progress->best_trial;
    json_t *trials = source_trials(source, &query, NULL);
    format_params(json_object_get(json_array_get(trials, 0), "params"), " ", &params);
    buf_format(&text, "trial %" PRIu64 "  ", progress->best_trial);
    format_safe(progress->metric, &text);
    buf_format(&text, " %s  ", format_number(progress->best, number, sizeof number));
    size_t used = format_width(buf_str(&text));
    format_cut(look, buf_str(&params), look->width > used ? look->width - used : 0, &text);
    console_unpaint(live);
    fprintf(console->err, "%s\n", buf_str(&text));
    json_decref(trials);
    buf_fini(&text);
    buf_fini(&params);
}
