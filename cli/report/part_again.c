/* What is needed to do it again; see part.h. */
#include "cli/report/part.h"

#include "cli/json.h"
#include "common/markup.h"
#include "common/mem.h"

#include <stdlib.h>

static void add_nodes(const struct trial_data *data, struct buf *out)
{
    struct buf names = {0};
    for (size_t i = 0; i < data->node_count && i < 200; i++)
        buf_format(&names, "%s%s", i ? ", " : "", data->nodes[i]);
    part_fact("nodes", buf_str(&names), out);
    buf_fini(&names);
}

void part_again(const struct report *report, struct buf *out)
{
    const struct trial_data *data = &report->subjects[0].data;
    const json_t *experiment = data->experiment;
    char *seed = mem_format("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(experiment, "seed")));
    buf_text(out, "<section id=\"again\">\n<h2>Do it again</h2>\n<table class=\"facts\">\n");
    part_fact("gannet", json_text(experiment, "gannet"), out);
    part_fact("strategy", json_text(experiment, "strategy"), out);
    part_fact("seed", seed, out);
    if (!report->no_env) {
        part_fact("directory", report->directory, out);
        add_nodes(data, out);
    }
    buf_text(out, "</table>\n");
    free(seed);
    if (!report->no_commands) {
        buf_text(out, "<p>Save the experiment file and run it: <code>gannet run experiment.yaml</code>. The same seed "
                      "proposes the same trials as long as they end in the same order.</p>\n"
                      "<details><summary>The experiment file</summary>\n<pre class=\"file\">");
        markup_text(json_text(experiment, "spec"), out);
        buf_text(out, "</pre></details>\n");
    }
    buf_text(out, "</section>\n");
}
