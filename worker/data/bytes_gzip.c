/* Files compressed by gzip, as MNIST is distributed; the only file that knows zlib. */
#include "worker/data/bytes.h"

#ifdef HAVE_ZLIB
#include <errno.h>
#include <string.h>
#include <zlib.h>

static long pull_unpacked(void *self, void *to, size_t size, struct err *err)
{
    int code, count = gzread(self, to, size < 1 << 20 ? (unsigned)size : 1 << 20);
    const char *said = gzerror(self, &code);
    if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
        return err_set(err, "the compressed file is damaged or cut off (%s)", code == Z_ERRNO ? strerror(errno) : said);
    return count;
}

static void shut_unpacked(void *self)
{
    gzclose(self);
}

int bytes_open_gzip(struct bytes *bytes, const char *path, struct err *err)
{
    *bytes = (struct bytes){.name = path, .length = BYTES_UNKNOWN, .pull = pull_unpacked, .shut = shut_unpacked};
    bytes->self = gzopen(path, "rbe");
    return bytes->self ? 0 : err_errno(err, "can't open %s", path);
}

#else

int bytes_open_gzip(struct bytes *bytes, const char *path, struct err *err)
{
    (void)bytes;
    return err_set(
        err,
        "%s: is compressed, and this gannet was built without zlib; unpack it (gunzip %s), or build with the "
        "package zlib1g-dev",
        path, path);
}
#endif
