/* A command that was typed, or that a capital letter stands for: our own programs, run as a child whose words come into
 * the model. */
#ifndef GANNET_CLI_SCREEN_COMMAND_CHILD_H
#define GANNET_CLI_SCREEN_COMMAND_CHILD_H

#include "cli/screen/model.h"
#include "common/loop.h"

struct command_child;

/* Runs `words`; those that are "gannet" or "gannet-worker" stand for the programs beside this one. What it says is
 * added to model->output, whose command becomes `title`; `changed` is called then, and when it has ended. NULL with a
 * sentence.
 */
struct command_child *command_child_start(struct loop *loop, char *const *words, const char *title, struct model *model,
                                          loop_call *changed, void *context, struct err *err);

/* Ends it, if it still runs. NULL is fine. */
void command_child_stop(struct command_child *child);

#endif
