/* What the failures were: trials that failed by their reason and the last line of what they wrote; see part.h. */
#include "cli/report/part.h"

#include "cli/json.h"
#include "common/endings.h"
#include "common/markup.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 20, MOST_NUMBERS = 6 };

/* Trials that failed in the same way. */
struct failure_row {
    const char *reason, *line;
    size_t count;
    uint64_t trials[MOST_NUMBERS]; /* the first ones */
};

static struct failure_row *find_row(struct failure_row *rows, size_t *count, const char *reason, const char *line)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(rows[i].reason, reason) == 0 && strcmp(rows[i].line, line) == 0)
            return &rows[i];
    rows[*count] = (struct failure_row){.reason = reason, .line = line};
    return &rows[(*count)++];
}

/* The most frequent ones first; of the same frequency that of the first trial. */
static int compare_rows(const void *a, const void *b)
{
    const struct failure_row *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return one->trials[0] < other->trials[0] ? -1 : one->trials[0] > other->trials[0];
}

/* What a program wrote may name directories and nodes. */
static struct failure_row *make_rows(const struct report *report, size_t *count)
{
    const json_t *failures = report->subjects[0].failures, *failure;
    struct failure_row *rows = MEM_ARRAY(struct failure_row, json_array_size(failures) + 1);
    size_t index;
    *count = 0;
    json_array_foreach((json_t *)failures, index, failure)
    {
        struct failure_row *row =
            find_row(rows, count, json_text(failure, "reason"), report->no_env ? "" : json_text(failure, "line"));
        if (row->count < MOST_NUMBERS)
            row->trials[row->count] = (uint64_t)json_integer_value(json_object_get(failure, "trial"));
        row->count++;
    }
    qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}

static void add_row(const struct failure_row *row, bool lines, struct buf *out)
{
    buf_text(out, "<tr><td>");
    markup_text(row->reason, out);
    buf_format(out, "</td><td class=\"n\">%zu</td><td>", row->count);
    for (size_t i = 0; i < row->count && i < MOST_NUMBERS; i++)
        buf_format(out, "%s%" PRIu64, i ? ", " : "", row->trials[i]);
    buf_text(out, row->count > MOST_NUMBERS ? ", ...</td>" : "</td>");
    if (lines) {
        buf_text(out, "<td class=\"said\">");
        markup_text(row->line, out);
        buf_text(out, "</td>");
    }
    buf_text(out, "</tr>\n");
}

static size_t count_failed(const struct trial_data *data)
{
    size_t failed = 0;
    for (size_t i = 0; i < data->count; i++)
        failed += data->trials[i].state == TRIAL_FAILED;
    return failed;
}

/* What is not in the table. */
static void add_rest(const struct report *report, size_t rows, struct buf *out)
{
    size_t read = json_array_size(report->subjects[0].failures), failed = count_failed(&report->subjects[0].data);
    if (rows > MOST_ROWS)
        buf_format(out, "<p class=\"quiet small\">The %d most frequent of %zu kinds of failures.</p>\n", MOST_ROWS,
                   rows);
    if (failed > read)
        buf_format(out, "<p class=\"quiet small\">Of %zu trials that failed, the first %zu are counted here.</p>\n",
                   failed, read);
}

void part_failures(const struct report *report, struct buf *out)
{
    size_t count;
    if (!json_array_size(report->subjects[0].failures))
        return;
    struct failure_row *rows = make_rows(report, &count);
    buf_text(out, "<div class=\"wide\"><table>\n<thead><tr><th>reason</th><th class=\"n\">trials</th>"
                  "<th>numbers</th>");
    buf_text(out, report->no_env ? "" : "<th>the last line of output</th>");
    buf_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count && i < MOST_ROWS; i++)
        add_row(&rows[i], !report->no_env, out);
    buf_text(out, "</tbody></table></div>\n");
    add_rest(report, count, out);
    free(rows);
}
