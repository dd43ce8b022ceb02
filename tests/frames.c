/* See frames.h. */
#include "tests/frames.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct look frames_ascii = {0}, frames_unicode = {.unicode = true};

#define HOSTILE "a\\u001b[31mb\\u202e<script>"

struct model frames_model(const char *name)
{
    struct model model = {.now = 1000, .name = mem_text(name), .directory = mem_text("/runs/x")};
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"overview\": {\"status\": {\"lives\": true, \"metric\": \"%s\", \"trials\": {\"running\": 2, \"failed\": "
        "1, \"completed\": 3}, \"max_trials\": 10, \"slots\": 4, \"busy\": 2, \"rate\": 0.5, \"left\": 60, "
        "\"best\": 0.25, \"best_trial\": 3, \"held\": 90, \"aside\": [{\"node\": \"n7\", \"why\": \"%s\"}]}, "
        "\"state\": \"running\", \"explanation\": \"%s\", \"reason\": \"\", \"jobs\": [\"job state\", \"88 %s\"], "
        "\"best\": {\"trial\": 3, \"params\": {\"%s\": 1}}, \"goal\": \"minimize\"}, "
        "\"top\": {\"best\": [{\"trial\": 3, \"state\": \"completed\", \"value\": 0.25, \"params\": {\"%s\": 1}}, "
        "{\"trial\": 1, \"state\": \"completed\", \"value\": 0.5}], \"running\": [{\"trial\": 5, \"state\": "
        "\"running\", \"step\": 2}], \"names\": [\"%s\"]}, "
        "\"attention\": {\"sentences\": [\"%s\"], \"causes\": [{\"trial\": 4, \"reason\": \"crashed\", "
        "\"count\": 1, \"nodes\": [\"n1\"], \"line\": \"out of %s\"}], \"failed\": 1, \"looked_at\": 1, \"missing\": "
        "\"\"}, "
        "\"history\": {\"improvements\": [[1, 10, 0.5, 1], [3, 20, 0.25, 3]], \"ended\": 4}, "
        "\"log\": {\"events\": [{\"id\": 1, \"time\": \"1970-01-01T00:10:00Z\", \"kind\": \"failed\", \"trial\": "
        "4, \"text\": \"%s\"}, {\"id\": 2, \"kind\": \"worker_gone\", \"node\": \"n1\", \"text\": \"gone\"}]}, "
        "\"experiments\": {\"experiments\": [{\"name\": \"%s\", \"directory\": \"/runs/x\", \"state\": \"running\", "
        "\"lives\": true, \"ended\": 4, \"total\": 10, \"failed\": 1, \"best\": 0.25, \"metric\": \"%s\", "
        "\"changed\": 990}, {\"name\": \"y\", \"directory\": \"/runs/y\", \"trouble\": \"%s\"}], \"remembered\": 2}}",
        HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE,
        HOSTILE);
    json_t *sections = json_loads(text, 0, NULL);
    assert_non_null(sections);
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        json_t *value = json_object_get(sections, section_name(i));
        model.sections[i] = (struct section_value){.value = json_incref(value), .read = value ? 999 : 0};
    }
    json_decref(sections);
    return model;
}

char *frames_draw(struct model *model, unsigned rows, unsigned columns, const struct look *look)
{
    struct canvas canvas;
    struct buf out = {0};
    canvas_init(&canvas, rows, columns, look);
    frame_draw(model, &canvas);
    canvas_write(&canvas, &out);
    canvas_fini(&canvas);
    return buf_take(&out);
}

void frames_have(struct model *model, unsigned rows, unsigned columns, const char *text)
{
    char *frame = frames_draw(model, rows, columns, &frames_unicode);
    if (!strstr(frame, text))
        print_error("no '%s' in:\n%s", text, frame);
    assert_non_null(strstr(frame, text));
    free(frame);
}
