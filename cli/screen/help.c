/* The keys and what the screen shows, over the screen; see frame.h. */
#include "cli/screen/frame.h"

#include <stdio.h>
#include <string.h>

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
