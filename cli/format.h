/* Small things put into words: numbers, texts from strangers, shell words, counts. */
#ifndef GANNET_CLI_FORMAT_H
#define GANNET_CLI_FORMAT_H

#include "cli/look.h"
#include "common/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A number with at most six digits, for people: "0.97222", "1e-05", "nan". The text is in `out` or constant. */
const char *format_number(double number, char *out, size_t size);

/* Adds a text from elsewhere (a parameter's value, a program's output) so that it can't move the cursor or change
 * colours: control characters and broken UTF-8 become '?'. Newlines too. What can't be seen is an escape
 * (common/utf8.h). */
void format_safe(const char *text, struct buf *out);

/* The same for text of several lines: newlines and tabs stay, a carriage return (a bar of progress) begins a line. */
void format_safe_lines(const char *text, size_t length, struct buf *out);

/* Columns that a text takes: its characters, combining or wide ones counted as one. */
size_t format_width(const char *text);

/* The last line of a text that has more than blanks, without them; *length: 0 when there is none. */
const char *format_last_line(const char *text, size_t *length);

/* Adds at most `width` columns of a text; a cut one ends in "..." or an ellipsis. */
void format_cut(const struct look *look, const char *text, size_t width, struct buf *out);

/* The same, cut in its middle: what tells names apart may be at their ends. */
void format_cut_middle(const struct look *look, const char *text, size_t width, struct buf *out);

/* Adds a text in lines of at most `width` columns, each ended by a line break: it is broken between words, and within
 * one that is longer than a line. Width 0: one line. */
void format_wrap(const char *text, size_t width, struct buf *out);

/* The same with `indent` blanks before each line but the first, which begins at the column `at`. */
void format_hang(const char *text, size_t at, size_t indent, size_t width, struct buf *out);

/* Adds a list of whole numbers as ranges: "0-3,8"; "-" when it is empty. */
void format_ranges(const json_t *list, struct buf *out);

/* Adds a text as one word of the shell, in quotes when it needs them; control characters as $'\033', which bash, zsh
 * and ksh read; so is what can't be seen. */
void format_shell(const char *text, struct buf *out);

/* Adds a text as a field of CSV, in quotes when a comma, quote or line break is in it; other control characters become
 * '?': JSON has them. One that a spreadsheet would take for a formula (=, +, -, @, a tab first) has a ' in front. */
void format_csv(const char *text, struct buf *out);

/* Adds "1 trial", "3 trials". */
void format_count(uint64_t count, const char *noun, struct buf *out);

/* The sentence for a name that is none of `names`; is -1. ("there is no command", "rnu", ..., "commands") makes "there
 * is no command 'rnu'; did you mean 'run'? The commands: run, check". */
int format_unknown(const char *what, const char *written, const char *const *names, size_t count, const char *plural,
                   struct err *err);

/* Adds a scalar as people read it: texts without quotes and made safe for a terminal, reals with six digits, null and
 * missing as "-"; arrays and objects as JSON. */
void format_scalar(const json_t *json, struct buf *out);

/* Adds the members of a params object as "lr=0.001 width=64", values as people read them; `separator` between them. */
void format_params(const json_t *params, const char *separator, struct buf *out);

/* Adds what a trial came to: "  loss 0.1  accuracy 0.97", a part for each metric that it is judged by. */
void format_values(const json_t *trial, struct buf *out);

/* Adds a line "  name   value" for each member of an object; that of the name `strong` stands out. */
void format_members(const json_t *object, const char *strong, const struct look *look, struct buf *out);

/* Adds the members of a params object as arguments of a program: "--lr=0.001 --width=64", exact, quoted for the
 * shell. */
void format_args(const json_t *params, struct buf *out);

#endif
