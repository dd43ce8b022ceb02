/* What rank 0 has taken from a checkpoint, told to the others: it saves it again, into a stream that they read as a
 * file of their own. So each of them has the same bits, the file is read once, and no rank ever has all of it beside
 * the kernel. */
#include "worker/trainer/gang_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

/* A stream from rank 0, piece by piece. */
struct state_stream {
    const struct collective *collective;
    char piece[PIECE];
    size_t length, taken; /* of the present piece; bytes of it that were read */
    uint64_t left;        /* bytes of all that were not received */
};

/* Says or hears a piece. A length that none has ends the stream: its bytes would have no room, or never come to an end.
 */
static void move_piece(struct state_stream *stream)
{
    uint64_t length = stream->length;
    stream->collective->kind->broadcast(stream->collective->self, 0, &length, sizeof length);
    if (!length || length > PIECE) {
        stream->length = stream->taken = stream->left = 0;
        return;
    }
    stream->collective->kind->broadcast(stream->collective->self, 0, stream->piece, length);
    stream->length = length;
    stream->taken = 0;
    stream->left -= length < stream->left ? length : stream->left;
}

static ssize_t write_state(void *cookie, const char *bytes, size_t size)
{
    struct state_stream *stream = cookie;
    for (size_t at = 0; at < size; at += stream->length) {
        stream->length = size - at < PIECE ? size - at : PIECE;
        memcpy(stream->piece, bytes + at, stream->length);
        move_piece(stream);
    }
    return (ssize_t)size;
}

static ssize_t read_state(void *cookie, char *bytes, size_t size)
{
    struct state_stream *stream = cookie;
    if (stream->taken == stream->length && stream->left)
        move_piece(stream);
    size_t some = stream->length - stream->taken < size ? stream->length - stream->taken : size;
    memcpy(bytes, stream->piece + stream->taken, some);
    stream->taken += some;
    return (ssize_t)some;
}

/* How long it will be. */
static uint64_t measure_state(const struct rank_gang *gang)
{
    struct pack_writer out = {.file = fopen("/dev/null", "we")};
    if (!out.file)
        return 0;
    gang->kernel->save(gang->self, &out);
    fclose(out.file);
    return out.length;
}

void gang_tell_state(const struct rank_gang *gang)
{
    struct state_stream stream = {.collective = &gang->collective};
    uint64_t length = measure_state(gang);
    gang->collective.kind->broadcast(gang->collective.self, 0, &length, sizeof length);
    stream.left = length;
    struct pack_writer out = {.file = fopencookie(&stream, "w", (cookie_io_functions_t){.write = write_state})};
    if (out.file && length)
        gang->kernel->save(gang->self, &out);
    if (out.file)
        fclose(out.file);
    memset(stream.piece, 0, sizeof stream.piece);
    while (stream.left) { /* there was no memory for a stream: the others find the bytes torn */
        stream.length = stream.left < PIECE ? stream.left : PIECE;
        move_piece(&stream);
    }
}

int gang_hear_state(const struct rank_gang *gang, int64_t step, struct err *err)
{
    struct state_stream stream = {.collective = &gang->collective};
    gang->collective.kind->broadcast(gang->collective.self, 0, &stream.left, sizeof stream.left);
    struct pack_reader in = {.file = fopencookie(&stream, "r", (cookie_io_functions_t){.read = read_state}),
                             .left = stream.left};
    int result = in.file ? gang->kernel->resume(gang->self, step, &in, err) : err_set(err, "there is no memory");
    if (in.file)
        fclose(in.file);
    while (stream.left) /* what was not wanted */
        move_piece(&stream);
    return result;
}
