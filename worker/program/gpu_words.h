/* What programs say when a GPU fails them: their words are the only ones that tell a GPU without memory from any other
 * failure, and often the first that tell of a broken one. */
#ifndef GANNET_WORKER_PROGRAM_GPU_WORDS_H
#define GANNET_WORKER_PROGRAM_GPU_WORDS_H

#include <stddef.h>

enum gpu_trouble { GPU_TROUBLE_NONE, GPU_TROUBLE_MEMORY, GPU_TROUBLE_HARDWARE };

/* What the last line that says something of it says; then *line is that line, of *length bytes. `text` may be NULL. */
enum gpu_trouble gpu_words_find(const char *text, const char **line, size_t *length);

#endif
