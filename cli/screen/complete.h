/* What a word may become that is typed at the bottom: commands and their options, experiments and trials behind ":",
 * behind other questions what the screen says. Pure. */
#ifndef GANNET_CLI_SCREEN_COMPLETE_H
#define GANNET_CLI_SCREEN_COMPLETE_H

#include "cli/screen/screen.h"

/* Adds what the word before the caret lacks, as far as all words that it may become agree: with a space behind it when
 * there is one alone. Those words, when they are several, are added to `listed`; none: nothing fits. */
void complete_word(const struct model *model, struct buf *lacks, struct buf *listed);

#endif
