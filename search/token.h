/* The words of a constraint: numbers, texts, names, parameters and symbols; see expression.h. */
#ifndef GANNET_SEARCH_TOKEN_H
#define GANNET_SEARCH_TOKEN_H

#include "search/space.h"

#include <stddef.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_TEXT,  /* in quotes; start and length are of what is between them */
    TOKEN_PARAM, /* the name of a parameter */
    TOKEN_NAME,  /* another name: and, or, not, true, false, null, a function, or a mistake */
    TOKEN_SYMBOL
};

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    size_t column;  /* from 0 */
    double number;  /* of TOKEN_NUMBER */
    uint32_t param; /* of TOKEN_PARAM: its index */
};

/* Reads the token at text + *at and moves *at behind it. Names may contain dots; a parameter is recognized whatever its
 * name contains (the longest one that fits), unless a function's bracket follows. -1 with a sentence; token->column is
 * where. */
int token_next(const char *text, size_t *at, const struct space *space, struct token *token, struct err *err);

/* Whether it is this name or symbol. */
bool token_is(const struct token *token, const char *word);

#endif
