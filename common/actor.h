/* A thread with an inbox: it owns its state, is sent messages, and sends messages back to the loop that made it.
 * Nothing else is shared. Birth and death are handshakes: actor_start returns when the thread lives, actor_stop when it
 * has ended. */
#ifndef GANNET_COMMON_ACTOR_H
#define GANNET_COMMON_ACTOR_H

#include "common/loop.h"

#include <stddef.h>
#include <stdint.h>

/* A message: the first member of whatever is sent. Who takes it owns it. */
struct message {
    struct message *next;
};

struct actor;

/* What the thread does with a batch: takes all messages waiting, in order (linked by next; the function owns them),
 * returns messages for the loop (linked, or NULL). Called whenever there are messages. While it works new ones gather:
 * natural batching. */
typedef struct message *actor_work(void *state, struct message *messages);

/* Starts a thread named `name` (at most 15 messages). `receive` is called in the loop's thread for each message that
 * comes back. `state` is handed to the thread until actor_stop. NULL with a sentence. */
struct actor *actor_start(struct loop *loop, const char *name, actor_work *work, void *state,
                          void (*receive)(void *context, struct message *message), void *context, struct err *err);

/* Puts a message, or several linked by next, into the inbox. Never waits. From the loop's thread; not after actor_stop
 * began, so not from a `receive` that it calls. Whoever has several sends them together: the thread is woken once. */
void actor_send(struct actor *actor, struct message *messages);

/* For work that takes long: sends a message, or several linked by next, to the loop before the batch is done. In the
 * actor's thread only, within `work`; such messages arrive in the order of the calls, before those that `work` returns.
 */
void actor_answer(struct actor *actor, struct message *messages);

/* Lets the thread finish all messages in the inbox, ends it, delivers what came back to `receive`, frees the actor. Not
 * from `receive` itself. NULL is fine. */
void actor_stop(struct actor *actor);

#endif
