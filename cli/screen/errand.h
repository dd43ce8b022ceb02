/* A command that was typed, or that a capital letter stands for: our own programs, run as a child whose words come into
 * the model. */
#ifndef GANNET_CLI_SCREEN_ERRAND_H
#define GANNET_CLI_SCREEN_ERRAND_H

#include "cli/screen/model.h"
#include "common/loop.h"

struct errand;

/* Runs `words`; those that are "gannet" or "gannet-worker" stand for the programs beside this one. What it says is
 * added to model->output, whose command becomes `title`; `changed` is called then, and when it has ended. NULL with a
 * sentence.
 */
struct errand *errand_start(struct loop *loop, char *const *words, const char *title, struct model *model,
                            loop_call *changed, void *context, struct err *err);

/* Ends it, if it still runs. NULL is fine. */
void errand_stop(struct errand *errand);

#endif
