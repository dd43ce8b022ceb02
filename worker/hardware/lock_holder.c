/* Who has locked a file, from /proc; see lock_holder.h. What other users' processes call themselves is shown to people,
 * so only letters, digits and a few signs of it are. */
#include "worker/hardware/lock_holder.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A line is "12: FLOCK  ADVISORY  WRITE 4711 fe:00:131337 0 EOF". */
static pid_t holder_in_line(const char *line, const struct stat *file)
{
    unsigned high, low;
    unsigned long long inode;
    int pid, found = sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%llu", &pid, &high, &low, &inode);
    bool same = found == 4 && inode == file->st_ino && high == major(file->st_dev) && low == minor(file->st_dev);
    return same && pid > 0 ? pid : 0;
}

pid_t lock_holder_find(int fd)
{
    char line[256];
    struct stat file;
    pid_t holder = 0;
    FILE *locks = fstat(fd, &file) ? NULL : fopen("/proc/locks", "re");
    while (locks && !holder && fgets(line, sizeof line, locks))
        holder = holder_in_line(line, &file);
    if (locks)
        fclose(locks);
    return holder;
}

/* The last part of the run directory in a worker's command line; free() it. NULL: it can't be seen. */
static char *read_search(pid_t pid)
{
    enum { MOST = 16384, LONGEST_NAME = 60 };
    char *file = mem_format("/proc/%d/cmdline", (int)pid), *name = NULL;
    struct buf words = {0};
    struct err err;
    if (path_read(file, &words, MOST, &err) == 0)
        for (size_t at = 0; at < words.length && !name; at += strlen(words.data + at) + 1) {
            const char *word = words.data + at, *next = word + strlen(word) + 1;
            if (strcmp(word, "--rundir") == 0 && next < words.data + words.length)
                name = mem_text_n(path_base(next), strnlen(path_base(next), LONGEST_NAME));
        }
    for (char *at = name; at && *at; at++)
        *at = isalnum((unsigned char)*at) || strchr("-_.+", *at) ? *at : '_';
    buf_fini(&words);
    free(file);
    return name;
}

static void add_user(uid_t uid, struct buf *out)
{
    const struct passwd *entry = getpwuid(uid);
    if (entry)
        buf_format(out, " of %s", entry->pw_name);
    else
        buf_format(out, " of user %u", (unsigned)uid);
}

void lock_holder_words(int fd, struct buf *out)
{
    pid_t pid = lock_holder_find(fd);
    char *file = mem_format("/proc/%d", (int)pid);
    struct stat process;
    bool seen = pid && stat(file, &process) == 0, own = seen && process.st_uid == geteuid();
    char *search = seen ? read_search(pid) : NULL;
    buf_text(out, own ? "your search" : seen ? "the search" : "another search");
    if (search)
        buf_format(out, " '%s'", search);
    if (seen && !own)
        add_user(process.st_uid, out);
    if (seen)
        buf_format(out, " (process %d)", (int)pid);
    free(search);
    free(file);
}
