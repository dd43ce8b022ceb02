/* The frame around a screen; see frame.h. */
#include "cli/screen/frame.h"
#include "cli/json.h"
#include "cli/screen/glyph.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD = 2, FOOT = 1, LEAST_ROWS = 8, LEAST_COLUMNS = 40 };

/* The part of a frame of that size that the screen has. */
static struct area frame_area(unsigned rows, unsigned columns)
{
    return (struct area){.row = HEAD, .rows = rows > HEAD + FOOT ? rows - HEAD - FOOT : 0, .columns = columns};
}

void frame_want(const struct view *view, unsigned rows, unsigned columns, struct wants *out)
{
    struct area area = frame_area(rows, columns);
    area.rows = area.rows > LEAST_ROWS ? area.rows : LEAST_ROWS; /* in a smaller window nothing is drawn */
    area.columns = area.columns > LEAST_COLUMNS ? area.columns : LEAST_COLUMNS;
    *out = (struct wants){0};
    screen_kind(view->screen)->want(view, area, out);
    out->sections |= 1u << SECTION_OVERVIEW; /* the state, at the top */
    if (view->prompt == PROMPT_COMMAND)
        out->sections |= 1u << SECTION_EXPERIMENTS; /* their names complete what is typed */
}

/* --- the top --- */

/* How old what is shown may be before it is said, in seconds: a few readings. */
static const double old_seconds = 10;

static enum tint tint_of_state(const char *state)
{
    static const struct {
        const char *state;
        enum tint tint;
    } tints[] = {{"running", TINT_BUSY},
                 {"ended", TINT_GOOD},
                 {"interrupted", TINT_BAD},
                 {"draining", TINT_WARN},
                 {"paused", TINT_WARN}};
    for (size_t i = 0; i < sizeof tints / sizeof *tints; i++)
        if (strcmp(state, tints[i].state) == 0)
            return tints[i].tint;
    return TINT_STRONG;
}

static void show_clock(double seconds, char *out, size_t size)
{
    time_t whole = (time_t)seconds;
    struct tm parts;
    if (!localtime_r(&whole, &parts) || !strftime(out, size, "%H:%M:%S", &parts))
        snprintf(out, size, "?");
}

/* Whether nothing has come for a while. */
static bool is_old(const struct model *model)
{
    const struct section_value *overview = &model->sections[SECTION_OVERVIEW];
    return overview->value && !model->view.holds && model->now - overview->read > old_seconds;
}

/* "12:03:11", or since when nothing new has come. */
static void draw_clock(const struct model *model, struct canvas *canvas, struct area area)
{
    const struct section_value *overview = &model->sections[SECTION_OVERVIEW];
    double age = model->now - overview->read;
    char clock[16], text[64] = "", age_text[32];
    show_clock(model->now, clock, sizeof clock);
    if (model->view.holds)
        snprintf(text, sizeof text, "held at %s", clock);
    else if (is_old(model)) {
        show_clock(overview->read, clock, sizeof clock);
        snprintf(text, sizeof text, "silent %s, data from %s", units_show_duration(age, age_text, sizeof age_text),
                 clock);
    } else
        snprintf(text, sizeof text, "%s", clock);
    unsigned width = glyph_width(text);
    bool odd = model->view.holds || is_old(model);
    if (width + 2 < area.columns)
        canvas_right(canvas, area, 0, area.columns - width, width, odd ? TINT_WARN : TINT_QUIET, text);
}

static void draw_head(const struct model *model, struct canvas *canvas, struct area area)
{
    const char *state = json_text(model->sections[SECTION_OVERVIEW].value, "state");
    json_t *status = model_get(model, SECTION_OVERVIEW, "status");
    struct area left = area;
    char text[32];
    double held, left_seconds;
    left.columns = area.columns > 24 ? area.columns - 10 : area.columns;
    if (model->view.screen == SCREEN_EXPERIMENTS) {
        canvas_text(canvas, left, 0, 0, TINT_STRONG, "Your experiments");
        draw_clock(model, canvas, area);
        return;
    }
    unsigned at = canvas_text(canvas, left, 0, 0, TINT_STRONG, model->name ? model->name : "");
    at += 2 + canvas_text(canvas, left, 0, at + 2, tint_of_state(state), state);
    if (json_number(status, "held", &held))
        at += 2 + canvas_print(canvas, left, 0, at + 2, TINT_NONE, "%s", units_show_duration(held, text, sizeof text));
    bool goes_on = json_is_true(json_object_get(status, "lives")) && strcmp(state, "draining") != 0;
    if (goes_on && json_number(status, "left", &left_seconds))
        canvas_print(canvas, left, 0, at + 2, TINT_NONE, "about %s left",
                     units_show_duration(left_seconds, text, sizeof text));
    draw_clock(model, canvas, area);
}

enum { TAB = 64 }; /* bytes of what stands on one */

/* The tabs with their digits, one that is a page behind them; the titles of the others are left out where there is no
 * room for all. "": there is none. */
static void show_tabs(const struct view *view, bool titles, char tabs[SCREENS_COUNT][TAB])
{
    unsigned digit = 0;
    for (enum screen i = 0; i < SCREENS_COUNT; i++) {
        const struct screen_kind *kind = screen_kind(i);
        bool here = i == view->screen;
        digit += !kind->page;
        *tabs[i] = '\0';
        if (kind->page && here)
            snprintf(tabs[i], TAB, " %s ", kind->title);
        else if (!kind->page && (titles || here))
            snprintf(tabs[i], TAB, " %u %s ", digit, kind->title);
        else if (!kind->page)
            snprintf(tabs[i], TAB, " %u ", digit);
    }
}

static void draw_tabs(const struct model *model, struct canvas *canvas, struct area area)
{
    char tabs[SCREENS_COUNT][TAB];
    unsigned at = 0, needed = 0;
    canvas_rule(canvas, area, 1, "");
    show_tabs(&model->view, true, tabs);
    for (enum screen i = 0; i < SCREENS_COUNT; i++)
        needed += *tabs[i] ? glyph_width(tabs[i]) + (needed > 0) : 0;
    show_tabs(&model->view, needed <= area.columns, tabs);
    for (enum screen i = 0; i < SCREENS_COUNT; i++) {
        bool here = i == model->view.screen;
        if (!*tabs[i])
            continue;
        unsigned width = canvas_text(canvas, area, 1, at, here ? TINT_STRONG : TINT_NONE, tabs[i]);
        if (here && width)
            canvas_reverse(canvas, (struct area){area.row, area.column + at, area.rows, width}, 1);
        at += width + 1;
    }
}

/* --- the bottom --- */

static bool is_shown(const struct key_row *row, const struct view *view)
{
    return *row->word && !(row->changes && view->read_only);
}

enum { SPELLING = 16, BETWEEN_KEYS = 2 };

static unsigned show_key(const struct key_row *known, char spelling[SPELLING])
{
    snprintf(spelling, SPELLING, "%.*s", (int)strcspn(known->spellings, " "), known->spellings);
    return glyph_width(spelling) + 1 + glyph_width(known->word);
}

/* Help and the way out have their room in every window: they lead to all the rest. */
static void draw_bar(const struct model *model, struct canvas *canvas, struct area area, unsigned row)
{
    char spelling[SPELLING];
    unsigned at = 0, help = show_key(key_row(PRESS_HELP), spelling) + BETWEEN_KEYS,
             kept = help + show_key(key_row(PRESS_QUIT), spelling) + BETWEEN_KEYS;
    for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++) {
        const struct key_row *known = key_row(key);
        unsigned width = show_key(known, spelling);
        kept -= key == PRESS_HELP ? help : key == PRESS_QUIT ? kept : 0;
        bool fits = at + width + kept <= area.columns;
        if (!fits || !is_shown(known, &model->view) || key_of(spelling, model->view.screen) != key)
            continue;
        at += canvas_text(canvas, area, row, at, TINT_STRONG, spelling) + 1;
        at += canvas_text(canvas, area, row, at, TINT_QUIET, known->word) + BETWEEN_KEYS;
    }
}

/* Of what is typed the part before the caret, from where it fits. */
static const char *fit_typed(const struct view *view, unsigned room)
{
    const char *from = view->typed, *caret = from + view->caret;
    unsigned behind = glyph_width(caret);
    while (from < caret && glyph_width(from) - behind > room)
        from += glyph_read(from).length;
    return from;
}

/* A row of its own, whatever was drawn there. */
static void draw_over(struct canvas *canvas, struct area area, unsigned row, enum tint tint, const char *text)
{
    unsigned at = canvas_text(canvas, area, row, 0, tint, text);
    canvas_print(canvas, area, row, at, tint, "%*s", (int)(area.columns - at), "");
}

enum { SENTENCE_ROWS = 5 };

/* A sentence in as many rows as it takes, the last of them just above row `end`, over what was drawn there: it is all
 * that a person is told. How many rows. */
static unsigned draw_sentence(struct canvas *canvas, struct area area, unsigned end, enum tint tint, const char *text)
{
    unsigned rows = 0, most = end < SENTENCE_ROWS ? end : SENTENCE_ROWS;
    for (const char *rest = text; *rest && rows < most; rows++) {
        rest += canvas_fit(rest, area.columns);
        rest += strspn(rest, " ");
    }
    for (unsigned row = end - rows; row < end; row++) {
        size_t length = row + 1 < end ? canvas_fit(text, area.columns) : strlen(text);
        char *words = mem_text_n(text, length);
        draw_over(canvas, area, row, tint, words);
        free(words);
        text += length;
        text += strspn(text, " ");
    }
    return rows;
}

/* The rows that a question needs above the one in which is typed. What is typed begins behind its last words, or, where
 * these leave little room, below them. */
static unsigned question_rows(const char *question, unsigned columns)
{
    unsigned rows = 0;
    for (size_t length; glyph_width(question) >= columns; rows++) {
        length = canvas_fit(question, columns - 1);
        question += length;
        question += strspn(question, " ");
    }
    return rows + (glyph_width(question) > columns / 2 && rows);
}

/* Of what is typed the part around the caret is seen, and the cursor in it. A note stands above the question. */
static void draw_prompt(const struct view *view, struct canvas *canvas, struct area area, unsigned row)
{
    const char *question = view->question;
    unsigned lines = question_rows(question, area.columns), at = 0;
    for (unsigned i = lines < row ? row - lines : 0; i < row; i++) {
        size_t length = canvas_fit(question, area.columns - 1);
        char *words = mem_text_n(question, length);
        draw_over(canvas, area, i, TINT_STRONG, words);
        free(words);
        question += length;
        question += strspn(question, " ");
    }
    if (*view->note && row > lines)
        draw_sentence(canvas, area, row - lines, TINT_WARN, view->note);
    at = canvas_text(canvas, area, row, 0, TINT_STRONG, question);
    const char *typed = fit_typed(view, area.columns > at + 1 ? area.columns - at - 1 : 0);
    canvas_text(canvas, area, row, at, TINT_NONE, typed);
    at += glyph_width(typed) - glyph_width(view->typed + view->caret);
    canvas->cursor_row = row;
    canvas->cursor_column = at < area.columns ? at : area.columns - 1;
}

static void draw_foot(const struct model *model, struct canvas *canvas, struct area area)
{
    unsigned row = area.rows - 1;
    if (model->view.prompt)
        draw_prompt(&model->view, canvas, area, row);
    else if (is_old(model) && *model->sections[SECTION_OVERVIEW].trouble)
        draw_sentence(canvas, area, area.rows, TINT_BAD, model->sections[SECTION_OVERVIEW].trouble);
    else if (*model->view.note)
        draw_sentence(canvas, area, area.rows, TINT_WARN, model->view.note);
    else
        draw_bar(model, canvas, area, row);
}

/* --- the whole --- */

static void draw_screen(struct model *model, struct canvas *canvas, struct area area)
{
    const struct screen_kind *kind = screen_kind(model->view.screen);
    if (area.rows < LEAST_ROWS || area.columns < LEAST_COLUMNS)
        canvas_text(canvas, area, 0, 0, TINT_WARN, "this window is too small: 40 columns and 11 rows are needed");
    else if (model->view.helps)
        help_draw(model, canvas, area);
    else
        kind->draw(model, canvas, area);
}

void frame_draw(struct model *model, struct canvas *canvas)
{
    struct area all = canvas_area(canvas);
    if (!all.rows || !all.columns)
        return;
    draw_head(model, canvas, all);
    draw_tabs(model, canvas, all);
    draw_screen(model, canvas, frame_area(all.rows, all.columns));
    draw_foot(model, canvas, all);
}

/* Lines are counted from the first one of the whole text; those from `first` on are drawn. */
struct help {
    struct canvas *canvas;
    struct area area;
    uint32_t first, line;
};

static void add_line(struct help *help, const char *left, const char *right)
{
    enum { LEFT = 22 };
    if (help->line >= help->first && help->line - help->first + 1 < help->area.rows) {
        unsigned row = help->line - help->first;
        canvas_text(help->canvas, help->area, row, 0, *right ? TINT_STRONG : TINT_NONE, left);
        if (*right)
            canvas_text(help->canvas, help->area, row, LEFT, TINT_NONE, right);
    }
    help->line++;
}

static void add_text(struct help *help, const char *text)
{
    while (*text) {
        char line[512];
        size_t length = canvas_fit(text, help->area.columns);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        add_line(help, line, "");
        text += length;
        text += strspn(text, " ");
    }
}

/* Whether a key has a meaning on this screen that one may use. */
static bool is_here(const struct key_row *row, enum screen_key key, const struct view *view)
{
    char spelling[16];
    snprintf(spelling, sizeof spelling, "%.*s", (int)strcspn(row->spellings, " "), row->spellings);
    return key_of(spelling, view->screen) == key && !(row->changes && view->read_only);
}

void help_draw(struct model *model, struct canvas *canvas, struct area area)
{
    struct help help = {.canvas = canvas, .area = area};
    for (int draws = 0; draws < 2; draws++) { /* the first time it is only measured */
        help.line = 0;
        help.first = draws ? model->view.help_first : UINT32_MAX;
        add_text(&help, screen_kind(model->view.screen)->help);
        add_line(&help, "", "");
        for (enum screen_key key = PRESS_NONE + 1; key < PRESS_COUNT; key++)
            if (is_here(key_row(key), key, &model->view))
                add_line(&help, key_row(key)->spellings, key_row(key)->help);
        add_line(&help, "", "");
        add_text(&help, "While a line is typed at the bottom (: and /):");
        for (enum prompt_key key = PROMPT_KEY_NONE + 1; key < PROMPT_KEYS; key++)
            add_line(&help, prompt_key_row(key)->spellings, prompt_key_row(key)->help);
        uint32_t most = help.line + 1 > area.rows ? help.line + 1 - area.rows : 0;
        if (model->view.help_first > most)
            model->view.help_first = most;
    }
    canvas_text(canvas, area, area.rows - 1, 0, TINT_QUIET,
                help.line + 1 > area.rows ? "j and k move, any other key goes back" : "any key goes back");
}
