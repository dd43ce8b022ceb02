/* What a key does: to the view, or an action that whoever has the terminal does. */
#ifndef GANNET_CLI_SCREEN_PRESS_H
#define GANNET_CLI_SCREEN_PRESS_H

#include "cli/screen/screen.h"

enum press_action {
    ACTION_NONE,
    ACTION_QUIT,
    ACTION_REDRAW, /* everything anew */
    ACTION_WRITE,  /* what is shown, to a file */
    ACTION_MOUSE,  /* it chooses rows, or no longer */
    ACTION_RUN,    /* the command line in view.typed, as a person types it; what it says becomes a page */
    ACTION_CHANGE  /* what was asked (key_change.h) was answered with yes */
};

/* "quit", "write", ...; "none". */
const char *press_action_name(enum press_action action);

/* A key by its spelling: a character, "Enter", "Esc", "PageDown", "^L". */
enum press_action press_key(struct model *model, const char *spelling);

/* A character, or a named key, of a text that was pasted: it is taken where a line is typed, and is no key elsewhere.
 */
void press_pasted(struct model *model, const char *spelling);

/* A click into row `row` of the frame whose chosen row stands in row `cursor`. */
void press_click(struct model *model, unsigned row, unsigned cursor);

#endif
