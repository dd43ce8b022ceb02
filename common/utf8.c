/* Characters of texts; see utf8.h. */
#include "common/utf8.h"

#include <stdio.h>

/* Unicode's default ignorable characters and format characters (DerivedCoreProperties.txt, general category Cf) without
 * those that writing needs, and the separators of lines and paragraphs. */
static const struct hidden_range {
    uint32_t first, last;
} hidden[] = {{0x00ad, 0x00ad}, {0x061c, 0x061c},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
              {0x180e, 0x180e}, {0x200b, 0x200b},   {0x200e, 0x200f},   {0x2028, 0x202e},
              {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
              {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

size_t utf8_read(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    uint32_t read = length < 2 ? *at : *at & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        read = read << 6 | (at[i] & 0x3f);
    }
    if (length && (read < least[length] || (read >= 0xd800 && read <= 0xdfff) || read > 0x10ffff))
        return 0;
    *code = read;
    return length;
}

bool utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool utf8_is_hidden(uint32_t code)
{
    if (code < hidden[0].first)
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return true;
    return false;
}

size_t utf8_escape(uint32_t code, char out[UTF8_ESCAPE])
{
    return (size_t)snprintf(out, UTF8_ESCAPE, code > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code);
}

void utf8_add(const char *text, size_t length, uint32_t code, struct buf *out)
{
    char escape[UTF8_ESCAPE];
    if (utf8_is_hidden(code))
        buf_add(out, escape, utf8_escape(code, escape));
    else
        buf_add(out, text, length);
}
