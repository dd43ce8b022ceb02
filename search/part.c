/* The kinds of things in constraints; see part.h. */
#include "search/part.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned part_kinds(const struct param *param)
{
    if (param->kind != PARAM_CHOICE && param->kind != PARAM_CONSTANT)
        return OPERAND_NUMBER;
    unsigned kinds = 0;
    for (uint32_t i = 0; i < param->count; i++)
        kinds |= operand_of_value(&param->values[i]).kind;
    return kinds;
}

const char *part_kind_words(unsigned kinds)
{
    switch (kinds) {
    case OPERAND_NUMBER:
        return "a number";
    case OPERAND_TRUTH:
        return "true or false";
    case OPERAND_TEXT:
        return "a text";
    case OPERAND_NULL:
        return "null";
    default:
        return "not always of one kind";
    }
}

/* "'optimizer'", or "this". */
static const char *name_of(const struct expression_part *part, char *out, size_t size)
{
    snprintf(out, size, part->param ? "'%s'" : "this", part->param ? part->param->name : "");
    return out;
}

int part_need(const struct expression_part *part, unsigned kind, const char *by, size_t *column, struct err *err)
{
    char name[80];
    if (part->kinds == kind)
        return 0;
    *column = part->column;
    return err_set(err, "%s is %s, but '%s' needs %s", name_of(part, name, sizeof name), part_kind_words(part->kinds),
                   by, kind == OPERAND_NUMBER ? "numbers" : "true or false");
}

/* A choice compared with a text that it never is: most likely mistyped. */
static int check_choice(const struct expression_part *part, const struct expression_part *other, size_t *column,
                        struct err *err)
{
    const struct param *param = part->param;
    if (!param || param->kind != PARAM_CHOICE || !other->is_literal || other->literal.kind != OPERAND_TEXT)
        return 0;
    const char **texts = MEM_ARRAY(const char *, param->count);
    size_t count = 0;
    bool found = false;
    for (uint32_t i = 0; i < param->count && !found; i++)
        if (param->values[i].kind == VALUE_TEXT || param->values[i].kind == VALUE_LIST) {
            texts[count++] = param->values[i].text;
            found = strcmp(param->values[i].text, other->literal.text) == 0;
        }
    const char *meant = found ? NULL : suggest_nearest(other->literal.text, texts, count);
    free(texts);
    if (found)
        return 0;
    *column = other->column;
    return meant ? err_set(err, "'%s' is never '%s'; did you mean '%s'?", param->name, other->literal.text, meant)
                 : err_set(err, "'%s' is never '%s'", param->name, other->literal.text);
}

/* Whether an optional operand has a value. */
static bool is_null_test(const struct expression_part *part, const struct expression_part *other)
{
    return part->param && part->param->optional && other->is_literal && other->literal.kind == OPERAND_NULL;
}

/* Whether a name without quotes is what the other has as a text: state == failed. */
static bool lacks_quotes(const struct expression_part *part, const struct expression_part *other)
{
    for (uint32_t i = 0; part->param && other->param && i < other->param->count; i++) {
        const struct value *value = &other->param->values[i];
        if (value->kind == VALUE_TEXT && strcmp(value->text, part->param->name) == 0)
            return true;
    }
    return false;
}

int part_check_equal(const struct expression_part *left, const struct expression_part *right, size_t *column,
                     struct err *err)
{
    char name[80];
    if ((left->kinds & right->kinds) || is_null_test(left, right) || is_null_test(right, left))
        return check_choice(left, right, column, err) ? -1 : check_choice(right, left, column, err);
    const struct expression_part *bare = lacks_quotes(right, left) ? right : lacks_quotes(left, right) ? left : NULL;
    *column = bare ? bare->column : right->column;
    if (bare)
        return err_set(err, "a text stands in quotes: write '%s' or \"%s\"", bare->param->name, bare->param->name);
    return err_set(err, "%s is %s and can't equal %s", name_of(right, name, sizeof name), part_kind_words(right->kinds),
                   part_kind_words(left->kinds));
}
