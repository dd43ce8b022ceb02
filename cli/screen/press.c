/* What a key does; see press.h. */
#include "cli/screen/press.h"
#include "cli/screen/key_change.h"
#include "cli/screen/prompt.h"

#include <stdio.h>
#include <string.h>

const char *press_action_name(enum press_action action)
{
    static const char *const names[] = {
        [ACTION_NONE] = "none",   [ACTION_QUIT] = "quit", [ACTION_REDRAW] = "redraw", [ACTION_WRITE] = "write",
        [ACTION_MOUSE] = "mouse", [ACTION_RUN] = "run",   [ACTION_CHANGE] = "change"};
    return names[action];
}

/* Anything but yes is no. */
static enum press_action press_answer(struct view *view, const char *spelling)
{
    view->prompt = PROMPT_NONE;
    if (strcmp(spelling, "y") == 0 || strcmp(spelling, "Y") == 0)
        return ACTION_CHANGE;
    view_note(view, "nothing was changed");
    return ACTION_NONE;
}

/* --- moving --- */

static void move_to(struct model *model, uint64_t row)
{
    const struct screen_kind *kind = screen_kind(model->view.screen);
    uint64_t rows = kind->rows ? kind->rows(model) : 0;
    if (rows)
        model->view.places[model->view.screen].chosen = row < rows ? row : rows - 1;
}

static void move_by(struct model *model, int64_t rows)
{
    uint64_t chosen = model->view.places[model->view.screen].chosen;
    uint64_t back = (uint64_t)-rows;
    move_to(model, rows >= 0 ? chosen + (uint64_t)rows : chosen > back ? chosen - back : 0);
}

static bool press_move(struct model *model, enum screen_key key)
{
    uint32_t shown = model->view.places[model->view.screen].shown;
    int64_t page = shown > 1 ? shown - 1 : 1;
    switch (key) {
    case PRESS_UP:
        move_by(model, -1);
        return true;
    case PRESS_DOWN:
        move_by(model, 1);
        return true;
    case PRESS_PAGE_UP:
        move_by(model, -page);
        return true;
    case PRESS_PAGE_DOWN:
        move_by(model, page);
        return true;
    case PRESS_FIRST:
        move_to(model, 0);
        return true;
    case PRESS_LAST:
        move_to(model, UINT64_MAX);
        return true;
    default:
        return false;
    }
}

void press_click(struct model *model, unsigned row, unsigned cursor)
{
    struct list_place *place = &model->view.places[model->view.screen];
    int64_t at = (int64_t)place->chosen + (int64_t)row - (int64_t)cursor;
    bool seen = at >= (int64_t)place->first && at < (int64_t)(place->first + place->shown);
    if (seen && !model->view.prompt && !model->view.helps)
        move_to(model, (uint64_t)at);
}

/* --- from screen to screen --- */

static void show_screen(struct view *view, enum screen screen)
{
    view->before = view->screen;
    view->screen = screen;
    *view->search = 0;
}

/* The screen of a digit; SCREENS_COUNT: there is none. */
static enum screen screen_of_digit(unsigned digit)
{
    for (enum screen i = 0; i < SCREENS_COUNT; i++)
        if (!screen_kind(i)->page && --digit == 0)
            return i;
    return SCREENS_COUNT;
}

static void press_digit(struct view *view, const char *spelling)
{
    enum screen screen = screen_of_digit((unsigned)(*spelling - '0'));
    if (screen < SCREENS_COUNT)
        show_screen(view, screen);
}

static void show_next(struct view *view)
{
    enum screen next = view->screen;
    do
        next = (next + 1) % SCREENS_COUNT;
    while (screen_kind(next)->page);
    show_screen(view, next);
}

/* From a page to where it was opened; from a screen to the list of experiments, where there is one. */
static void go_back(struct view *view)
{
    enum screen list;
    if (screen_kind(view->screen)->page)
        view->screen = view->before == view->screen ? 0 : view->before;
    else if (screen_named("experiments", &list) && view->several)
        view_open(view, list);
    else
        view_note(view, "q leaves; the search goes on");
}

/* --- the rest --- */

static void press_copy(struct model *model)
{
    const struct screen_kind *kind = screen_kind(model->view.screen);
    struct buf line = {0};
    uint64_t trial = chosen_trial(model);
    if (kind->copy) {
        kind->copy(model, &line);
    } else {
        buf_text(&line, trial ? "show " : "status ");
        model_add_handle(model, &line);
    }
    if (!kind->copy && trial)
        buf_format(&line, " %llu", (unsigned long long)trial);
    view_note(&model->view, "%sgannet %s", model->programs ? model->programs : "", buf_str(&line));
    buf_fini(&line);
}

static void press_change(struct model *model, enum screen_key key)
{
    struct view *view = &model->view;
    struct buf why = {0}, question = {0};
    if (key_change_refuse(model, key, &why)) {
        view_note(view, "%s", buf_str(&why));
    } else {
        key_change_question(model, key, &question);
        prompt_open(view, PROMPT_CHANGE, buf_str(&question), "");
        view->asked = (uint32_t)key;
        view->asked_trial = chosen_trial(model);
    }
    buf_fini(&why);
    buf_fini(&question);
}

static void press_search(struct model *model)
{
    if (screen_kind(model->view.screen)->answer)
        prompt_open(&model->view, PROMPT_SEARCH, "/", model->view.search);
    else
        view_note(&model->view, "there is nothing to search on this screen");
}

static enum press_action press_common(struct model *model, enum screen_key key, const char *spelling)
{
    struct view *view = &model->view;
    switch (key) {
    case PRESS_QUIT:
        return ACTION_QUIT;
    case PRESS_REFRESH:
        return ACTION_REDRAW;
    case PRESS_WRITE:
        return ACTION_WRITE;
    case PRESS_MOUSE:
        return ACTION_MOUSE;
    case PRESS_SCREEN:
        press_digit(view, spelling);
        break;
    case PRESS_NEXT:
        show_next(view);
        break;
    case PRESS_BACK:
        go_back(view);
        break;
    case PRESS_HELP:
        view->helps = true;
        view->help_first = 0;
        break;
    case PRESS_HOLD:
        view->holds = !view->holds;
        break;
    case PRESS_COMMAND:
        prompt_open(view, PROMPT_COMMAND, ":", "");
        break;
    case PRESS_SEARCH:
        press_search(model);
        break;
    case PRESS_COPY:
        press_copy(model);
        break;
    default:
        if (key_row(key)->changes)
            press_change(model, key);
    }
    return ACTION_NONE;
}

/* Over a screen the help scrolls; any other key takes it away. */
static void press_help(struct view *view, enum screen_key key)
{
    if (key == PRESS_DOWN)
        view->help_first++;
    else if (key == PRESS_PAGE_DOWN)
        view->help_first += 10;
    else if (key == PRESS_UP)
        view->help_first -= view->help_first > 0;
    else if (key == PRESS_PAGE_UP)
        view->help_first -= view->help_first > 10 ? 10 : view->help_first;
    else
        view->helps = false;
}

void press_pasted(struct model *model, const char *spelling)
{
    struct view *view = &model->view;
    if (view->prompt && view->prompt != PROMPT_CHANGE)
        prompt_paste(model, spelling);
    else
        view_note(view, "what is pasted is no key; a line that is typed, behind : or /, takes it");
}

enum press_action press_key(struct model *model, const char *spelling)
{
    struct view *view = &model->view;
    enum screen_key key = key_of(spelling, view->screen);
    *view->note = 0;
    if (view->prompt == PROMPT_CHANGE)
        return press_answer(view, spelling);
    if (view->prompt)
        return prompt_press(model, spelling);
    if (view->helps && key != PRESS_QUIT) {
        press_help(view, key);
        return ACTION_NONE;
    }
    if (key == PRESS_NONE)
        return ACTION_NONE;
    if (press_move(model, key)) {
        view->follows = key == PRESS_LAST;
        return ACTION_NONE;
    }
    const struct screen_kind *kind = screen_kind(view->screen);
    if (kind->press && kind->press(model, key))
        return ACTION_NONE;
    return press_common(model, key, spelling);
}
