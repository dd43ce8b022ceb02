/* What needs attention, in words: each cause of failures with how many, where, what the program said last, and the
 * command that shows more. Pure, from what cli/session/attention.h reads. */
#ifndef GANNET_CLI_VIEW_ATTENTION_H
#define GANNET_CLI_VIEW_ATTENTION_H

#include "cli/look.h"

#include <jansson.h>

/* How the person calls the experiment, and what stands before our programs where a command is shown. Without a name
 * commands are those that are typed on the screen. */
struct attention_subject {
    const char *name, *programs;
};

/* Adds a cause: "5 trials failed on n1, exited (gannet logs digits 15): no such file". What programs said is added as
 * it is: whoever shows it makes it safe. */
void attention_add_cause(const json_t *attention, const json_t *cause, const struct attention_subject *subject,
                         struct buf *out);

/* Adds what tries failed trials again; nothing when none has failed. */
void attention_add_remedy(const json_t *attention, const struct attention_subject *subject, struct buf *out);

/* Adds the causes, what tries them again, and the sentences as lines below a heading; nothing when there is nothing. */
void attention_write(const json_t *attention, const struct attention_subject *subject, const struct look *look,
                     struct buf *out);

#endif
