/* Memory that is freed all at once: what belongs to one message, or to the events of one commit. */
#ifndef GANNET_COMMON_ARENA_H
#define GANNET_COMMON_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *block; /* the newest; older ones behind it */
};

/* {0} is an empty arena. Frees everything taken from it; it may be used again. */
void arena_fini(struct arena *arena);

/* The same, but memory stays for what is taken next: of an arena that is filled and emptied again and again. */
void arena_reset(struct arena *arena);

/* Zeroed memory of count x size bytes, aligned for any type; never NULL. */
void *arena_zero(struct arena *arena, size_t count, size_t size);

/* A copy of a text; of NULL: "". */
const char *arena_text(struct arena *arena, const char *text);

/* A copy of `length` bytes, not zeroed first. */
void *arena_copy(struct arena *arena, const void *bytes, size_t length);

/* Lets `into` own all that `from` owns; `from` is empty then. */
void arena_merge(struct arena *into, struct arena *from);

#endif
