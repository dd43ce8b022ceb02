/* One frame; see still.h. */
#include "cli/screen/still.h"
#include "cli/screen/frame.h"
#include "cli/screen/press.h"
#include "common/clock.h"
#include "common/mem.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

static const double patience = 60; /* seconds for the sections to come */

struct size {
    unsigned columns, rows;
};

static int read_size(const char *text, struct size *out, struct err *err)
{
    char behind;
    bool read = sscanf(text, "%ux%u%c", &out->columns, &out->rows, &behind) == 2;
    if (!read || !out->rows || !out->columns || out->rows > 1000 || out->columns > 1000)
        return err_set(err, "'%s' is no size of a window: columns and rows as in 80x24", text);
    return 0;
}

/* Whether all has come, or failed, for what is wanted now. */
static bool is_complete(const struct model *model, const struct wants *wants)
{
    for (enum section i = 0; i < SECTIONS_COUNT; i++) {
        const struct section_value *section = &model->sections[i];
        bool came = *section->trouble || (section->value && memcmp(&section->wants, wants, sizeof *wants) == 0);
        if (wants->sections & 1u << i && !came)
            return false;
    }
    return true;
}

static void take_all(struct model *model, struct fetch *fetch)
{
    for (enum section i = 0; i < SECTIONS_COUNT; i++)
        fetch_take(fetch, i, &model->sections[i]);
    model->now = clock_wall();
}

/* Drawing tells how many rows there is room for, after which more may be wanted. */
static void read_wanted(struct model *model, struct fetch *fetch, const struct size *size, const struct look *look)
{
    struct wants wants = {0}, next;
    double end = clock_monotonic() + patience;
    frame_want(&model->view, size->rows, size->columns, &next);
    while (clock_monotonic() < end) {
        if (memcmp(&wants, &next, sizeof wants) != 0) {
            wants = next;
            fetch_want(fetch, &wants);
        }
        struct pollfd came = {.fd = fetch_descriptor(fetch), .events = POLLIN};
        if (!is_complete(model, &wants) && poll(&came, 1, 1000) <= 0)
            continue;
        take_all(model, fetch);
        struct canvas canvas;
        canvas_init(&canvas, size->rows, size->columns, look);
        frame_draw(model, &canvas);
        canvas_fini(&canvas);
        frame_want(&model->view, size->rows, size->columns, &next);
        if (is_complete(model, &wants) && memcmp(&wants, &next, sizeof wants) == 0)
            break;
    }
}

static int load_model(const char *path, struct model *out, struct err *err)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json)
        return err_set(err, "can't read the model %s: %s", path, error.text);
    int status = model_decode(json, out, err);
    json_decref(json);
    return status;
}

static int save_model(const char *path, const struct model *model, struct err *err)
{
    json_t *json = model_encode(model);
    int status = json_dump_file(json, path, JSON_INDENT(1) | JSON_SORT_KEYS);
    json_decref(json);
    return status ? err_errno(err, "can't write the model %s", path) : 0;
}

static int choose_screen(struct model *model, const char *name, struct err *err)
{
    if (name && !screen_named(name, &model->view.screen))
        return err_set(err, "there is no screen '%s'", name);
    return 0;
}

static void draw_still(struct model *model, const struct size *size, const struct look *look, struct buf *out)
{
    struct canvas canvas;
    canvas_init(&canvas, size->rows, size->columns, look);
    frame_draw(model, &canvas);
    canvas_write(&canvas, out);
    canvas_fini(&canvas);
}

/* What has to be read for a key is read before it: it may choose among rows. */
static void press_all(const char *keys, struct model *model, struct fetch *fetch, const struct size *size,
                      const struct look *look)
{
    while (keys && *keys) {
        char spelling[32];
        size_t length = strcspn(keys, " ");
        snprintf(spelling, sizeof spelling, "%.*s", (int)length, keys);
        keys += length + (keys[length] == ' ');
        press_key(model, spelling);
        if (fetch)
            read_wanted(model, fetch, size, look);
    }
}

/* With the model at hand, and who reads for it, if anybody does. */
static int show_still(const struct still_setup *setup, struct model *model, struct fetch *fetch,
                      const struct look *look, struct buf *out, struct err *err)
{
    struct size size;
    if (read_size(setup->size, &size, err) || choose_screen(model, setup->screen, err))
        return -1;
    if (fetch)
        read_wanted(model, fetch, &size, look);
    press_all(setup->keys, model, fetch, &size, look);
    draw_still(model, &size, look, out);
    return setup->save ? save_model(setup->save, model, err) : 0;
}

int still_draw(const struct still_setup *setup, const struct rundir *dir, const char *name, const char *programs,
               const struct look *look, struct buf *out, struct err *err)
{
    struct model model = {0};
    struct fetch *fetch = NULL;
    int status = 0;
    if (setup->load) {
        status = load_model(setup->load, &model, err);
    } else {
        model.name = mem_text(name);
        model.view.follows = true;
        model.directory = mem_text(dir->path);
        model.programs = mem_text(programs);
        fetch = fetch_start(dir, err);
        status = fetch ? 0 : -1;
    }
    if (!status)
        status = show_still(setup, &model, fetch, look, out, err);
    fetch_stop(fetch);
    screen_model_fini(&model);
    return status;
}
