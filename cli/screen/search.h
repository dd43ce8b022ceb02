/* The parts of the screen search, each drawn below its line of tabs. */
#ifndef GANNET_CLI_SCREEN_SEARCH_H
#define GANNET_CLI_SCREEN_SEARCH_H

#include "cli/screen/screen.h"

void search_importance(struct model *model, struct canvas *canvas, struct area area);
void search_scatter(struct model *model, struct canvas *canvas, struct area area);
void search_front(struct model *model, struct canvas *canvas, struct area area);
void search_rungs(struct model *model, struct canvas *canvas, struct area area);
void search_strategy(struct model *model, struct canvas *canvas, struct area area);

/* A member of the section; and the parameters, what matters most first as soon as that is known. */
json_t *search_get(const struct model *model, const char *member);
json_t *search_params(const struct model *model);
/* Whether high values of an objective are good. */
bool search_maximizes(const struct model *model, size_t metric);

#endif
