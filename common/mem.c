/* Memory that is there or ends the process; see mem.h. */
#include "common/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *require_memory(void *memory, size_t count, size_t size)
{
    if (memory)
        return memory;
    fprintf(stderr, "gannet: out of memory (asked for %zu x %zu bytes)\n", count, size);
    abort();
}

void *mem_zero(size_t count, size_t size)
{
    return require_memory(calloc(count ? count : 1, size ? size : 1), count, size);
}

void *mem_aligned(size_t count, size_t size)
{
    enum { LINE = 64 };
    if (size && count > (SIZE_MAX - LINE) / size)
        require_memory(NULL, count, size);
    size_t bytes = count && size ? (count * size + LINE - 1) / LINE * LINE : LINE;
    return memset(require_memory(aligned_alloc(LINE, bytes), count, size), 0, bytes);
}

void *mem_resize(void *old, size_t count, size_t size)
{
    if (count && size && count > SIZE_MAX / size)
        require_memory(NULL, count, size);
    return require_memory(realloc(old, count && size ? count * size : 1), count, size);
}

char *mem_text(const char *text)
{
    return text ? mem_text_n(text, strlen(text)) : NULL;
}

char *mem_text_n(const char *text, size_t length)
{
    char *copy = require_memory(malloc(length + 1), length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *mem_vformat(const char *format, va_list args)
{
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    return require_memory(length < 0 ? NULL : text, 1, 1);
}

char *mem_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = mem_vformat(format, args);
    va_end(args);
    return text;
}

void *mem_raw(size_t size)
{
    return require_memory(malloc(size), size, 1);
}

void mem_fail(const char *library)
{
    fprintf(stderr, "gannet: out of memory (asked for by %s)\n", library);
    abort();
}

void mem_grow(void *array, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return;
    size_t bigger = *capacity ? *capacity * 2 : 8;
    if (bigger < wanted)
        bigger = wanted;
    void *old;
    memcpy(&old, array, sizeof old); /* `array` is the address of a typed pointer: copied, not cast, to obey aliasing */
    old = mem_resize(old, bigger, size);
    memcpy(array, &old, sizeof old);
    *capacity = bigger;
}
