/* One screen: the contract. A screen is a `const struct screen_kind screen_NAME` in a file of its own, with a row in
 * screen_list.h. Everything that all screens have - moving, searching, help, prompts, the bar of keys - is done around
 * it. */
#ifndef GANNET_CLI_SCREEN_SCREEN_H
#define GANNET_CLI_SCREEN_SCREEN_H

#include "cli/screen/canvas.h"
#include "cli/screen/key.h"
#include "cli/screen/model.h"

struct screen_kind {
    const char *title; /* "Trials" */
    const char *help;  /* what it shows, a sentence or two */
    /* The sections it needs, and which part of them, for an area of that size. */
    void (*want)(const struct view *view, struct area area, struct wants *wants);
    /* How many rows one may choose among; NULL: none. */
    uint64_t (*rows)(const struct model *model);
    /* Draws all of it into the area, which is at least 40 x 8; sections that have not come are shown as such. It may
     * move places[].first and sets places[].shown; nothing else changes. */
    void (*draw)(struct model *model, struct canvas *canvas, struct area area);
    /* A key of this screen's own (key_list.h), Enter on the chosen row, Tab, n; false: it is not for this screen. May
     * be NULL. */
    bool (*press)(struct model *model, enum screen_key key);
    /* What was typed at its prompt: PROMPT_SEARCH ("/"), or PROMPT_OWN, which its press opens by prompt_open. NULL: it
     * has none, and "/" says so. */
    void (*answer)(struct model *model, enum prompt prompt, const char *text);
    /* Adds the words that may stand in an answer, a space before each: Tab completes them. NULL: none. */
    void (*complete)(const struct model *model, enum prompt prompt, struct buf *out);
    /* The trial that is chosen, for the keys that act on one; 0 or NULL: none. */
    uint64_t (*trial)(const struct model *model);
    /* Adds the command line that shows or repeats what is chosen, without "gannet" ("show digits/12"). NULL: that of
     * the trial, or the experiment's status. */
    void (*copy)(const struct model *model, struct buf *out);
    bool page; /* opened from another screen, and left by Esc: it has no digit and Tab passes it */
};

#define SCREEN(id, name) extern const struct screen_kind screen_##name;
#include "cli/screen/screen_list.h"
#undef SCREEN

const struct screen_kind *screen_kind(enum screen screen);

/* "trials", ... and the way back; false: there is none of that name. */
const char *screen_name(enum screen screen);
bool screen_named(const char *name, enum screen *out);

/* Asks for a text at the bottom: the question, and what stands there to be changed. */
void prompt_open(struct view *view, enum prompt prompt, const char *question, const char *text);

/* Says a sentence at the bottom, until the next key. */
void view_note(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a page; Esc leads back. */
void view_open(struct view *view, enum screen screen);

/* Forgets what was chosen to be seen of an experiment: another one is opened, on its overview. */
void view_forget(struct view *view);

/* Opens a trial's own page. */
void view_open_trial(struct view *view, uint64_t trial);

/* Opens what a command says, from its first line on. */
void view_show_output(struct view *view);

/* The trial that is chosen on the screen that is seen; 0: none. */
uint64_t chosen_trial(const struct model *model);

/* Says in an area that a section has not come yet, or why it can't be read. */
void section_absent(const struct model *model, enum section section, struct canvas *canvas, struct area area);

/* Moves the first row of a place so that the chosen one is among `shown`. */
void place_follow(struct list_place *place, uint64_t rows, uint32_t shown);

#endif
