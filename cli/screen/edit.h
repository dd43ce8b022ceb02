/* A line that is typed: its text and a caret, moved and changed by whole characters. Pure. */
#ifndef GANNET_CLI_SCREEN_EDIT_H
#define GANNET_CLI_SCREEN_EDIT_H

#include <stddef.h>
#include <stdint.h>

struct edit {
    char *text;
    size_t size;     /* bytes that there is room for, with the zero at the end */
    uint32_t *caret; /* the byte before which a character is put in; behind the text: its end */
};

/* Puts a text in at the caret, which then stands behind it; what there is no room for is left out. */
void edit_insert(struct edit *edit, const char *text);

/* Replaces all of it; the caret stands at the end. */
void edit_replace(struct edit *edit, const char *text);

/* One character to the left, or to the right; to the beginning, or to the end. */
void edit_left(struct edit *edit);
void edit_right(struct edit *edit);
void edit_start(struct edit *edit);
void edit_end(struct edit *edit);

/* Drops one character, the word with the spaces behind it, or all on that side of the caret. */
void edit_drop_left(struct edit *edit);
void edit_drop_right(struct edit *edit);
void edit_drop_word(struct edit *edit);
void edit_drop_start(struct edit *edit);
void edit_drop_end(struct edit *edit);

#endif
