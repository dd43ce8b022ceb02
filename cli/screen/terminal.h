/* The terminal: shows frames by the cells that have changed, and reads keys. The one file that knows ncurses. */
#ifndef GANNET_CLI_SCREEN_TERMINAL_H
#define GANNET_CLI_SCREEN_TERMINAL_H

#include "cli/screen/canvas.h"
#include "common/err.h"

struct terminal;

/* Takes over the terminal of standard input and output. NULL with a sentence: there is none, or none that can move its
 * cursor. `look`: what is shown there. */
struct terminal *terminal_open(const struct look *look, struct err *err);

/* Gives it back as it was. NULL is fine. */
void terminal_close(struct terminal *terminal);

/* Its size, as it is now. */
void terminal_measure(struct terminal *terminal, unsigned *rows, unsigned *columns);

/* Shows a frame; `anew`: all of its cells, whatever is thought to be there. */
void terminal_show(struct terminal *terminal, const struct canvas *canvas, bool anew);

/* What was pressed. */
struct press {
    char spelling[16]; /* "j", "Enter", "^L", "WheelUp", "Click" */
    unsigned row;      /* of a click */
    bool pasted;       /* a part of a text that was pasted, as far as the terminal says so */
};

/* The next key, without waiting; false: there is none. */
bool terminal_read(struct terminal *terminal, struct press *out);

/* Throws away what was typed and not read yet. */
void terminal_drop_typed(struct terminal *terminal);

/* Whether nothing can come from it any more although it is readable: it was closed, and no signal has said so. Asked
 * when nothing was read. A key that comes meanwhile is kept for terminal_read, and no poll announces it. */
bool terminal_is_gone(const struct terminal *terminal);

/* The mouse's clicks come as keys from here on, or no longer; whether they do now. */
bool terminal_mouse(struct terminal *terminal);

/* Gives it back for a while, until terminal_show. */
void terminal_leave(struct terminal *terminal);

#endif
