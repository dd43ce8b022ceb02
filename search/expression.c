/* Reading a constraint; see expression.h.
 *
 * A parser that climbs precedences: read a prefix, then, as long as an operator of at least the wanted precedence
 * follows, its right side. Each step is written behind those of its operands, so the program needs only a stack.
 * Brackets may be nested DEEPEST deep; longer chains (a + b + c ...) need no depth. */
#include "search/part.h"
#include "search/expression_program.h"
#include "search/token.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct parser {
    const char *text;
    size_t at; /* behind `token` */
    const struct space *space;
    const struct expression_words *words;
    struct token token; /* the one to be looked at */
    struct expression *program;
    size_t waiting; /* operands on the stack when the program has run so far */
    unsigned depth; /* of the recursion */
    size_t error_column;
    struct err *err;
};

#define FAIL(parser, where, ...) ((parser)->error_column = (where), err_set((parser)->err, __VA_ARGS__))

/* --- writing the program --- */

/* Adds a step that leaves `change` more operands on the stack than before. */
static int emit_step(struct parser *parser, struct expression_step step, int change)
{
    struct expression *program = parser->program;
    MEM_GROW(program->steps, program->capacity, program->count + 1);
    program->steps[program->count++] = step;
    parser->waiting = (size_t)((int)parser->waiting + change);
    return parser->waiting < PROGRAM_STACK ? 0 : FAIL(parser, parser->token.column, "this is nested too deeply");
}

static int advance_token(struct parser *parser)
{
    int result = token_next(parser->text, &parser->at, parser->space, &parser->token, parser->err);
    if (result)
        parser->error_column = parser->token.column;
    return result;
}

/* --- operators between two parts --- */

static double add_numbers(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

enum { LOOSEST = 1, NOT_BINDS = 3, COMPARES = 4, POWER_BINDS = 7 };

static const struct infix {
    const char *text;
    int binds;      /* precedence */
    unsigned takes; /* the kind of both sides; 0: two that can be equal */
    unsigned gives;
    struct expression_step step;
} infixes[] = {
    {"or", LOOSEST, OPERAND_TRUTH, OPERAND_TRUTH, {.code = STEP_OR}},
    {"||", LOOSEST, OPERAND_TRUTH, OPERAND_TRUTH, {.code = STEP_OR}},
    {"and", 2, OPERAND_TRUTH, OPERAND_TRUTH, {.code = STEP_AND}},
    {"&&", 2, OPERAND_TRUTH, OPERAND_TRUTH, {.code = STEP_AND}},
    {"==", COMPARES, 0, OPERAND_TRUTH, {.code = STEP_EQUAL}},
    {"!=", COMPARES, 0, OPERAND_TRUTH, {.code = STEP_UNEQUAL}},
    {"<", COMPARES, OPERAND_NUMBER, OPERAND_TRUTH, {.code = STEP_LESS}},
    {"<=", COMPARES, OPERAND_NUMBER, OPERAND_TRUTH, {.code = STEP_LESS_EQUAL}},
    {">", COMPARES, OPERAND_NUMBER, OPERAND_TRUTH, {.code = STEP_GREATER}},
    {">=", COMPARES, OPERAND_NUMBER, OPERAND_TRUTH, {.code = STEP_GREATER_EQUAL}},
    {"+", 5, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = add_numbers}},
    {"-", 5, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = subtract}},
    {"*", 6, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = multiply}},
    {"/", 6, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = divide}},
    {"%", 6, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = fmod}},
    {"^", POWER_BINDS, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = pow}},
    {"**", POWER_BINDS, OPERAND_NUMBER, OPERAND_NUMBER, {.code = STEP_CALL_TWO, .two = pow}},
};

static const struct infix *find_infix(const struct token *token)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (token_is(token, infixes[i].text))
            return &infixes[i];
    return NULL;
}

static int parse_infix(struct parser *parser, int least, struct expression_part *out);

static int need_kind(struct parser *parser, const struct expression_part *part, unsigned kind, const char *by)
{
    return part_need(part, kind, by, &parser->error_column, parser->err);
}

/* The operator and its right side; `left` becomes the whole. */
static int parse_right(struct parser *parser, const struct infix *infix, struct expression_part *left)
{
    struct expression_part right;
    bool to_the_right = infix->binds == POWER_BINDS;
    if (advance_token(parser) || parse_infix(parser, infix->binds + !to_the_right, &right))
        return -1;
    if (infix->takes
            ? need_kind(parser, left, infix->takes, infix->text) || need_kind(parser, &right, infix->takes, infix->text)
            : part_check_equal(left, &right, &parser->error_column, parser->err))
        return -1;
    *left = (struct expression_part){.kinds = infix->gives, .column = left->column};
    return emit_step(parser, infix->step, -1);
}

/* --- parts without operators between them --- */

static int parse_prefix(struct parser *parser, struct expression_part *out);

static int parse_infix_inside(struct parser *parser, int least, struct expression_part *out)
{
    if (parse_prefix(parser, out))
        return -1;
    bool compared = false;
    for (const struct infix *infix; (infix = find_infix(&parser->token)) && infix->binds >= least;) {
        if (compared && infix->binds == COMPARES)
            return FAIL(parser, parser->token.column, "a chain of comparisons; write a < b and b < c");
        compared = infix->binds == COMPARES;
        if (parse_right(parser, infix, out))
            return -1;
    }
    return 0;
}

static int parse_infix(struct parser *parser, int least, struct expression_part *out)
{
    if (parser->depth == DEEPEST)
        return FAIL(parser, parser->token.column, "this is nested more than %d levels deep", DEEPEST);
    parser->depth++;
    int result = parse_infix_inside(parser, least, out);
    parser->depth--;
    return result;
}

static const struct expression_function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double); /* of two or more, from left to right */
} functions[] = {
    {"min", NULL, fmin},    {"max", NULL, fmax},    {"abs", fabs, NULL},    {"log", log, NULL},
    {"log2", log2, NULL},   {"log10", log10, NULL}, {"exp", exp, NULL},     {"sqrt", sqrt, NULL},
    {"floor", floor, NULL}, {"ceil", ceil, NULL},   {"round", round, NULL},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int fail_at_assignment(struct parser *parser)
{
    return FAIL(parser, parser->token.column, "'=' means nothing here; write == to compare");
}

static int expect_symbol(struct parser *parser, const char *symbol)
{
    if (token_is(&parser->token, symbol))
        return advance_token(parser);
    if (token_is(&parser->token, "="))
        return fail_at_assignment(parser);
    return FAIL(parser, parser->token.column, "'%s' is missing here", symbol);
}

/* The arguments, the first bracket being read. */
static int parse_arguments(struct parser *parser, const struct expression_function *function)
{
    size_t count = 0;
    do {
        struct expression_part part;
        size_t column = parser->token.column;
        if (count == 1 && function->one)
            return FAIL(parser, column, "%s takes one number", function->name);
        if ((count > 0 && advance_token(parser)) || parse_infix(parser, LOOSEST, &part) ||
            need_kind(parser, &part, OPERAND_NUMBER, function->name))
            return -1;
        if (count > 0 && emit_step(parser, (struct expression_step){.code = STEP_CALL_TWO, .two = function->two}, -1))
            return -1;
        count++;
    } while (token_is(&parser->token, ","));
    if (count < 2 && function->two)
        return FAIL(parser, parser->token.column, "%s takes two numbers or more", function->name);
    return 0;
}

static int parse_function(struct parser *parser, const struct expression_function *function,
                          struct expression_part *out)
{
    out->kinds = OPERAND_NUMBER;
    if (advance_token(parser) || expect_symbol(parser, "(") || parse_arguments(parser, function))
        return -1;
    if (function->one && emit_step(parser, (struct expression_step){.code = STEP_CALL_ONE, .one = function->one}, 0))
        return -1;
    return expect_symbol(parser, ")");
}

/* Whether some parameter has this text as a value. */
static bool is_value(const struct parser *parser, const char *name)
{
    for (uint32_t i = 0; i < space_count(parser->space); i++) {
        const struct param *param = space_param(parser->space, i);
        for (uint32_t j = 0; j < param->count; j++)
            if (param->values[j].kind == VALUE_TEXT && strcmp(param->values[j].text, name) == 0)
                return true;
    }
    return false;
}

/* Whether == or != stands before the token. */
static bool is_compared(const struct parser *parser)
{
    size_t at = parser->token.column;
    while (at > 0 && parser->text[at - 1] == ' ')
        at--;
    return at > 1 && parser->text[at - 1] == '=' && (parser->text[at - 2] == '=' || parser->text[at - 2] == '!');
}

static int fail_at_name(struct parser *parser, const char *name, const char *meant)
{
    const char *noun = parser->words->operand;
    size_t column = parser->token.column;
    if (is_value(parser, name) || (!meant && is_compared(parser)))
        return FAIL(parser, column, "there is no %s '%s'; a text stands in quotes: write '%s'", noun, name, name);
    return meant ? FAIL(parser, column, "there is no %s '%s'; did you mean '%s'?", noun, name, meant)
                 : FAIL(parser, column, "there is no %s '%s'", noun, name);
}

static int unknown_name(struct parser *parser)
{
    size_t params = space_count(parser->space), count = 0;
    const char **names = MEM_ARRAY(const char *, params + FUNCTIONS + 3);
    for (; count < params; count++)
        names[count] = space_param(parser->space, (uint32_t)count)->name;
    for (size_t i = 0; i < FUNCTIONS; i++)
        names[count++] = functions[i].name;
    names[count++] = "true";
    names[count++] = "false";
    names[count++] = "null";
    char *name = mem_text_n(parser->token.start, parser->token.length);
    int result = fail_at_name(parser, name, suggest_nearest(name, names, count));
    free(name);
    free(names);
    return result;
}

static int push_part(struct parser *parser, struct operand operand, struct expression_part *out)
{
    if (emit_step(parser, (struct expression_step){.code = STEP_PUSH, .operand = operand}, 1))
        return -1;
    out->kinds = operand.kind;
    out->is_literal = true;
    out->literal = operand;
    return advance_token(parser);
}

static int parse_text(struct parser *parser, struct expression_part *out)
{
    struct expression *program = parser->program;
    char *text = mem_text_n(parser->token.start, parser->token.length);
    MEM_GROW(program->texts, program->text_capacity, program->text_count + 1);
    program->texts[program->text_count++] = text;
    return push_part(parser, (struct operand){.kind = OPERAND_TEXT, .text = text}, out);
}

static int parse_param(struct parser *parser, struct expression_part *out)
{
    struct expression *program = parser->program;
    uint32_t param = parser->token.param;
    MEM_GROW(program->params, program->param_capacity, program->param_count + 1);
    program->params[program->param_count++] = param;
    out->param = space_param(parser->space, param);
    out->kinds = part_kinds(out->param);
    return emit_step(parser, (struct expression_step){.code = STEP_READ, .param = param}, 1) ? -1
                                                                                             : advance_token(parser);
}

static int parse_name(struct parser *parser, struct expression_part *out)
{
    if (token_is(&parser->token, "true") || token_is(&parser->token, "false"))
        return push_part(parser, (struct operand){.kind = OPERAND_TRUTH, .truth = token_is(&parser->token, "true")},
                         out);
    if (token_is(&parser->token, "null"))
        return push_part(parser, (struct operand){.kind = OPERAND_NULL}, out);
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (token_is(&parser->token, functions[i].name))
            return parse_function(parser, &functions[i], out);
    if (find_infix(&parser->token))
        return FAIL(parser, parser->token.column, "something is missing before this");
    return unknown_name(parser);
}

static int parse_plain(struct parser *parser, struct expression_part *out)
{
    switch (parser->token.kind) {
    case TOKEN_NUMBER:
        return push_part(parser, (struct operand){.kind = OPERAND_NUMBER, .number = parser->token.number}, out);
    case TOKEN_TEXT:
        return parse_text(parser, out);
    case TOKEN_PARAM:
        return parse_param(parser, out);
    case TOKEN_NAME:
        return parse_name(parser, out);
    case TOKEN_SYMBOL:
        return FAIL(parser, parser->token.column, "something is missing before this");
    case TOKEN_END:
        break;
    }
    return FAIL(parser, parser->token.column, "something is missing at the end");
}

static const struct prefix {
    const char *text;
    int binds;     /* precedence of what it stands before */
    unsigned kind; /* that it takes and gives */
    bool acts;     /* + does nothing */
    enum step_code code;
} prefixes[] = {
    {"-", POWER_BINDS, OPERAND_NUMBER, true, STEP_NEGATE},
    {"+", POWER_BINDS, OPERAND_NUMBER, false, STEP_NEGATE},
    {"not", NOT_BINDS, OPERAND_TRUTH, true, STEP_NOT},
    {"!", NOT_BINDS, OPERAND_TRUTH, true, STEP_NOT},
};

static const struct prefix *find_prefix(const struct token *token)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (token_is(token, prefixes[i].text))
            return &prefixes[i];
    return NULL;
}

static int parse_bracket(struct parser *parser, struct expression_part *out)
{
    size_t column = out->column;
    if (advance_token(parser) || parse_infix(parser, LOOSEST, out) || expect_symbol(parser, ")"))
        return -1;
    out->column = column;
    return 0;
}

/* `out` is emptied first, so that what follows only fills in what it knows. */
static int parse_prefix(struct parser *parser, struct expression_part *out)
{
    *out = (struct expression_part){.column = parser->token.column};
    const struct prefix *prefix = find_prefix(&parser->token);
    if (!prefix)
        return token_is(&parser->token, "(") ? parse_bracket(parser, out) : parse_plain(parser, out);
    struct expression_part part;
    if (advance_token(parser) || parse_infix(parser, prefix->binds, &part) ||
        need_kind(parser, &part, prefix->kind, prefix->text))
        return -1;
    out->kinds = prefix->kind;
    return prefix->acts ? emit_step(parser, (struct expression_step){.code = prefix->code}, 0) : 0;
}

/* --- the whole --- */

static int parse_whole(struct parser *parser)
{
    struct expression_part whole;
    if (advance_token(parser) || parse_infix(parser, LOOSEST, &whole))
        return -1;
    if (token_is(&parser->token, "="))
        return fail_at_assignment(parser);
    if (parser->token.kind != TOKEN_END)
        return FAIL(parser, parser->token.column, "an operator is missing before this");
    if (whole.kinds != OPERAND_TRUTH)
        return FAIL(parser, whole.column, "this is %s; %s", part_kind_words(whole.kinds), parser->words->whole);
    return 0;
}

struct expression *expression_parse(const char *text, const struct space *space, size_t *column, struct err *err)
{
    static const struct expression_words words = {"parameter", "a constraint must be true or false, like width <= 512"};
    return expression_parse_as(text, space, &words, column, err);
}

struct expression *expression_parse_as(const char *text, const struct space *space,
                                       const struct expression_words *words, size_t *column, struct err *err)
{
    struct parser parser = {
        .text = text, .space = space, .words = words, .program = MEM_NEW(struct expression), .err = err};
    if (parse_whole(&parser) == 0)
        return parser.program;
    *column = parser.error_column;
    expression_destroy(parser.program);
    return NULL;
}

void expression_destroy(struct expression *expression)
{
    if (!expression)
        return;
    for (size_t i = 0; i < expression->text_count; i++)
        free(expression->texts[i]);
    free(expression->texts);
    free(expression->params);
    free(expression->steps);
    free(expression);
}

size_t expression_reads(const struct expression *expression, const uint32_t **params)
{
    *params = expression->params;
    return expression->param_count;
}
