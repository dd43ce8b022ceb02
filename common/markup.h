/* Texts of strangers as text of XML and HTML, in elements and in attributes with quotes. */
#ifndef GANNET_COMMON_MARKUP_H
#define GANNET_COMMON_MARKUP_H

#include "common/buf.h"

/* Adds a text: what has a meaning in markup is escaped, what is no UTF-8 or no character of XML becomes '?', and what
 * can't be seen is shown (common/utf8.h). */
void markup_text(const char *text, struct buf *out);

/* How many bytes of UTF-8 begin here; 0: it is none, or a character that XML has not. *shown: the letters that it is
 * shown as. */
size_t markup_letter(const char *text, size_t *shown);

#endif
