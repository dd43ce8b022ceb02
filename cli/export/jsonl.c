/* Export as JSON Lines: an object a line, a trial as docs/json.md has it; or, with --metrics, a metric value. */
#include "cli/export/export.h"
#include "cli/export/lines.h"
#include "cli/json.h"
#include "common/mem.h"

#include <stdlib.h>

static int begin_jsonl(struct export *export, struct err *err)
{
    struct lines *lines = MEM_NEW(struct lines);
    export->state = lines;
    if (lines_open(lines, export->path, err) == 0)
        return 0;
    export_jsonl.end(export);
    return -1;
}

static void add_sample(const json_t *trial, const json_t *sample, struct buf *out)
{
    static const char *const members[] = {"metric", "step", "time", "value"};
    json_t *line = json_object();
    json_object_set(line, "trial", json_object_get(trial, "trial"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(line, members[i], json_object_get(sample, members[i]));
    json_add(line, out);
    buf_text(out, "\n");
    json_decref(line);
}

static int put_jsonl(struct export *export, const json_t *trial, struct err *err)
{
    struct lines *lines = export->state;
    size_t index;
    const json_t *sample;
    (void)err;
    if (!export->samples) {
        json_add(trial, &lines->text);
        buf_text(&lines->text, "\n");
    } else {
        json_array_foreach(json_object_get(trial, "curve"), index, sample) add_sample(trial, sample, &lines->text);
    }
    lines_flow(lines);
    return 0;
}

static int settle_jsonl(struct export *export, struct err *err)
{
    return lines_settle(export->state, export->follows, err);
}

static void drop_jsonl(struct export *export)
{
    lines_drop(export->state);
}

static void end_jsonl(struct export *export)
{
    lines_close(export->state);
    free(export->state);
    export->state = NULL;
}

static const struct own_mark marks[] = {{"{\"trial\": ", ", \"state\": \""}, {"{\"trial\": ", ", \"metric\": \""}, {0}};

const struct exporter export_jsonl = {.name = "jsonl",
                                      .what = "JSON Lines: an object a trial, or with --metrics a metric value",
                                      .next = "head -n 1 %s",
                                      .ending = ".jsonl",
                                      .marks = marks,
                                      .to_output = true,
                                      .appends = true,
                                      .takes_metrics = true,
                                      .begin = begin_jsonl,
                                      .put = put_jsonl,
                                      .settle = settle_jsonl,
                                      .drop = drop_jsonl,
                                      .end = end_jsonl};
