/* From characters to tokens; see token.h. */
#include "search/token.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones first where one begins another. */
static const char *const symbols[] = {"||", "&&", "==", "!=", "<=", ">=", "**", "<", ">", "+",
                                      "-",  "*",  "/",  "%",  "^",  "!",  "(",  ")", ",", "="};

static const char *const reserved[] = {"and", "or", "not", "true", "false", "null"};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool token_is(const struct token *token, const char *word)
{
    return (token->kind == TOKEN_NAME || token->kind == TOKEN_SYMBOL) && strlen(word) == token->length &&
           strncmp(token->start, word, token->length) == 0;
}

/* Digits, a point, digits, an exponent. */
static size_t number_length(const char *text)
{
    static const char digits[] = "0123456789";
    size_t length = strspn(text, digits);
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, digits);
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '+' || text[length + 1] == '-';
        size_t exponent = strspn(text + length + 1 + sign, digits);
        length += exponent ? 1 + sign + exponent : 0;
    }
    return length;
}

static int read_number(struct token *token, struct err *err)
{
    char digits[64];
    token->kind = TOKEN_NUMBER;
    token->length = number_length(token->start);
    if (in_name(token->start[token->length]))
        return err_set(err, "a number runs into a name here; write 2 * x, not 2x");
    if (token->length >= sizeof digits)
        return err_set(err, "this number is too long");
    memcpy(digits, token->start, token->length);
    digits[token->length] = '\0';
    token->number = strtod(digits, NULL);
    return isfinite(token->number) ? 0 : err_set(err, "this number is too large");
}

/* Sets start and length to what is between the quotes. */
static int read_text(struct token *token, struct err *err)
{
    const char *end = strchr(token->start + 1, *token->start);
    if (!end)
        return err_set(err, "this text has no closing %c", *token->start);
    token->kind = TOKEN_TEXT;
    token->start++;
    token->length = (size_t)(end - token->start);
    return 0;
}

/* The longest parameter whose name stands here as a whole; its length, 0 when there is none. */
static size_t find_param(const char *text, const struct space *space, uint32_t *index)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < space_count(space); i++) {
        const char *name = space_param(space, i)->name;
        size_t length = strlen(name);
        if (length > longest && strncmp(text, name, length) == 0 && !in_name(text[length])) {
            longest = length;
            *index = i;
        }
    }
    return longest;
}

static bool is_reserved(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == length && strncmp(reserved[i], word, length) == 0)
            return true;
    return false;
}

/* A name or a parameter, if one stands here. */
static bool read_name(struct token *token, const struct space *space)
{
    const char *text = token->start;
    size_t word = 0;
    while (in_name(text[word]))
        word++;
    bool function = word && text[word + strspn(text + word, " \t")] == '(';
    size_t param = function || is_reserved(text, word) ? 0 : find_param(text, space, &token->param);
    token->kind = param ? TOKEN_PARAM : TOKEN_NAME;
    token->length = param ? param : word;
    return token->length > 0;
}

static bool read_symbol(struct token *token)
{
    token->kind = TOKEN_SYMBOL;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        token->length = strlen(symbols[i]);
        if (strncmp(token->start, symbols[i], token->length) == 0)
            return true;
    }
    return false;
}

static int read_token(struct token *token, const struct space *space, struct err *err)
{
    char first = *token->start;
    if (!first)
        return 0;
    if (first == '\'' || first == '"')
        return read_text(token, err);
    if (isdigit((unsigned char)first) || (first == '.' && isdigit((unsigned char)token->start[1])))
        return read_number(token, err);
    if (read_name(token, space) || read_symbol(token))
        return 0;
    if (first == '&' || first == '|')
        return err_set(err, "a single %c means nothing here; write %c%c", first, first, first);
    return err_set(err, "this character means nothing here");
}

int token_next(const char *text, size_t *at, const struct space *space, struct token *token, struct err *err)
{
    *at += strspn(text + *at, " \t\r\n");
    *token = (struct token){.kind = TOKEN_END, .start = text + *at, .column = *at};
    if (read_token(token, space, err))
        return -1;
    *at = (size_t)(token->start - text) + token->length + (token->kind == TOKEN_TEXT);
    return 0;
}
