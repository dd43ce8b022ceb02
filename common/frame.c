/* Messages over a stream; see frame.h. */
#include "common/frame.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is read is taken off in front, one message after the other, and the rest moves up: so it is not much at a time.
 */
enum { HEAD_BYTES = 4, READ_BYTES = 16 << 10 };

static void put_length(char *head, size_t length)
{
    for (int i = 0; i < HEAD_BYTES; i++)
        head[i] = (char)(length >> 8 * i);
}

static size_t get_length(const char *head)
{
    size_t length = 0;
    for (int i = 0; i < HEAD_BYTES; i++)
        length |= (size_t)(unsigned char)head[i] << 8 * i;
    return length;
}

void frame_put(struct buf *out, const struct msg *msg)
{
    size_t start = out->length;
    buf_add(out, "\0\0\0\0", HEAD_BYTES);
    msg_encode(msg, out);
    put_length(out->data + start, out->length - start - HEAD_BYTES);
}

int frame_take(struct buf *in, struct msg *msg, struct err *err)
{
    if (in->length < HEAD_BYTES)
        return 0;
    size_t length = get_length(in->data);
    if (length > MSG_LARGEST)
        return err_set(err, "the stream is broken: a message of %zu bytes is announced, more than %d", length,
                       MSG_LARGEST);
    if (in->length - HEAD_BYTES < length)
        return 0;
    if (msg_decode(msg, in->data + HEAD_BYTES, length, err))
        return -1;
    buf_drop(in, HEAD_BYTES + length);
    return 1;
}

int frame_read(int fd, struct buf *in)
{
    char *room = buf_room(in, READ_BYTES);
    ssize_t count;
    do
        count = read(fd, room, READ_BYTES);
    while (count < 0 && errno == EINTR);
    room[count > 0 ? count : 0] = '\0';
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (count <= 0)
        return -1;
    in->length += (size_t)count;
    return 1;
}

/* A socket whose other end is gone is to be an error, not a signal; other descriptors have no such switch. */
static ssize_t write_quietly(int fd, const char *bytes, size_t length)
{
    ssize_t count = send(fd, bytes, length, MSG_NOSIGNAL);
    return count < 0 && errno == ENOTSOCK ? write(fd, bytes, length) : count;
}

int frame_write(int fd, struct buf *out)
{
    size_t done = 0;
    int result = 0;
    while (done < out->length) {
        ssize_t count = write_quietly(fd, out->data + done, out->length - done);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            result = errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
            break;
        }
    }
    buf_drop(out, done);
    return result;
}
