/* Memory for our own programs: an allocation that fails ends the process with a sentence, so nobody checks.
 * (Across the plug-in interface running out of memory is an error instead; see search/strategy.h.) */
#ifndef GANNET_COMMON_MEM_H
#define GANNET_COMMON_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory of count x size bytes; never NULL. Freed with free(). */
void *mem_zero(size_t count, size_t size);

/* The same beginning at a multiple of 64 bytes: a cache line, the widest vector register. Freed with free(). */
void *mem_aligned(size_t count, size_t size);

/* Memory of count x size bytes, keeping what was there; never NULL. */
void *mem_resize(void *old, size_t count, size_t size);

/* A copy of a text, or of its first `length` bytes; never NULL. mem_text(NULL) is NULL. Freed with free(). */
char *mem_text(const char *text);
char *mem_text_n(const char *text, size_t length);

/* A new text made as by printf; never NULL. Freed with free(). */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vformat(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Makes sure that `*array`, whose memory is for `*capacity` items of `size` bytes, is large enough for `wanted`; it
 * grows by doubling.
 */
void mem_grow(void *array, size_t *capacity, size_t wanted, size_t size);

/* As malloc(), never NULL: for libraries that take an allocator. */
void *mem_raw(size_t size);

/* The same end of the process, for a library that got no memory and whose silence would pass for an answer. */
_Noreturn void mem_fail(const char *library);

#define MEM_NEW(type)                     ((type *)mem_zero(1, sizeof(type)))
#define MEM_ARRAY(type, count)            ((type *)mem_zero((count), sizeof(type)))
#define MEM_GROW(array, capacity, wanted) mem_grow(&(array), &(capacity), (wanted), sizeof *(array))

#endif
