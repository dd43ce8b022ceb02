/* Fuzzes the reader of experiment files (libFuzzer): no text may crash it or leak, what it accepts must be written as
 * YAML that reads back as the same, and problems must be fit to be shown. Lines at the beginning that start with '!'
 * are given as overrides.
 *
 * Seeds: tests/scheduler/spec_cases/good/[a-z]*.yaml tests/scheduler/spec_cases/bad/[a-z]*.yaml
 */
#include "common/buf.h"
#include "common/mem.h"
#include "scheduler/spec/spec_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_OVERRIDES = 4 };

static void fail(const char *why, const char *text)
{
    fprintf(stderr, "%s:\n%s\n", why, text);
    abort();
}

/* Problems are shown and are whole as JSON. */
static void show(struct problems *problems)
{
    struct buf out = {0};
    problems_show(problems, &out);
    problems_summary(problems, "nothing was started", &out);
    json_t *json = problems_json(problems);
    char *text = json_dumps(json, 0);
    if (!text)
        fail("problems are no JSON", buf_str(&out));
    free(text);
    json_decref(json);
    buf_fini(&out);
}

static void check_round_trip(const struct spec *spec)
{
    struct problems problems;
    struct spec_changes changes = {0};
    struct buf written = {0}, again = {0};
    spec_write(spec, &written);
    struct spec *back = spec_read_text(buf_str(&written), written.length, "back.yaml", "/back", NULL, 0, &problems);
    problems_show(&problems, &again);
    if (!back)
        fail(buf_str(&again), buf_str(&written));
    buf_clear(&again);
    spec_write(back, &again);
    spec_difference(spec, back, &changes);
    if (strcmp(buf_str(&written), buf_str(&again)) != 0 || changes.count)
        fail(buf_str(&again), buf_str(&written));
    spec_changes_fini(&changes);
    spec_destroy(back);
    problems_fini(&problems);
    buf_fini(&written);
    buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *overrides[MOST_OVERRIDES];
    size_t count = 0;
    while (count < MOST_OVERRIDES && size && *text == '!') {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;
        overrides[count++] = mem_text_n(text + 1, length - 1);
        size -= end ? length + 1 : length;
        text += end ? length + 1 : length;
    }
    struct problems problems;
    struct spec *spec = spec_read_text(text, size, "fuzz.yaml", "/fuzz", overrides, count, &problems);
    show(&problems);
    if (spec)
        check_round_trip(spec);
    if (!spec == !problems.errors)
        fail("neither a spec nor an error, or both", problems.text);
    spec_destroy(spec);
    problems_fini(&problems);
    while (count)
        free((char *)overrides[--count]);
    return 0;
}
