/* PNG of an SVG file, by librsvg's program rsvg-convert, where that is installed: nothing else draws the same. */
#ifndef GANNET_CLI_PLOT_PNG_H
#define GANNET_CLI_PLOT_PNG_H

#include "common/buf.h"
#include "common/err.h"

/* What a file has among its first bytes, by which it is known as ours: the keyword that the format has for the program,
 * with a zero behind it, and the name. */
#define PNG_PICTURE_BEGIN  "\x89PNG\r\n\x1a\n"
#define PNG_PICTURE_WRITER "tEXtSoftware gannet"

/* Overwrites `out` with the PNG, three times as large as the SVG in pixels: sharp in print. -1 with a sentence, which
 * says what to install when the program is not there. */
int png_of_svg(const struct buf *svg, struct buf *out, struct err *err);

#endif
