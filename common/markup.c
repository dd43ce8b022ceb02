/* Texts in markup; see markup.h. */
#include "common/markup.h"
#include "common/letter.h"

size_t markup_letter(const char *text, size_t *shown)
{
    uint32_t code = 0;
    char escape[LETTER_ESCAPE];
    size_t length = letter_read(text, &code);
    bool bad = letter_is_control(code) || code == 0xfffe || code == 0xffff;
    *shown = !bad && letter_is_hidden(code) ? letter_escape(code, escape) : 1;
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
        else if (letter_read(text, &code))
            letter_add(text, length, code, out);
        text += length ? length : 1;
    }
}
