/* What a key does: to the view, or a deed that whoever has the terminal does. */
#ifndef GANNET_CLI_SCREEN_PRESS_H
#define GANNET_CLI_SCREEN_PRESS_H

#include "cli/screen/screen.h"

enum deed_kind {
    DEED_NONE,
    DEED_QUIT,
    DEED_REDRAW, /* everything anew */
    DEED_WRITE,  /* what is shown, to a file */
    DEED_MOUSE,  /* it chooses rows, or no longer */
    DEED_RUN,    /* the command line in view.typed, as a person types it; what it says becomes a page */
    DEED_CHANGE  /* what was asked (deed.h) was answered with yes */
};

/* "quit", "write", ...; "none". */
const char *deed_name(enum deed_kind deed);

/* A key by its spelling: a character, "Enter", "Esc", "PageDown", "^L". */
enum deed_kind press_key(struct model *model, const char *spelling);

/* A character, or a named key, of a text that was pasted: it is taken where a line is typed, and is no key elsewhere.
 */
void press_pasted(struct model *model, const char *spelling);

/* A click into row `row` of the frame whose chosen row stands in row `cursor`. */
void press_click(struct model *model, unsigned row, unsigned cursor);

#endif
