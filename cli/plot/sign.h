/* What tells marks of a picture apart in a terminal where colours don't: nobody sees any, or two meanings have the
 * same. Dots of everything but ordinary trials are characters everywhere. */
#ifndef GANNET_CLI_PLOT_SIGN_H
#define GANNET_CLI_PLOT_SIGN_H

#include "cli/look.h"
#include "cli/plot/picture.h"

/* Which kinds of marks have signs in a picture. */
struct signs {
    bool lines, boxes;
};

struct signs signs_decide(const struct picture *picture, const struct look *look);

/* The character that marks like this one are drawn with; NULL: dots. */
const char *signs_of(const struct signs *signs, enum mark_kind kind, enum ink ink, bool hollow);

/* What stands before a text of the legend. */
const char *signs_legend(const struct signs *signs, const struct legend *legend, const struct look *look);

enum tint ink_tint(enum ink ink);

#endif
