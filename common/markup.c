/* Texts in markup; see markup.h. */
#include "common/markup.h"

#include <stdbool.h>

size_t markup_letter(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : 0;
    if (*at >= 0xf0 && *at < 0xf5)
        length = 4;
    if (length == 1)
        return *at >= ' ' && *at != 0x7f;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf0 && at[1] < 0x90) ||
               (*at == 0xf4 && at[1] >= 0x90) || (*at == 0xf4 && at[1] >= 0x90) ||
               (*at == 0xef && at[1] == 0xbf && at[2] >= 0xbe) || (*at == 0xc2 && at[1] < 0xa0);
    return bad ? 0 : length;
}

void markup_text(const char *text, struct buf *out)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = markup_letter((const char *)at);
        const char *safe = *at == '<'    ? "&lt;"
                           : *at == '>'  ? "&gt;"
                           : *at == '&'  ? "&amp;"
                           : *at == '"'  ? "&quot;"
                           : *at == '\'' ? "&#39;"
                           : !length     ? "?"
                                         : NULL;
        if (safe)
            buf_text(out, safe);
        else
            buf_add(out, at, length);
        at += length ? length : 1;
    }
}
