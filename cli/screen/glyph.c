/* Characters of texts; see glyph.h. */
#include "cli/screen/glyph.h"

#include <stdbool.h>

struct range {
    uint32_t first, last;
};

/* Nonspacing marks of the scripts that terminals combine (Unicode 15, general categories Mn and Me, and joiners). */
static const struct range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0900, 0x0902},
    {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

/* East Asian wide characters and emoji. */
static const struct range wide[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},
                                    {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                    {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                    {0x20000, 0x3fffd}};

/* Controls, and what turns the direction of texts or splits lines. */
static const struct range controls[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f},
                                        {0x2028, 0x202e}, {0x2060, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

static bool is_in(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}
#define IS_IN(code, ranges) is_in(code, ranges, sizeof(ranges) / sizeof *(ranges))

/* Bytes of the character that begins with this one; 0: none does. */
static size_t length_of(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* Its code point, as long as the bytes behind the first go on with it; 0xfffd when they don't, or it has none. */
static uint32_t decode(const unsigned char *text, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0xfffd;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || surrogate || code > 0x10ffff ? 0xfffd : code;
}

struct glyph glyph_read(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = length_of(bytes[0]);
    struct glyph glyph = {.code = length ? decode(bytes, length) : 0xfffd, .length = length, .columns = 1};
    if (glyph.code == 0xfffd)
        glyph.length = length == 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] == 0xbd ? 3 : 1;
    else if (IS_IN(glyph.code, controls))
        glyph.code = '?';
    else if (glyph.code >= 0x300)
        glyph.columns = IS_IN(glyph.code, combining) ? 0 : IS_IN(glyph.code, wide) ? 2 : 1;
    return glyph;
}

unsigned glyph_width(const char *text)
{
    unsigned width = 0;
    while (*text) {
        struct glyph glyph = glyph_read(text);
        width += glyph.columns;
        text += glyph.length;
    }
    return width;
}
