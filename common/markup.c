/* Texts in markup; see markup.h. */
#include "common/markup.h"
#include "common/utf8.h"

size_t markup_letter(const char *text, size_t *shown)
{
    uint32_t code = 0;
    char escape[UTF8_ESCAPE];
    size_t length = utf8_read(text, &code);
    bool bad = utf8_is_control(code) || code == 0xfffe || code == 0xffff;
    *shown = !bad && utf8_is_hidden(code) ? utf8_escape(code, escape) : 1;
    return length && !bad ? length : 0;
}

void markup_text(const char *text, struct buf *out)
{
    while (*text) {
        uint32_t code = 0;
        size_t shown, length = markup_letter(text, &shown);
        const char *safe = *text == '<'    ? "&lt;"
                           : *text == '>'  ? "&gt;"
                           : *text == '&'  ? "&amp;"
                           : *text == '"'  ? "&quot;"
                           : *text == '\'' ? "&#39;"
                           : !length       ? "?"
                                           : NULL;
        if (safe)
            buf_text(out, safe);
        else if (utf8_read(text, &code))
            utf8_add(text, length, code, out);
        text += length ? length : 1;
    }
}
