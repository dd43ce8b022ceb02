/* One character of a text that may be any bytes: how many bytes, which code point, how many columns of a terminal. The
 * widths are tables of our own, so that a frame is the same whatever the locale. */
#ifndef GANNET_CLI_SCREEN_GLYPH_H
#define GANNET_CLI_SCREEN_GLYPH_H

#include "common/utf8.h"

struct glyph {
    uint32_t code;            /* U+FFFD: no UTF-8; '?': a control character */
    size_t length;            /* bytes, at least 1 */
    unsigned columns;         /* 0: it combines with the one before; 1; 2; more: those of the escape */
    char escape[UTF8_ESCAPE]; /* what is shown for one that can't be seen; else empty */
};

/* The first character of a text that is not empty. */
struct glyph glyph_read(const char *text);

/* Columns that a text takes; control characters count as the one that is shown for them. */
unsigned glyph_width(const char *text);

#endif
