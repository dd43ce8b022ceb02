/* One frame; see still.h. */
#include "cli/screen/still.h"
#include "cli/screen/key_change.h"
#include "cli/screen/command_child.h"
#include "cli/screen/frame.h"
#include "cli/screen/press.h"
#include "cli/screen/words.h"
#include "cli/data/target.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

static const double patience = 60; /* seconds for the sections to come */

struct size {
    unsigned columns, rows;
};

/* What is drawn, and into what. */
struct still {
    const struct still_setup *setup;
    const struct look *look;
    struct model *model;
    struct fetch *fetch; /* who reads for it; NULL: a model from a file is all there is */
    struct size size;
    struct buf *out;
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

static void make_frame(const struct still *still, struct canvas *canvas)
{
    canvas_init(canvas, still->size.rows, still->size.columns, still->look);
    frame_draw(still->model, canvas);
}

/* Drawing tells how many rows there is room for, after which more may be wanted. */
static void read_wanted(const struct still *still)
{
    struct wants wants = {0}, next;
    double end = clock_monotonic() + patience;
    frame_want(&still->model->view, still->size.rows, still->size.columns, &next);
    while (still->fetch && clock_monotonic() < end) {
        if (memcmp(&wants, &next, sizeof wants) != 0) {
            wants = next;
            fetch_want(still->fetch, &wants);
        }
        struct pollfd came = {.fd = fetch_descriptor(still->fetch), .events = POLLIN};
        if (!is_complete(still->model, &wants) && poll(&came, 1, 1000) <= 0)
            continue;
        take_all(still->model, still->fetch);
        struct canvas canvas;
        make_frame(still, &canvas);
        canvas_fini(&canvas);
        frame_want(&still->model->view, still->size.rows, still->size.columns, &next);
        if (is_complete(still->model, &wants) && memcmp(&wants, &next, sizeof wants) == 0)
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
    struct err why;
    struct buf text = {0};
    json_t *json = model_encode(model);
    json_add_lines(json, &text);
    int failed = path_put(path, buf_str(&text), text.length, 0644, &why);
    json_decref(json);
    buf_fini(&text);
    return failed ? err_set(err, "can't write the model: %s", why.text) : 0;
}

/* The list of experiments is seen by who has several. */
static int choose_screen(struct model *model, const char *name, struct err *err)
{
    if (name && !screen_named(name, &model->view.screen))
        return err_set(err, "there is no screen '%s'", name);
    model->view.several = model->view.several || model->view.screen == SCREEN_EXPERIMENTS;
    return 0;
}

/* --- a frame as it is written --- */

/* One line of JSON: what was pressed, what else than the view it would change, and the frame. */
static void add_line(const struct still *still, const char *key, enum press_action action, const struct canvas *canvas)
{
    struct buf text = {0};
    canvas_write(canvas, &text);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:[i, i]}", "schema", "gannet.frame/1", "key", key, "screen",
                             screen_name(still->model->view.screen), "action", press_action_name(action), "cursor",
                             (int)canvas->cursor_row, (int)canvas->cursor_column);
    json_object_set_new(json, "text", json_of_text(buf_str(&text)));
    json_add(json, still->out);
    buf_text(still->out, "\n");
    json_decref(json);
    buf_fini(&text);
}

static void add_frame(const struct still *still, const char *key, enum press_action action)
{
    struct canvas canvas;
    make_frame(still, &canvas);
    if (still->setup->lines)
        add_line(still, key, action, &canvas);
    else
        canvas_write(&canvas, still->out);
    canvas_fini(&canvas);
}

/* --- keys --- */

struct typed_command {
    struct loop *loop;
    const struct model *model;
};

static void on_command(void *context)
{
    const struct typed_command *command = context;
    if (!command->model->output.runs)
        loop_stop(command->loop);
}

static int run_words(struct model *model, char **words, struct err *err)
{
    struct typed_command command = {.loop = loop_create(), .model = model};
    struct command_child *child =
        command_child_start(command.loop, words, model->view.typed, model, on_command, &command, err);
    int status = child ? loop_run(command.loop, err) : -1;
    command_child_stop(child);
    loop_destroy(command.loop);
    return status;
}

/* A command that only looks is run to its end; a frame changes nothing. */
static void run_typed(struct model *model)
{
    struct view *view = &model->view;
    struct err err;
    char **words = words_of(view->typed, model->directory, &err);
    if (words && !key_change_only_looks(words[1]))
        view_note(view, "gannet %s may change something, and a frame only looks", words[1]);
    else if (!words || run_words(model, words, &err))
        view_note(view, "%s", err.text);
    else
        view_show_output(view);
    words_free(words);
}

/* What has to be read for a key is read before it: it may choose among rows. */
static void press_all(const struct still *still)
{
    const char *keys = still->setup->keys;
    while (keys && *keys) {
        char spelling[32];
        size_t length = strcspn(keys, " ");
        snprintf(spelling, sizeof spelling, "%.*s", (int)length, keys);
        keys += length + (keys[length] == ' ');
        enum press_action action = press_key(still->model, spelling);
        if (action == ACTION_RUN)
            run_typed(still->model);
        read_wanted(still);
        if (still->setup->lines)
            add_frame(still, spelling, action);
    }
}

/* With the model at hand, and who reads for it, if anybody does. */
static int show_still(struct still *still, struct err *err)
{
    if (read_size(still->setup->size, &still->size, err) || choose_screen(still->model, still->setup->screen, err))
        return -1;
    read_wanted(still);
    if (still->setup->lines)
        add_frame(still, "", ACTION_NONE);
    press_all(still);
    if (!still->setup->lines)
        add_frame(still, "", ACTION_NONE);
    return still->setup->save ? save_model(still->setup->save, still->model, err) : 0;
}

static int open_dir(struct model *model, const struct still_setup *setup, const struct rundir *dir,
                    struct fetch **fetch, struct err *err)
{
    model->name = mem_text(setup->name);
    model->view.follows = true;
    model->directory = mem_text(dir->path);
    model->handle = target_handle(dir);
    model->programs = mem_text(setup->programs);
    *fetch = fetch_start(dir, err);
    return *fetch ? 0 : -1;
}

int still_draw(const struct still_setup *setup, const struct rundir *dir, const struct look *look, struct buf *out,
               struct err *err)
{
    struct model model = {0};
    struct still still = {.setup = setup, .look = look, .model = &model, .out = out};
    int status = setup->load ? load_model(setup->load, &model, err) : open_dir(&model, setup, dir, &still.fetch, err);
    if (!status)
        status = show_still(&still, err);
    fetch_stop(still.fetch);
    screen_model_fini(&model);
    return status;
}
