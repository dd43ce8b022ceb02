/* The screen trials: those that a filter keeps, in an order, with the columns that a person chooses. */
#include "cli/screen/trials_parts.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char filter_question[] = "filter: ", order_question[] = "order by: ", columns_question[] = "columns";

/* --- what is wanted --- */

/* Three windows of rows, from a place that changes with each window: most movements find what they need. */
static void want_trials(const struct view *view, struct area area, struct wants *wants)
{
    uint32_t shown = area.rows > TRIALS_ABOVE ? area.rows - TRIALS_ABOVE : 1;
    uint64_t window = view->places[SCREEN_TRIALS].first / shown;
    wants->sections |= 1u << SECTION_TRIALS;
    memcpy(wants->trials.order, view->order, sizeof wants->trials.order);
    memcpy(wants->trials.filter, view->filter, sizeof wants->trials.filter);
    wants->trials.reverse = view->reverse;
    wants->trials.first = window ? (window - 1) * shown : 0;
    wants->trials.count = 3 * shown;
}

/* --- keys --- */

static void go_first(struct view *view)
{
    view->places[SCREEN_TRIALS] = (struct list_place){.shown = view->places[SCREEN_TRIALS].shown};
}

/* Texts are filled up with zeros: wants are compared byte by byte. */
static void set_text(char out[WANTS_TEXT], const char *text)
{
    memset(out, 0, WANTS_TEXT);
    snprintf(out, WANTS_TEXT, "%s", text);
}

static void set_order(struct view *view, const char *title)
{
    set_text(view->order, strcmp(title, "trial") == 0 ? "" : title);
    go_first(view);
}

/* The column beside the one that is ordered by. */
static void move_order(struct model *model, int by)
{
    struct titles titles;
    titles_find(model, &titles);
    int64_t at = -1, count = (int64_t)titles.count;
    for (int64_t i = 0; i < count; i++)
        at = title_is_order(&model->view, titles.items[i]) ? i : at;
    do
        at = (at + by + count) % count;
    while (!title_may_order(titles.items[at]));
    set_order(&model->view, titles.items[at]);
    titles_fini(&titles);
}

static void answer_order(struct model *model, const char *text)
{
    const char *title = title_named(model, text), *metric = json_text(model->sections[SECTION_TRIALS].value, "metric");
    if (strcmp(text, metric) == 0 && *text)
        title = "value";
    if (title && title_may_order(title))
        set_order(&model->view, title);
    else
        view_note(&model->view, "there is no column '%s' to order by; c shows which there are", text);
}

/* Names, a comma between them; none: the usual ones. */
static void answer_columns(struct model *model, const char *text)
{
    struct buf chosen = {0};
    for (size_t length; *text; text += length + (text[length] == ',')) {
        text += strspn(text, " ");
        length = strcspn(text, ",");
        char *name = mem_text_n(text, length);
        for (size_t end = strlen(name); end && name[end - 1] == ' '; end--)
            name[end - 1] = '\0';
        const char *title = title_named(model, name);
        if (title)
            buf_format(&chosen, "%s%s", chosen.length ? "," : "", title);
        else if (*name)
            view_note(&model->view, "there is no column '%s'", name);
        free(name);
    }
    if (chosen.length < WANTS_TEXT && !*model->view.note)
        set_text(model->view.columns, buf_str(&chosen));
    buf_fini(&chosen);
}

static void answer_trials(struct model *model, enum prompt prompt, const char *text)
{
    struct view *view = &model->view;
    if (prompt != PROMPT_OWN)
        return;
    if (strcmp(view->question, order_question) == 0) {
        answer_order(model, text);
    } else if (strncmp(view->question, columns_question, strlen(columns_question)) == 0) {
        answer_columns(model, text);
    } else {
        set_text(view->filter, text);
        go_first(view);
    }
}

/* Columns by their titles and without their prefixes; of filters states and what joins their parts. */
static void complete_trials(const struct model *model, enum prompt prompt, struct buf *out)
{
    bool filters = strcmp(model->view.question, filter_question) == 0;
    size_t index;
    const json_t *title;
    (void)prompt;
    json_array_foreach(model_get(model, SECTION_TRIALS, "all"), index, title)
    {
        const char *text = json_string_value(title), *point = strchr(text, '.');
        if (!strchr(text, ' '))
            buf_format(out, "%s%s%s%s", " ", text, point ? " " : "", point ? point + 1 : "");
    }
    for (int state = 0; filters && state < TRIAL_STATES; state++)
        buf_format(out, " %s", trial_state_name((enum trial_state)state));
    buf_text(out, filters ? " and or not" : " left trend");
}

/* All that there are stand in the question. */
static void ask_columns(struct model *model)
{
    struct titles titles;
    struct buf question = {0}, typed = {0};
    size_t index;
    const json_t *title;
    titles_find(model, &titles);
    for (size_t i = 0; i < titles.count; i++)
        buf_format(&typed, "%s%s", i ? "," : "", titles.items[i]);
    buf_text(&question, "columns (of left trend");
    json_array_foreach(model_get(model, SECTION_TRIALS, "all"), index, title)
    {
        if (question.length >= WANTS_TEXT / 2) {
            buf_text(&question, " ...: Tab lists all");
            break;
        }
        buf_format(&question, " %s", json_string_value(title));
    }
    buf_text(&question, "): ");
    prompt_open(&model->view, PROMPT_OWN, buf_str(&question), buf_str(&typed));
    titles_fini(&titles);
    buf_fini(&question);
    buf_fini(&typed);
}

/* Failures alone, or all again. */
static void toggle_failures(struct view *view)
{
    static const char failures[] = "failed";
    set_text(view->filter, strcmp(view->filter, failures) == 0 ? "" : failures);
    go_first(view);
}

static bool press_trials(struct model *model, enum screen_key key)
{
    struct view *view = &model->view;
    switch (key) {
    case PRESS_ENTER:
        view_open_trial(view, trials_chosen(model));
        return true;
    case PRESS_SEARCH:
        prompt_open(view, PROMPT_OWN, filter_question, view->filter);
        return true;
    case PRESS_ORDER:
        prompt_open(view, PROMPT_OWN, order_question, "");
        return true;
    case PRESS_REVERSE:
        view->reverse = !view->reverse;
        go_first(view);
        return true;
    case PRESS_ORDER_LEFT:
        move_order(model, -1);
        return true;
    case PRESS_ORDER_RIGHT:
        move_order(model, 1);
        return true;
    case PRESS_COLUMNS:
        ask_columns(model);
        return true;
    case PRESS_FAILURES:
        toggle_failures(view);
        return true;
    case PRESS_BEST:
        set_order(view, "value");
        view->reverse = false;
        return true;
    default:
        return false;
    }
}

const struct screen_kind screen_trials = {
    .title = "Trials",
    .help = "The trials of the search, one a row. / filters them by an expression over state, parameters, metrics and "
            "times, such as: failed and lr > 1e-3. The column with an arrow is the one that they are ordered by.",
    .want = want_trials,
    .rows = trials_count,
    .draw = trials_draw,
    .press = press_trials,
    .answer = answer_trials,
    .complete = complete_trials,
    .trial = trials_chosen};
