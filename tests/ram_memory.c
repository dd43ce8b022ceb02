/* Memory for SQLite from free lists by size; see ram_disk_parts.h.
 *
 * Four sizes to each doubling, from 16 bytes to 256 KiB; what is larger comes from malloc(). Nothing is given back: a
 * program that opens thousands of connections one after the other needs the same sizes again and again. */
#include "tests/ram_disk_parts.h"

#include "common/mem.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, LEAST = 16, CLASSES = 1 + STEPS * 14, CHUNK = 1 << 20 };

/* Before each piece. A vacant one has the next vacant one behind its head. */
struct head {
    size_t size; /* of the piece without its head */
    size_t class;
};

static struct {
    size_t sizes[CLASSES];
    struct head *vacant[CLASSES];
    char *chunk; /* what is left of the last one */
    size_t left;
} memory;

/* The first class that is large enough; CLASSES: none is. */
static size_t class_of(size_t size)
{
    if (size <= LEAST)
        return 0;
    size_t last = size - 1;
    unsigned doubling = 63 - (unsigned)__builtin_clzll(last);          /* 2^doubling <= size - 1 */
    size_t step = (last - ((size_t)1 << doubling)) >> (doubling - 2u); /* which quarter of the doubling */
    size_t class = 1 + (doubling - 4u) * STEPS + step;
    return class < CLASSES ? class : CLASSES;
}

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

static struct head *cut(size_t class)
{
    size_t size = memory.sizes[class] + sizeof(struct head);
    if (memory.left < size) {
        memory.chunk = mem_raw(CHUNK);
        memory.left = CHUNK;
    }
    struct head *head = (struct head *)(void *)memory.chunk;
    memory.chunk += size;
    memory.left -= size;
    *head = (struct head){memory.sizes[class], class};
    return head;
}

static void *give(int wanted)
{
    size_t class = class_of((size_t)wanted);
    struct head *head = class < CLASSES ? memory.vacant[class] : mem_raw((size_t)wanted + sizeof(struct head));
    if (class == CLASSES)
        *head = (struct head){(size_t)wanted, class};
    else if (head)
        memcpy(&memory.vacant[class], head + 1, sizeof(void *));
    else
        head = cut(class);
    return head + 1;
}

static struct head *head_of(void *piece)
{
    return (struct head *)piece - 1;
}

static void take_back(void *piece)
{
    struct head *head = head_of(piece);
    if (head->class == CLASSES) {
        free(head);
        return;
    }
    memcpy(piece, &memory.vacant[head->class], sizeof(void *));
    memory.vacant[head->class] = head;
}

static void *resize(void *piece, int wanted)
{
    size_t size = head_of(piece)->size;
    if ((size_t)wanted <= size)
        return piece;
    void *other = give(wanted);
    memcpy(other, piece, size);
    take_back(piece);
    return other;
}

static int size_of(void *piece)
{
    return piece ? (int)head_of(piece)->size : 0;
}

static int round_up(int wanted)
{
    size_t class = class_of((size_t)wanted);
    return class < CLASSES ? (int)memory.sizes[class] : (int)aligned((size_t)wanted);
}

static int begin(void *context)
{
    (void)context;
    memory.sizes[0] = LEAST;
    for (size_t i = 1; i < CLASSES; i++)
        memory.sizes[i] = aligned(((size_t)1 << ((i - 1) / STEPS + 4)) / STEPS * (STEPS + 1 + (i - 1) % STEPS));
    return SQLITE_OK;
}

static void end(void *context)
{
    (void)context;
}

void ram_memory_install(void)
{
    static const sqlite3_mem_methods methods = {give, take_back, resize, size_of, round_up, begin, end, NULL};
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
