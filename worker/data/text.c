/* See text.h. */
#include "worker/data/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Windows that lie side by side in so many bytes, where one more follows each. */
static size_t count_windows(size_t bytes, size_t context)
{
    return bytes ? (bytes - 1) / context : 0;
}

static int map_file(struct text *text, int file, const char *path, struct err *err)
{
    struct stat status;
    if (fstat(file, &status))
        return err_errno(err, "%s: can't be looked at", path);
    if (!S_ISREG(status.st_mode))
        return err_set(err, "%s: is no file, which a text must be", path);
    if (!status.st_size)
        return err_set(err, "%s: is empty at byte 0; a text to learn from is needed", path);
    text->length = (size_t)status.st_size;
    void *at = mmap(NULL, text->length, PROT_READ, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
        return err_errno(err, "%s: its %zu bytes can't be mapped into memory", path, text->length);
    text->bytes = at;
    return 0;
}

static int divide_text(struct text *text, const char *path, double validation, struct err *err)
{
    size_t T = text->context;
    text->cut = (size_t)((double)text->length * (1 - validation));
    text->training = count_windows(text->cut, T);
    text->count = text->training + count_windows(text->length - text->cut, T);
    if (!text->training)
        return err_set(err,
                       "%s: its training part, bytes 0 to %zu, is too short for a window of %zu bytes and the next",
                       path, text->cut, T);
    if (text->count == text->training)
        return err_set(
            err,
            "%s: its validation part, %zu bytes from byte %zu on, is too short for a window of %zu bytes and "
            "the next; a larger share for 'validation', a smaller 'context' or more text is needed",
            path, text->length - text->cut, text->cut, T);
    if (text->count > INT32_MAX)
        return err_set(err, "%s: has %zu windows of %zu bytes; at most %d are possible", path, text->count, T,
                       INT32_MAX);
    return 0;
}

int text_open(struct text *text, const char *path, size_t context, double validation, struct err *err)
{
    *text = (struct text){.context = context};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody writes to is not waited for */
    if (file < 0)
        return err_errno(err, "%s: can't be opened", path);
    int result = map_file(text, file, path, err);
    close(file);
    if (!result)
        result = divide_text(text, path, validation, err);
    if (result)
        text_close(text);
    return result;
}

void text_close(struct text *text)
{
    if (text->bytes)
        munmap((void *)(uintptr_t)text->bytes, text->length);
    *text = (struct text){0};
}

void text_read(const struct text *text, size_t n, int32_t *tokens, int32_t *next)
{
    size_t T = text->context;
    const uint8_t *at = text->bytes + (n < text->training ? n * T : text->cut + (n - text->training) * T);
    for (size_t t = 0; t < T; t++) {
        tokens[t] = at[t];
        next[t] = at[t + 1];
    }
}
