/* Frames of the screen, for tests: a model to draw, and what was drawn. */
#ifndef GANNET_TESTS_FRAMES_H
#define GANNET_TESTS_FRAMES_H

#include "cli/screen/frame.h"

extern const struct look frames_ascii, frames_unicode;

/* A model of a search on its way; hostile words stand wherever a person's or a program's do. */
struct model frames_model(const char *name);

/* The frame as text; free() it. */
char *frames_draw(struct model *model, unsigned rows, unsigned columns, const struct look *look);

/* Fails, and prints the frame, unless it has this text. */
void frames_have(struct model *model, unsigned rows, unsigned columns, const char *text);

#endif
