/* The screen output: what a command said that was typed. */
#include "cli/screen/screen.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static uint64_t count_lines(const struct model *model)
{
    uint64_t count = 0;
    const struct buf *text = &model->output.text;
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == '\n';
    return count + (text->length && text->data[text->length - 1] != '\n');
}

/* The beginning of a line, by its number from 0. */
static const char *find_line(const char *text, uint64_t number)
{
    for (; number && *text; number--) {
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : "";
    }
    return text;
}

static void want_output(const struct view *view, struct area area, struct wants *wants)
{
    (void)view;
    (void)area;
    (void)wants;
}

static void draw_title(const struct command_output *output, struct canvas *canvas, struct area area)
{
    if (!output->command) {
        canvas_text(canvas, area, 0, 0, TINT_QUIET, "no command was typed yet");
        return;
    }
    char *title = output->runs     ? mem_format("%s: it runs, Esc ends it", output->command)
                  : output->status ? mem_format("%s: exit status %d", output->command, output->status)
                                   : mem_text(output->command);
    canvas_rule(canvas, area, 0, title);
    free(title);
}

/* A tab is some blanks; other control characters are made visible by the canvas. free() it. */
static char *show_line(const char *line)
{
    struct buf text = {0};
    size_t length = strcspn(line, "\n");
    for (size_t i = 0; i < length; i++)
        if (line[i] == '\t')
            buf_text(&text, "    ");
        else if (line[i] != '\r' || i + 1 < length)
            buf_add(&text, &line[i], 1);
    char *shown = mem_text(buf_str(&text));
    buf_fini(&text);
    return shown;
}

/* How many rows of the window a line takes. */
static unsigned line_rows(const char *line, unsigned columns)
{
    unsigned rows = 0;
    char *text = show_line(line);
    const char *rest = text;
    do {
        rest += canvas_fit(rest, columns);
        rest += strspn(rest, " ");
        rows++;
    } while (*rest);
    free(text);
    return rows;
}

/* Lines that are wider than the window take several rows of it: the first one shown is such that the chosen one is seen
 * to its end. */
static void follow_chosen(struct list_place *place, const char *text, struct area area)
{
    unsigned rows = 0;
    const char *line = find_line(text, place->first);
    for (uint64_t at = place->first; at <= place->chosen && *line; at++, line = find_line(line, 1))
        rows += line_rows(line, area.columns);
    for (line = find_line(text, place->first); rows > area.rows && place->first < place->chosen; place->first++) {
        rows -= line_rows(line, area.columns);
        line = find_line(line, 1);
    }
}

static void draw_output(struct model *model, struct canvas *canvas, struct area area)
{
    struct list_place *place = &model->view.places[SCREEN_OUTPUT];
    struct area below = {area.row + 1, area.column, area.rows - 1, area.columns};
    const char *text = buf_str(&model->output.text);
    draw_title(&model->output, canvas, area);
    place_follow(place, count_lines(model), below.rows);
    follow_chosen(place, text, below);
    place->shown = 0;
    const char *line = find_line(text, place->first);
    for (unsigned row = 0, next; row < below.rows && *line; row = next, line = find_line(line, 1)) {
        char *shown = show_line(line);
        unsigned rows = canvas_wrap(canvas, below, row, 0, TINT_NONE, shown);
        free(shown);
        next = row + (rows ? rows : 1);
        if (place->first + place->shown++ == place->chosen)
            canvas_choose(canvas, below, row);
    }
}

static bool line_has(const char *line, const char *text)
{
    char *copy = mem_text_n(line, strcspn(line, "\n"));
    bool found = strcasestr(copy, text) != NULL;
    free(copy);
    return found;
}

/* A search goes on from the line behind the chosen one, and begins anew at the end: of all lines that have it the first
 * one, and the first one behind the chosen. */
static void choose_found_line(struct model *model, const char *text)
{
    struct list_place *place = &model->view.places[SCREEN_OUTPUT];
    const char *line = buf_str(&model->output.text);
    uint64_t first = UINT64_MAX, next = UINT64_MAX;
    for (uint64_t at = 0; *line && *text && next == UINT64_MAX; line = find_line(line, 1), at++)
        if ((first == UINT64_MAX || at > place->chosen) && line_has(line, text)) {
            first = first == UINT64_MAX ? at : first;
            next = at > place->chosen ? at : next;
        }
    if (first == UINT64_MAX)
        view_note(&model->view, "'%s' is not in it", text);
    else
        place->chosen = next == UINT64_MAX ? first : next;
}

static void answer_output(struct model *model, enum prompt prompt, const char *text)
{
    (void)prompt;
    choose_found_line(model, text);
}

static bool press_output(struct model *model, enum screen_key key)
{
    if (key == PRESS_AGAIN)
        choose_found_line(model, model->view.search);
    return key == PRESS_AGAIN;
}

const struct screen_kind screen_output = {.title = "Output",
                                          .help = "What the command said that was typed behind : or that a key runs.",
                                          .want = want_output,
                                          .rows = count_lines,
                                          .draw = draw_output,
                                          .press = press_output,
                                          .answer = answer_output,
                                          .page = true};
