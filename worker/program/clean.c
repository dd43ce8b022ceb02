/* Clean text; see clean.h. */
#include "worker/program/clean.h"

#include <stdbool.h>

/* The length of the UTF-8 character at `at`, 0 when there is none. */
static size_t utf8_length(const unsigned char *at, size_t left)
{
    static const unsigned char first[][2] = {{0xc2, 0xdf}, {0xe0, 0xef}, {0xf0, 0xf4}};
    if (*at < 0x80)
        return 1;
    for (size_t more = 1; more <= 3; more++) {
        if (*at < first[more - 1][0] || *at > first[more - 1][1])
            continue;
        if (left <= more)
            return 0;
        for (size_t i = 1; i <= more; i++)
            if ((at[i] & 0xc0) != 0x80)
                return 0;
        /* Longer than needed, a surrogate, or beyond the last one. */
        bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) ||
                   (*at == 0xf4 && at[1] > 0x8f);
        return bad ? 0 : more + 1;
    }
    return 0;
}

void clean_text(const char *bytes, size_t length, struct buf *out)
{
    for (size_t i = 0, step; i < length; i += step) {
        const unsigned char *at = (const unsigned char *)bytes + i;
        step = utf8_length(at, length - i);
        bool control = *at == 0x7f || (*at < ' ' && *at != '\n' && *at != '\t');
        if (*at == '\r')
            buf_text(out, "\n");
        else
            buf_add(out, step && !control ? (const char *)at : "?", step && !control ? step : 1);
        step += !step;
    }
}
