/* What the files of a trial's page share. */
#ifndef GANNET_CLI_SCREEN_TRIAL_PARTS_H
#define GANNET_CLI_SCREEN_TRIAL_PARTS_H

#include "cli/screen/screen.h"

/* A part of the page as it is written: line by line on a canvas of its own, of which the screen shows a window. */
struct trial_sheet {
    const struct model *model;
    const json_t *section, *trial, *best; /* `best`: {trial, params, ...}, or null */
    struct canvas *canvas;
    struct area area;
    unsigned row; /* the next line */
};

/* A line of a text, and of a format; texts that are longer than a line go on in the next one. */
void sheet_line(struct trial_sheet *sheet, enum tint tint, const char *text);
void sheet_print(struct trial_sheet *sheet, enum tint tint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_heading(struct trial_sheet *sheet, const char *text);

/* The lines of a text. */
void sheet_text(struct trial_sheet *sheet, enum tint tint, const char *text);

/* The parts. */
void trial_draw_summary(struct trial_sheet *sheet);
void trial_draw_curve(struct trial_sheet *sheet);
void trial_draw_time(struct trial_sheet *sheet);
void trial_draw_attempts(struct trial_sheet *sheet);
void trial_draw_output(struct trial_sheet *sheet);
void trial_draw_files(struct trial_sheet *sheet);

/* The command that repeats it, as a person types it here; "" when there is none. */
void trial_command(const struct model *model, struct buf *out);

#endif
