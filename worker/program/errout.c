/* Error output; see errout.h. */
#include "worker/program/errout.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of the UTF-8 character at `at`, 0 when there is none. */
static size_t utf8_length(const unsigned char *at, size_t left)
{
    static const unsigned char first[][2] = {{0xc2, 0xdf}, {0xe0, 0xef}, {0xf0, 0xf4}};
    if (*at < 0x80)
        return 1;
    for (size_t more = 1; more <= 3; more++) {
        if (*at < first[more - 1][0] || *at > first[more - 1][1])
            continue;
        if (left <= more)
            return 0;
        for (size_t i = 1; i <= more; i++)
            if ((at[i] & 0xc0) != 0x80)
                return 0;
        /* Longer than needed, a surrogate, or beyond the last one. */
        bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) ||
                   (*at == 0xf4 && at[1] > 0x8f);
        return bad ? 0 : more + 1;
    }
    return 0;
}

void errout_clean(const char *bytes, size_t length, struct buf *out)
{
    for (size_t i = 0, step; i < length; i += step) {
        const unsigned char *at = (const unsigned char *)bytes + i;
        step = utf8_length(at, length - i);
        bool control = *at == 0x7f || (*at < ' ' && *at != '\n' && *at != '\t');
        if (*at == '\r')
            buf_text(out, "\n");
        else
            buf_add(out, step && !control ? (const char *)at : "?", step && !control ? step : 1);
        step += !step;
    }
}

void errout_tail(const char *bytes, size_t length, struct buf *out)
{
    while (length && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
        length--;
    if (length > ERROUT_TAIL) {
        bytes += length - ERROUT_TAIL;
        length = ERROUT_TAIL;
        const char *line = memchr(bytes, '\n', length);
        if (line) {
            length -= (size_t)(line + 1 - bytes);
            bytes = line + 1;
        }
    }
    errout_clean(bytes, length, out);
}

/* --- a stream --- */

struct errout {
    int fd; /* the reading end */
    struct loop_watch *watch;
    loop_call *before;
    void *context;
    char *file_name; /* where it belongs, or NULL */
    int file;        /* -1: not open */
    bool begun;      /* errout_begin was called */
    struct buf recent, lines;
};

static void read_stream(void *context)
{
    struct errout *errout = context;
    if (errout->before)
        errout->before(errout->context);
    errout_drain(errout);
}

struct errout *errout_open(struct loop *loop, int *fd, loop_call *before, void *context, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        err_write_errno(err, "can't make a pipe");
        return NULL;
    }
    struct errout *errout = MEM_NEW(struct errout);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    errout->fd = ends[0];
    errout->file = -1;
    errout->before = before;
    errout->context = context;
    errout->watch = loop_read(loop, ends[0], read_stream, errout);
    *fd = ends[1];
    return errout;
}

void errout_close(struct errout *errout)
{
    if (!errout)
        return;
    errout_begin(errout, NULL);
    loop_remove(errout->watch);
    close(errout->fd);
    buf_fini(&errout->recent);
    buf_fini(&errout->lines);
    free(errout);
}

static void open_file(struct errout *errout)
{
    char *directory = path_directory(errout->file_name);
    struct err err;
    if (share_make_directory(directory, &err) == 0)
        errout->file =
            open(errout->file_name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (errout->file >= 0)
        share_file(errout->file, errout->file_name);
    if (errout->file < 0) { /* the tail is kept all the same */
        log_warning("can't write the error output %s", errout->file_name);
        free(errout->file_name);
        errout->file_name = NULL;
    }
    free(directory);
}

static void keep_tail(struct errout *errout, const char *bytes, size_t length)
{
    if (errout->file_name && errout->file < 0)
        open_file(errout);
    if (errout->file >= 0 && path_write_all(errout->file, bytes, length)) {
        close(errout->file); /* the disk is full, for example: what came so far is there */
        errout->file = -1;
        free(errout->file_name);
        errout->file_name = NULL;
    }
    buf_add(&errout->recent, bytes, length);
    if (errout->recent.length > 8 * ERROUT_TAIL)
        buf_drop(&errout->recent, errout->recent.length - 2 * ERROUT_TAIL);
}

void errout_drain(struct errout *errout)
{
    enum { CHUNKS_A_TIME = 64 }; /* a trainer that writes without end shall not keep the worker from its other work */
    char bytes[16384];
    for (int i = 0; i < CHUNKS_A_TIME; i++) {
        ssize_t length = read(errout->fd, bytes, sizeof bytes);
        if (length > 0) {
            keep_tail(errout, bytes, (size_t)length);
        } else {
            if (length == 0) /* the other end is closed: the stream would be ready for ever */
                loop_remove(errout->watch);
            if (length == 0)
                errout->watch = NULL;
            return;
        }
    }
}

void errout_begin(struct errout *errout, const char *file)
{
    struct buf early = {0};
    if (!errout->begun && file) { /* what was said while data was read belongs to the first */
        errout_drain(errout);
        buf_add(&early, buf_str(&errout->recent), errout->recent.length);
    }
    errout->begun = true;
    if (errout->file >= 0)
        close(errout->file);
    errout->file = -1;
    free(errout->file_name);
    errout->file_name = mem_text(file);
    buf_clear(&errout->recent);
    if (early.length)
        keep_tail(errout, buf_str(&early), early.length);
    buf_fini(&early);
}

const char *errout_lines(struct errout *errout)
{
    errout_drain(errout);
    buf_clear(&errout->lines);
    errout_tail(buf_str(&errout->recent), errout->recent.length, &errout->lines);
    return buf_str(&errout->lines);
}
