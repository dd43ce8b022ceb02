/* Matching lines; see printed_pattern.h. A pattern has few parts and no choices: {any} goes up to the first place where
 * the text behind it stands. All that is looked over so in one line is bounded: else a line of 64 KiB could take
 * seconds. */
#include "worker/program/printed_pattern.h"
#include "worker/program/printed_value.h"

#include <ctype.h>
#include <math.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Behind the text of a part at `at`, or NULL. */
static const char *match_text(const struct line_part *part, const char *at, const char *end)
{
    for (size_t i = 0; i < part->length; i++) {
        if (is_blank(part->text[i]) && i && is_blank(part->text[i - 1])) {
            continue;
        } else if (is_blank(part->text[i])) {
            bool edge = i == 0 || i + 1 == part->length; /* next to a placeholder blanks may be missing */
            if (!edge && !(at < end && is_blank(*at)))
                return NULL;
            at = printed_skip_blanks(at, end);
        } else if (at < end && *at == part->text[i]) {
            at++;
        } else {
            return NULL;
        }
    }
    return at;
}

static const char *match_step(const char *at, const char *end, int64_t *step)
{
    double value;
    bool comma;
    const char *behind = at < end && isdigit((unsigned char)*at) ? printed_value(at, end, &value, &comma) : NULL;
    if (!behind || value >= 1e15 || value != floor(value))
        return NULL;
    *step = (int64_t)value;
    return behind;
}

/* The first place where the next part's text stands; NULL: there is none, or too much was looked over. */
static const char *skip_any(const struct line_part *next, const char *at, const char *end, size_t *looked)
{
    enum { LOOKED_MOST = 1 << 20 };
    for (; at < end && *looked < LOOKED_MOST; at++, ++*looked)
        if (match_text(next, at, end))
            return at;
    return NULL;
}

static const char *match_part(const struct line_part *part, const char *at, const char *end, printed_name_call *name,
                              void *context, struct printed_match *out)
{
    bool comma = false;
    switch (part->kind) {
    case LINE_TEXT:
        return match_text(part, at, end);
    case LINE_VALUE:
        (void)printed_share(at, end, &out->share, &comma);
        at = printed_value(at, end, &out->value, &comma);
        out->comma |= comma;
        return at;
    case LINE_STEP:
        return match_step(at, end, &out->step);
    case LINE_NAME:
        out->name = at;
        out->length = name(context, at, end);
        return out->length ? at + out->length : NULL;
    default:
        return skip_any(part + 1, at, end, &out->looked);
    }
}

static const char *match_here(const struct line_pattern *pattern, const char *at, const char *end,
                              printed_name_call *name, void *context, struct printed_match *out)
{
    *out = (struct printed_match){.step = -1, .at = at, .comma = out->comma, .looked = out->looked};
    for (size_t i = 0; i < pattern->count && at; i++)
        at = match_part(&pattern->parts[i], at, end, name, context, out);
    return at;
}

const char *printed_match(const struct line_pattern *pattern, const char *at, const char *end, printed_name_call *name,
                          void *context, struct printed_match *out)
{
    bool is_word = pattern->parts[0].kind != LINE_TEXT; /* then it begins where a word does */
    const char *start = at;
    *out = (struct printed_match){.step = -1};
    for (; at < end; at++) {
        bool begins = !is_word || at == start || !printed_is_word(at[-1]);
        const char *behind = begins ? match_here(pattern, at, end, name, context, out) : NULL;
        if (behind && behind > at)
            return behind;
    }
    return NULL;
}
