/* Pictures as SVG: vectors that browsers, word processors and papers take. The same picture is the same text. Whatever
 * names and texts say, they are text. */
#ifndef GANNET_CLI_PLOT_SVG_H
#define GANNET_CLI_PLOT_SVG_H

#include "cli/plot/picture.h"
#include "common/buf.h"
#include "common/err.h"

/* What a file begins with, by which it is known as ours. */
#define SVG_PICTURE_BEGIN "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Written by gannet. -->\n"

/* Adds a whole SVG file, with its colours in it: as on a white page. */
void svg_picture_file(const struct picture *picture, struct buf *out);

/* Adds it as an element of a page of HTML, whose style has what svg_picture_style adds. `id` is its own: of letters,
 * digits and dashes. */
void svg_picture_element(const struct picture *picture, const char *id, struct buf *out);

/* Adds rules of CSS that give the inks their colours by variables: those of a light or of a dark page; and the classes
 * that use them. */
void svg_picture_colours(bool dark, struct buf *out);
void svg_picture_style(struct buf *out);

/* What a file has among its first bytes, by which it is known as ours: the keyword that the format has for the program,
 * with a zero behind it, and the name. */
#define PNG_PICTURE_BEGIN  "\x89PNG\r\n\x1a\n"
#define PNG_PICTURE_WRITER "tEXtSoftware gannet"

/* Overwrites `out` with the PNG, three times as large as the SVG in pixels: sharp in print. -1 with a sentence, which
 * says what to install when the program is not there. */
int svg_to_png(const struct buf *svg, struct buf *out, struct err *err);

#endif
