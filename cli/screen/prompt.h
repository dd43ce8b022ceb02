/* What is typed at the bottom: a command, what is searched for, an expression. */
#ifndef GANNET_CLI_SCREEN_PROMPT_H
#define GANNET_CLI_SCREEN_PROMPT_H

#include "cli/screen/press.h"

/* A key while a prompt is open that takes a text. */
enum press_action prompt_press(struct model *model, const char *spelling);

/* The same of a text that was pasted: the ends of its lines are spaces, and nothing else of it is a key. */
void prompt_paste(struct model *model, const char *spelling);

#endif
