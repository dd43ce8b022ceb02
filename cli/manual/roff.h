/* Text in the language of manual pages, man(7). */
#ifndef GANNET_CLI_MANUAL_ROFF_H
#define GANNET_CLI_MANUAL_ROFF_H

#include "common/buf.h"

#include <stddef.h>

/* Adds the beginning of a page: "gannet-run", section 1; words are not broken. */
void roff_title(const char *name, int section, struct buf *out);

/* Adds ".SH" or ".SS" and the heading. */
void roff_heading(const char *macro, const char *heading, struct buf *out);

/* Adds `length` bytes of text as they are read: what means something to roff is escaped. */
void roff_text(const char *text, size_t length, struct buf *out);

/* Adds an entry of a list: the term in bold, then what it is. */
void roff_entry(const char *term, const char *meaning, struct buf *out);

/* Adds lines that stay as they are. */
void roff_lines(const char *text, struct buf *out);

/* Adds paragraphs, which empty lines separate; those that begin with a space stay as they are. */
void roff_paragraphs(const char *text, struct buf *out);

/* Adds a page of Markdown: headings, paragraphs, lists, tables, fenced code, bold, code and links. Its title is left
 * out. */
void roff_markdown(const char *text, struct buf *out);

#endif
