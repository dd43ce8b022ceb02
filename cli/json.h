/* JSON as the command line writes and reads it. */
#ifndef GANNET_CLI_JSON_H
#define GANNET_CLI_JSON_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds a value on one line, its numbers as short as they read back. */
void json_add(const json_t *json, struct buf *out);

/* The same with a line for each element of an array or member of an object, and a newline at the end. */
void json_add_lines(const json_t *json, struct buf *out);

/* A member that is a number (or the text "nan", "inf", "-inf" for one): false when there is none. */
bool json_number(const json_t *object, const char *member, double *number);

/* A member that is a text; "" when there is none. */
const char *json_text(const json_t *object, const char *member);

/* The first object of an array whose member `name` is this one, borrowed; NULL: none. */
json_t *json_named(const json_t *list, const char *name);

/* Adds a text to an array of texts, unless it is there already. */
void json_add_once(json_t *list, const char *text);

#endif
