/* What keys do: the table of them (key_list.h), from which come what a key pressed means, the help, the bar at the
 * bottom, and docs/status.md. */
#ifndef GANNET_CLI_SCREEN_KEY_H
#define GANNET_CLI_SCREEN_KEY_H

#include "cli/screen/view.h"
#include "common/buf.h"

/* KEY_ names are ncurses'. */
enum screen_key {
    PRESS_NONE,
#define KEY(id, spellings, screens, changes, word, help) PRESS_##id,
#include "cli/screen/key_list.h"
#undef KEY
    PRESS_COUNT
};

/* Of a prompt (prompt_key_list.h). */
enum prompt_key {
    PROMPT_KEY_NONE,
#define PROMPT_KEY(id, spellings, help) PROMPT_KEY_##id,
#include "cli/screen/prompt_key_list.h"
#undef PROMPT_KEY
    PROMPT_KEYS
};

struct prompt_key_row {
    const char *spellings, *help;
};

const struct prompt_key_row *prompt_key_row(enum prompt_key key);
enum prompt_key prompt_key_of(const char *spelling); /* PROMPT_KEY_NONE: a character */

struct key_row {
    const char *spellings; /* "j Down": characters and names of keys, a space between them */
    const char *screens;   /* names, a space between them; "": all */
    bool changes;          /* it changes the experiment: asks first, absent when read-only */
    const char *word;      /* in the bar; "": only in the help */
    const char *help;
};

const struct key_row *key_row(enum screen_key key);

/* What a spelling ("j", "Down", "^L") means on a screen; PRESS_NONE: nothing. */
enum screen_key key_of(const char *spelling, enum screen screen);

/* Adds docs/keys.md. */
void key_document(struct buf *out);

#endif
