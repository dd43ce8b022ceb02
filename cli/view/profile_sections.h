/* What `gannet profile` draws: sections, each in a file of its own (profile_*.c), in the order of the table in
 * profile_sections.c. A section draws nothing when there is nothing to say. */
#ifndef GANNET_CLI_VIEW_PROFILE_SECTIONS_H
#define GANNET_CLI_VIEW_PROFILE_SECTIONS_H

#include "cli/look.h"

#include <jansson.h>

/* Adds a part of the page that cli/data/profile_page.h reads. */
typedef void profile_section(const json_t *page, const struct look *look, struct buf *out);

profile_section profile_verdict_draw, profile_steps_draw;

/* Adds all sections. */
void profile_sections_draw(const json_t *page, const struct look *look, struct buf *out);

/* Operations that were timed; alone, for --operations, also where they were counted only. */
profile_section profile_operations_draw, profile_operations_draw_alone;

/* Adds one that compares two pages: where the time of the second went that the first one did not need. */
void profile_compare_draw(const json_t *page, const json_t *other, const struct look *look, struct buf *out);

#endif
