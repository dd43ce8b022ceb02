/* What is written beside its place; see beside.h. */
#include "cli/data/beside.h"
#include "common/hash.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/path.h"
#include "common/proc_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIGN   ".gannet-"
#define WITHIN ".part" /* what a name within a place begins with */

/* What a number of a process means something in: this host, and the namespace of its processes. */
static uint32_t host_sign(void)
{
    enum { LONGEST = 200 };
    char host[NODE_SIZE], space[LONGEST] = "";
    struct buf text = {0}, machine = {0};
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    if (path_read("/etc/machine-id", &machine, LONGEST, NULL))
        buf_clear(&machine);
    buf_format(&text, "%s %s %s", node_host(host), buf_str(&machine), space);
    uint64_t hash = hash_text(buf_str(&text));
    buf_fini(&text);
    buf_fini(&machine);
    return (uint32_t)(hash ^ hash >> 32);
}

/* Without the slashes at its end. */
static int length_of(const char *place)
{
    size_t length = strlen(place);
    while (length > 1 && place[length - 1] == '/')
        length--;
    return (int)length;
}

char *beside_name(const char *place)
{
    return mem_format("%.*s" SIGN "%08" PRIx32 "-%ld-%" PRIu64 "-XXXXXX", length_of(place), place, host_sign(),
                      (long)getpid(), proc_stat_read(getpid()).start);
}

char *beside_name_within(const char *place)
{
    char *within = path_join(place, WITHIN), *name = beside_name(within);
    free(within);
    return name;
}

/* --- what others left --- */

static bool process_lives(long process, uint64_t start)
{
    struct proc_stat stat = proc_stat_read((pid_t)process);
    return stat.state != 'X' && stat.state != 'Z' && stat.start == start;
}

/* Whether a name is one of ours for a place with this last part, by a process of this host that is dead. Behind it may
 * be what SQLite calls its own files: "-journal". */
static bool is_left(const char *name, const char *base, size_t length, uint32_t host)
{
    enum { RANDOM = 6 };
    uint32_t theirs;
    long process;
    uint64_t start;
    int end = 0;
    if (strncmp(name, base, length) != 0 || strncmp(name + length, SIGN, strlen(SIGN)) != 0)
        return false;
    name += length + strlen(SIGN);
    if (sscanf(name, "%8" SCNx32 "-%ld-%" SCNu64 "-%n", &theirs, &process, &start, &end) != 3 || !end)
        return false;
    for (int i = 0; i < RANDOM; i++)
        if (!isalnum((unsigned char)name[end + i]))
            return false;
    return (!name[end + RANDOM] || name[end + RANDOM] == '-') && theirs == host && !process_lives(process, start);
}

static void remove_own(const char *path)
{
    struct stat at;
    if (lstat(path, &at) || at.st_uid != geteuid())
        return;
    if (S_ISDIR(at.st_mode))
        path_remove_tree(path, NULL);
    else if (S_ISREG(at.st_mode))
        unlink(path);
}

static void sweep_leftovers(const char *directory, const char *base)
{
    uint32_t host = host_sign();
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_left(entry->d_name, base, strlen(base), host)) {
            char *path = path_join(directory, entry->d_name);
            remove_own(path);
            free(path);
        }
    if (entries)
        closedir(entries);
}

void beside_sweep(const char *place)
{
    char *whole = mem_text_n(place, (size_t)length_of(place)), *directory = path_directory(whole);
    sweep_leftovers(directory, path_base(whole));
    if (path_is_directory(whole))
        sweep_leftovers(whole, WITHIN);
    free(directory);
    free(whole);
}
