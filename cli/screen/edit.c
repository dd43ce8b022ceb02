/* A line that is typed; see edit.h. */
#include "cli/screen/edit.h"

#include <string.h>

/* Whether a byte goes on with a character of UTF-8. */
static int goes_on(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static uint32_t caret_of(struct edit *edit)
{
    size_t length = strlen(edit->text);
    *edit->caret = *edit->caret < length ? *edit->caret : (uint32_t)length;
    return *edit->caret;
}

static uint32_t before(struct edit *edit)
{
    uint32_t at = caret_of(edit);
    while (at && goes_on(edit->text[--at]))
        continue;
    return at;
}

static uint32_t behind(struct edit *edit)
{
    uint32_t at = caret_of(edit);
    at += edit->text[at] != 0;
    while (goes_on(edit->text[at]))
        at++;
    return at;
}

static void drop(struct edit *edit, uint32_t from, uint32_t to)
{
    memmove(edit->text + from, edit->text + to, strlen(edit->text + to) + 1);
    *edit->caret = from;
}

void edit_insert(struct edit *edit, const char *text)
{
    uint32_t at = caret_of(edit);
    size_t length = strlen(text), rest = strlen(edit->text + at);
    if (at + rest + length >= edit->size)
        return;
    memmove(edit->text + at + length, edit->text + at, rest + 1);
    memcpy(edit->text + at, text, length);
    *edit->caret = at + (uint32_t)length;
}

void edit_replace(struct edit *edit, const char *text)
{
    *edit->text = 0;
    edit_insert(edit, text);
}

void edit_left(struct edit *edit)
{
    *edit->caret = before(edit);
}

void edit_right(struct edit *edit)
{
    *edit->caret = behind(edit);
}

void edit_start(struct edit *edit)
{
    *edit->caret = 0;
}

void edit_end(struct edit *edit)
{
    *edit->caret = (uint32_t)strlen(edit->text);
}

void edit_drop_left(struct edit *edit)
{
    uint32_t to = caret_of(edit);
    drop(edit, before(edit), to);
}

void edit_drop_right(struct edit *edit)
{
    drop(edit, caret_of(edit), behind(edit));
}

void edit_drop_word(struct edit *edit)
{
    uint32_t to = caret_of(edit), at = to;
    while (at && edit->text[at - 1] == ' ')
        at--;
    while (at && edit->text[at - 1] != ' ')
        at--;
    drop(edit, at, to);
}

void edit_drop_start(struct edit *edit)
{
    drop(edit, 0, caret_of(edit));
}

void edit_drop_end(struct edit *edit)
{
    edit->text[caret_of(edit)] = 0;
}
