/* Export as a Chrome trace, which Perfetto reads, too: what `gannet profile --trace` writes (cli/data/trace.h). */
#include "cli/data/trace.h"
#include "cli/export/export.h"
#include "common/mem.h"

static int write_whole(struct export *export, struct err *err)
{
    struct trace_size size;
    if (trace_write(export->source, 0, export->path, &size, err))
        return -1;
    if (!size.runs && !export->note)
        export->note = mem_text("no attempt has ended yet: there is nothing in it");
    return 0;
}

static const struct own_mark marks[] = {{TRACE_FILE_BEGIN, NULL}, {0}};

const struct exporter export_trace = {.name = "trace",
                                      .what = "a Chrome trace: trials and their phases on the slots that they ran on",
                                      .next = "# drop %s on https://ui.perfetto.dev, or open it in chrome://tracing",
                                      .ending = "-trace.json",
                                      .marks = marks,
                                      .to_output = true,
                                      .write = write_whole};
