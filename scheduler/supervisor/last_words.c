/* The end of a log; see last_words.h. */
#include "scheduler/supervisor/last_words.h"

#include "common/mem.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL = 4096, LONGEST = 300 };

/* The last bytes of the file, from the beginning of a line on; "" when it can't be read. free() it. */
static char *read_tail(const char *path)
{
    char *text = MEM_ARRAY(char, TAIL + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    off_t length = fd < 0 ? 0 : lseek(fd, 0, SEEK_END), start = length > TAIL ? length - TAIL : 0;
    ssize_t got = fd < 0 ? 0 : pread(fd, text, TAIL, start);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    char *line = start > 0 ? strchr(text, '\n') : NULL;
    if (line)
        memmove(text, line + 1, strlen(line));
    return text;
}

/* That a task ended is known. */
static bool is_noise(const char *line)
{
    static const char *const beginnings[] = {"srun: cluster configuration", "srun: Terminating", "srun: Force"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(line, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return !line[strspn(line, " \t\r")] || strstr(line, ": Exited with exit code") || strstr(line, "*** STEP");
}

/* What comes behind "2026-11-20T14:02:11.123Z error   worker: ". */
static const char *skip_stamp(const char *line)
{
    const char *colon = isdigit((unsigned char)*line) && strchr(line, 'Z') ? strstr(line, ": ") : NULL;
    return colon ? colon + 2 : line;
}

bool last_words_add(const char *log, struct buf *out)
{
    char *text = read_tail(log), *rest = text;
    const char *last = NULL, *error = NULL;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (is_noise(line))
            continue;
        last = line;
        if (strstr(line, "error"))
            error = line;
    }
    const char *said = error ? error : last;
    if (said)
        buf_format(out, "%.*s", LONGEST, skip_stamp(said));
    free(text);
    return said;
}
