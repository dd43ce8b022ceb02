/* Characters of texts that may be any bytes, and what becomes of those that can't be seen.
 *
 * A text of a stranger may have characters that take no room and turn the direction of what follows, or that hide a
 * part of it. Where people read (terminals, screens, logs, pages) each is shown as an escape, "\u202e" or "\U000e0041".
 * Where programs read (JSON, CSV, other tools' files) texts stay what they are. Joiners (U+200C, U+200D) and selectors
 * of emoji are a part of writing, and stay. */
#ifndef GANNET_COMMON_UTF8_H
#define GANNET_COMMON_UTF8_H

#include "common/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_ESCAPE = 12 }; /* bytes of the longest escape and its 0 */

/* The bytes of the character of UTF-8 that begins here, and its code; 0: none does. */
size_t utf8_read(const char *text, uint32_t *code);

/* C0, DEL and C1: what terminals obey. */
bool utf8_is_control(uint32_t code);

/* Invisible, or turns the direction of texts, or splits lines. */
bool utf8_is_hidden(uint32_t code);

/* The escape of a hidden one; its length. */
size_t utf8_escape(uint32_t code, char out[UTF8_ESCAPE]);

/* Adds a hidden character's escape, or another one of `length` bytes as it is. */
void utf8_add(const char *text, size_t length, uint32_t code, struct buf *out);

#endif
