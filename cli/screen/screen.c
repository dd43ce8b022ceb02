/* The list of the screens; see screen.h. */
#include "cli/screen/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct screen_row {
    const char *name;
    const struct screen_kind *kind;
} rows[SCREENS_COUNT] = {
#define SCREEN(id, name) {#name, &screen_##name},
#include "cli/screen/screen_list.h"
#undef SCREEN
};

const char *screen_name(enum screen screen)
{
    return rows[screen].name;
}

const struct screen_kind *screen_kind(enum screen screen)
{
    return rows[screen].kind;
}

bool screen_named(const char *name, enum screen *out)
{
    for (enum screen i = 0; i < SCREENS_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *out = i;
            return true;
        }
    return false;
}

void prompt_open(struct view *view, enum prompt prompt, const char *question, const char *text)
{
    view->prompt = prompt;
    snprintf(view->question, sizeof view->question, "%s", question);
    snprintf(view->typed, sizeof view->typed, "%s", text);
    view->caret = (uint32_t)strlen(view->typed);
    view->recalled = 0;
}

void view_note(struct view *view, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(view->note, sizeof view->note, format, arguments);
    va_end(arguments);
}

void view_open(struct view *view, enum screen screen)
{
    view->before = view->screen;
    view->screen = screen;
}

void view_forget(struct view *view)
{
    struct list_place list = view->places[SCREEN_EXPERIMENTS];
    struct past_line past[PAST_LINES];
    memcpy(past, view->past, sizeof past);
    *view = (struct view){
        .several = view->several, .read_only = view->read_only, .follows = true, .past_count = view->past_count};
    view->places[SCREEN_EXPERIMENTS] = list;
    memcpy(view->past, past, sizeof past);
}

void view_open_trial(struct view *view, uint64_t trial)
{
    enum screen page;
    if (!trial || !screen_named("trial", &page))
        return;
    view->trial = trial;
    view->places[page] = (struct list_place){0};
    view_open(view, page);
}

void view_show_output(struct view *view)
{
    if (view->screen != SCREEN_OUTPUT)
        view_open(view, SCREEN_OUTPUT);
    view->places[SCREEN_OUTPUT] = (struct list_place){0};
}

uint64_t chosen_trial(const struct model *model)
{
    const struct screen_kind *kind = screen_kind(model->view.screen);
    return kind->trial ? kind->trial(model) : 0;
}

void section_absent(const struct model *model, enum section section, struct canvas *canvas, struct area area)
{
    const char *trouble = model->sections[section].trouble;
    canvas_wrap(canvas, area, 0, 0, *trouble ? TINT_WARN : TINT_QUIET, *trouble ? trouble : "reading ...");
}

void place_follow(struct list_place *place, uint64_t count, uint32_t shown)
{
    place->shown = shown;
    if (place->chosen >= count)
        place->chosen = count ? count - 1 : 0;
    if (place->chosen < place->first)
        place->first = place->chosen;
    else if (shown && place->chosen - place->first >= shown)
        place->first = place->chosen - shown + 1;
    if (count <= shown)
        place->first = 0;
    else if (place->first > count - shown)
        place->first = count - shown;
}
