/* The file with the sums; see tell.h. */
#include "worker/cupti/tell.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A sentence without what JSON would have to escape. */
static void clean_text(const char *text, char *out, size_t size)
{
    size_t length = 0;
    for (; *text && length + 1 < size; text++)
        out[length++] = *text < ' ' || *text > '~' || *text == '"' || *text == '\\' ? '?' : *text;
    out[length] = '\0';
}

static size_t write_text(const struct cupti_sums *sums, const char *unknown, char *out)
{
    char why[TELL_WHY];
    size_t length, written = 0;
    clean_text(unknown, why, sizeof why);
    length = (size_t)snprintf(out, TELL_BYTES, "{\"gannet_gpu\":1,\"unknown\":\"%s\",\"operations\":[", why);
    for (uint32_t i = 0; i <= SUMS_NAMES; i++) {
        const struct cupti_sum *sum = &sums->names[i];
        if (sum->calls)
            length += (size_t)snprintf(out + length, TELL_BYTES - length,
                                       "%s[\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                                       written++ ? ",\n" : "", sum->name, sum->calls, sum->bytes, sum->nanoseconds,
                                       sum->min, sum->max);
    }
    return length + (size_t)snprintf(out + length, TELL_BYTES - length, "]}\n");
}

/* A file beyond the limit of the process would be a signal to it. */
static bool may_write(size_t length)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= length);
}

void tell(const char *path, const struct cupti_sums *sums, const char *unknown, char *text)
{
    char beside[4096 + 8];
    size_t length = write_text(sums, unknown, text), done = 0;
    if (!may_write(length) || snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return;
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    while (done < length) {
        ssize_t part = write(fd, text + done, length - done);
        if (part <= 0)
            break;
        done += (size_t)part;
    }
    close(fd);
    if (done < length || rename(beside, path) != 0)
        unlink(beside);
}
