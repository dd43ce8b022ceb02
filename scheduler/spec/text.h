/* The bytes of an experiment file: UTF-8, characters, lines. */
#ifndef GANNET_SCHEDULER_SPEC_TEXT_H
#define GANNET_SCHEDULER_SPEC_TEXT_H

#include "scheduler/spec/problem.h"

#include <stddef.h>
#include <stdint.h>

/* The character that starts at `text`, of at most `length` bytes; its bytes in *size. -1 (and size 1) when it is not
 * UTF-8: a wrong or missing byte, longer than needed, half of a surrogate pair, above U+10FFFF. */
int32_t text_character(const char *text, size_t length, size_t *size);

/* Whether libyaml takes the character as it is; all others have to be escaped in double quotes. */
bool text_plain(int32_t character);

/* How many characters there are in the first `length` bytes; a wrong byte counts as one. */
size_t text_characters(const char *text, size_t length);

/* The largest length of at most `length` bytes that cuts no character in two. */
size_t text_whole(const char *text, size_t length);

/* How many bytes a byte order mark takes at the beginning; 0 when there is none. */
size_t text_order_mark(const char *text, size_t length);

/* Checks that a text is UTF-8 without control characters (tab and line ends are none); else reports the first wrong
 * place and is false. `option`: the override that it is, or NULL. */
bool text_check(const char *text, size_t length, const char *option, struct problems *problems);

/* Whether a line ends with the byte here: '\n', as that of "\r\n", or a '\r' alone. Those of YAML 1.1, U+0085, U+2028
 * and U+2029, end none: editors and programs that count lines take them for characters. */
bool text_ends_line(const char *text);

/* The line and column, both from 1, of a byte. */
struct source_mark text_mark(const char *text, size_t offset);

/* The line of that number, without its end; NULL when there are fewer. */
const char *text_line(const char *text, uint32_t line, size_t *length);

#endif
