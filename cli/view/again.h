/* "Train it again": the command that repeats a trial by hand. */
#ifndef GANNET_CLI_VIEW_AGAIN_H
#define GANNET_CLI_VIEW_AGAIN_H

#include "cli/look.h"
#include "common/buf.h"

#include <jansson.h>

/* `trial` as docs/json.md has it; of one that was stopped early it is said that the command goes beyond that. */
void again_draw(const json_t *trial, const char *command, const struct look *look, struct buf *out);

#endif
