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
    /* A key of this screen's own (key_list.h), or Enter on the chosen row; false: it is not for this screen. May be
     * NULL. */
    bool (*press)(struct model *model, enum key key);
};

#define SCREEN(id, name) extern const struct screen_kind screen_##name;
#include "cli/screen/screen_list.h"
#undef SCREEN

const struct screen_kind *screen_kind(enum screen screen);

/* Moves the first row of a place so that the chosen one is among `shown`. */
void place_follow(struct place *place, uint64_t rows, uint32_t shown);

#endif
