/* Memory freed all at once: blocks that fill from the front; see arena.h. */
#include "common/arena.h"
#include "common/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Most messages need a few hundred bytes: one block. Each further block is twice as large, so that what holds many
 * things is few blocks. */
enum { FIRST_BYTES = 512, MOST_BYTES = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t used, capacity; /* bytes of data */
    max_align_t data[];    /* of `capacity` bytes */
};

void arena_fini(struct arena *arena)
{
    for (struct arena_block *block = arena->block, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->block = NULL;
}

/* The address sanitizer sees the use of what was freed, and not of what serves again. */
#ifdef GANNET_SANITIZED
static const bool keeps_memory = false;
#else
static const bool keeps_memory = true;
#endif

void arena_reset(struct arena *arena)
{
    struct arena_block *block = keeps_memory ? arena->block : NULL;
    if (!block) {
        arena_fini(arena);
        return;
    }
    struct arena older = {block->next};
    arena_fini(&older);
    block->next = NULL;
    block->used = 0;
}

static struct arena_block *add_block(struct arena *arena, size_t bytes)
{
    size_t capacity = arena->block ? 2 * arena->block->capacity : FIRST_BYTES;
    capacity = capacity > MOST_BYTES ? MOST_BYTES : capacity;
    capacity = capacity < bytes ? bytes : capacity;
    struct arena_block *block = mem_resize(NULL, 1, sizeof *block + capacity);
    *block = (struct arena_block){.next = arena->block, .capacity = capacity};
    arena->block = block;
    return block;
}

/* Memory of `bytes`, not zeroed. */
static void *take_bytes(struct arena *arena, size_t bytes)
{
    size_t aligned = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct arena_block *block = arena->block;
    if (!block || aligned > block->capacity - block->used)
        block = add_block(arena, aligned);
    void *memory = (char *)block->data + block->used;
    block->used += aligned;
    return memory;
}

void *arena_zero(struct arena *arena, size_t count, size_t size)
{
    if (size && count > (size_t)-1 / 2 / size)
        return mem_zero(count, size); /* ends the process with the sentence for it */
    return memset(take_bytes(arena, count * size), 0, count * size);
}

const char *arena_text(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text) + 1) : arena_copy(arena, "", 1);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t length)
{
    void *copy = take_bytes(arena, length);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

void arena_merge(struct arena *into, struct arena *from)
{
    struct arena_block **end = &into->block;
    while (*end)
        end = &(*end)->next;
    *end = from->block;
    from->block = NULL;
}
