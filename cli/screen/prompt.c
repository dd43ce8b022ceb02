/* What is typed at the bottom; see prompt.h. Lines that were taken are kept by their question, and come back by Up. */
#include "cli/screen/prompt.h"
#include "cli/screen/complete.h"
#include "cli/screen/edit.h"
#include "cli/screen/glyph.h"

#include <stdio.h>
#include <string.h>

/* --- lines that were typed before --- */

static bool is_of(const struct past_line *line, const struct view *view)
{
    return strncmp(line->question, view->question, sizeof line->question - 1) == 0;
}

/* The newest one stands last; one that is typed again moves there. */
static void keep_line(struct view *view)
{
    uint32_t at = 0;
    if (!*view->typed)
        return;
    while (at < view->past_count && !(is_of(&view->past[at], view) && strcmp(view->past[at].text, view->typed) == 0))
        at++;
    if (at == PAST_LINES)
        at = 0; /* the oldest makes room */
    uint32_t last = at < view->past_count ? view->past_count - 1 : view->past_count;
    memmove(&view->past[at], &view->past[at + 1], (last - at) * sizeof *view->past);
    view->past_count = last + 1;
    snprintf(view->past[last].question, sizeof view->past[last].question, "%.11s", view->question);
    memcpy(view->past[last].text, view->typed, sizeof view->typed);
}

/* The line that was typed so many before, of this question; NULL: there are not that many. */
static const char *past_line(const struct view *view, uint32_t back)
{
    for (uint32_t at = view->past_count; back && at-- > 0;)
        if (is_of(&view->past[at], view) && --back == 0)
            return view->past[at].text;
    return NULL;
}

static void recall(struct view *view, struct edit *edit, uint32_t back)
{
    const char *line = back ? past_line(view, back) : "";
    if (!line)
        return;
    view->recalled = back;
    edit_replace(edit, line);
}

/* --- keys --- */

/* A key that has no name is a character. */
static void add_character(struct edit *edit, const char *spelling)
{
    spelling = strcmp(spelling, "Space") == 0 ? " " : spelling;
    bool control = spelling[0] == '^' && spelling[1];
    bool named = glyph_read(spelling).length != strlen(spelling);
    if (!named && !control)
        edit_insert(edit, spelling);
}

static void complete_typed(struct model *model, struct edit *edit)
{
    struct buf lacks = {0}, listed = {0};
    complete_word(model, &lacks, &listed);
    edit_insert(edit, buf_str(&lacks));
    if (!lacks.length)
        view_note(&model->view, "%s", listed.length ? buf_str(&listed) : "nothing begins like that");
    buf_fini(&lacks);
    buf_fini(&listed);
}

/* A space behind a word that was completed is no part of what was meant. */
static void drop_end_space(char *text)
{
    for (size_t length = strlen(text); length && text[length - 1] == ' ';)
        text[--length] = 0;
}

static enum press_action take_line(struct model *model)
{
    struct view *view = &model->view;
    const struct screen_kind *kind = screen_kind(view->screen);
    enum prompt prompt = view->prompt;
    if (prompt != PROMPT_SEARCH)
        drop_end_space(view->typed);
    keep_line(view);
    view->prompt = PROMPT_NONE;
    if (prompt == PROMPT_COMMAND)
        return *view->typed ? ACTION_RUN : ACTION_NONE;
    if (prompt == PROMPT_SEARCH)
        snprintf(view->search, sizeof view->search, "%.*s", (int)sizeof view->search - 1, view->typed);
    if (kind->answer)
        kind->answer(model, prompt, view->typed);
    return ACTION_NONE;
}

/* What moves the caret, or drops something beside it. */
static bool press_edit(struct edit *edit, enum prompt_key key)
{
    static void (*const edits[PROMPT_KEYS])(struct edit *) = {
        [PROMPT_KEY_LEFT] = edit_left,           [PROMPT_KEY_RIGHT] = edit_right,
        [PROMPT_KEY_START] = edit_start,         [PROMPT_KEY_END] = edit_end,
        [PROMPT_KEY_DROP_LEFT] = edit_drop_left, [PROMPT_KEY_DROP_RIGHT] = edit_drop_right,
        [PROMPT_KEY_DROP_WORD] = edit_drop_word, [PROMPT_KEY_DROP_START] = edit_drop_start,
        [PROMPT_KEY_DROP_END] = edit_drop_end};
    if (edits[key])
        edits[key](edit);
    return edits[key] != NULL;
}

void prompt_paste(struct model *model, const char *spelling)
{
    struct view *view = &model->view;
    struct edit edit = {view->typed, sizeof view->typed, &view->caret};
    bool splits = strcmp(spelling, "Enter") == 0 || strcmp(spelling, "Tab") == 0;
    add_character(&edit, splits ? "Space" : spelling);
}

enum press_action prompt_press(struct model *model, const char *spelling)
{
    struct view *view = &model->view;
    struct edit edit = {view->typed, sizeof view->typed, &view->caret};
    enum prompt_key key = prompt_key_of(spelling);
    if (key == PROMPT_KEY_TAKE)
        return take_line(model);
    if (key == PROMPT_KEY_LEAVE)
        view->prompt = PROMPT_NONE;
    else if (key == PROMPT_KEY_COMPLETE)
        complete_typed(model, &edit);
    else if (key == PROMPT_KEY_OLDER)
        recall(view, &edit, view->recalled + 1);
    else if (key == PROMPT_KEY_NEWER)
        recall(view, &edit, view->recalled ? view->recalled - 1 : 0);
    else if (!press_edit(&edit, key))
        add_character(&edit, spelling);
    return ACTION_NONE;
}
