/* Characters of texts; see glyph.h. */
#include "cli/screen/glyph.h"

#include <stdbool.h>

struct combining_range {
    uint32_t first, last;
};

/* Nonspacing marks of the scripts that terminals combine (Unicode 15, general categories Mn and Me, and joiners). */
static const struct combining_range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0900, 0x0902},
    {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200c, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

/* East Asian wide characters and emoji. */
static const struct combining_range wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xa960, 0xa97c}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

static bool is_in(uint32_t code, const struct combining_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}
#define IS_IN(code, ranges) is_in(code, ranges, sizeof(ranges) / sizeof *(ranges))

struct glyph glyph_read(const char *text)
{
    struct glyph glyph = {.columns = 1};
    glyph.length = utf8_read(text, &glyph.code);
    if (!glyph.length)
        return (struct glyph){.code = 0xfffd, .length = 1, .columns = 1};
    if (utf8_is_control(glyph.code))
        glyph.code = '?';
    else if (utf8_is_hidden(glyph.code))
        glyph.columns = (unsigned)utf8_escape(glyph.code, glyph.escape);
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
