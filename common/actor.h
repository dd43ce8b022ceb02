/* A thread with an inbox: it owns its state, is sent letters, and sends letters back to the loop that made it. Nothing
 * else is shared. Birth and death are handshakes: actor_start returns when the thread lives, actor_stop when it has
 * ended. */
#ifndef GANNET_COMMON_ACTOR_H
#define GANNET_COMMON_ACTOR_H

#include "common/loop.h"

#include <stddef.h>

/* A letter: the first member of whatever is sent. Who takes it owns it. */
struct letter {
    struct letter *next;
};

struct actor;

/* What the thread does with a batch: takes all letters waiting, in order (linked by next; the function owns them),
 * returns letters for the loop (linked, or NULL). Called whenever there are letters. While it works new ones gather:
 * natural batching. */
typedef struct letter *actor_work(void *state, struct letter *letters);

/* Starts a thread named `name` (at most 15 letters). `receive` is called in the loop's thread for each letter that
 * comes back. `state` is handed to the thread until actor_stop. NULL with a sentence. */
struct actor *actor_start(struct loop *loop, const char *name, actor_work *work, void *state,
                          void (*receive)(void *context, struct letter *letter), void *context, struct err *err);

/* Puts a letter into the inbox. Never waits. From the loop's thread; not after actor_stop began, so not from a
 * `receive` that it calls. */
void actor_send(struct actor *actor, struct letter *letter);

/* For work that takes long: sends a letter to the loop before the batch is done. In the actor's thread only, within
 * `work`; such letters arrive in the order of the calls, before those that `work` returns. */
void actor_answer(struct actor *actor, struct letter *letter);

/* Lets the thread finish all letters in the inbox, ends it, delivers what came back to `receive`, frees the actor. Not
 * from `receive` itself. NULL is fine. */
void actor_stop(struct actor *actor);

#endif
