/* The parts of the screen overview, each drawn into an area of its own; of overview.c only. */
#ifndef GANNET_CLI_SCREEN_OVERVIEW_PARTS_H
#define GANNET_CLI_SCREEN_OVERVIEW_PARTS_H

#include "cli/screen/screen.h"

/* The state, counts, the best, slots, jobs: how many rows it took. */
unsigned head_draw(const struct model *model, struct canvas *canvas, struct area area);

/* The best trials and those that run; one of them is chosen. */
void top_draw(struct model *model, struct canvas *canvas, struct area area);
uint64_t top_rows(const struct model *model);
uint64_t top_trial(const struct model *model);

#endif
