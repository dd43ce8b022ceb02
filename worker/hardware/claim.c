/* Claims; see claim.h. The directory is one that anybody may write to, as /tmp is, so nothing in it is trusted: links
 * are not followed, what is no plain file is passed over, and what somebody locks to annoy others is told with the name
 * of who did it. Files stay; a shared lock on the directory keeps systemd-tmpfiles from clearing it meanwhile. */
#include "worker/hardware/claim.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

/* --- who has locked a file, from /proc: what other users' processes call themselves is shown to people, so only
 * letters, digits and a few signs of it are --- */

/* A line is "12: FLOCK  ADVISORY  WRITE 4711 fe:00:131337 0 EOF". */
static pid_t holder_in_line(const char *line, const struct stat *file)
{
    unsigned high, low;
    unsigned long long inode;
    int pid, found = sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%llu", &pid, &high, &low, &inode);
    bool same = found == 4 && inode == file->st_ino && high == major(file->st_dev) && low == minor(file->st_dev);
    return same && pid > 0 ? pid : 0;
}

/* The process that /proc/locks says has locked (flock) the file; 0 when that can't be seen. */
static pid_t lock_holder_find(int fd)
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

/* Adds who it is, as far as can be seen: "your search 'digits' (process 4711)", "the search 'digits' of anna (process
 * 4711)", "another search". */
static void lock_holder_words(int fd, struct buf *out)
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

struct claim {
    char *name;
    int fd;       /* locked; -1: its file can't be used, and nothing is locked */
    size_t count; /* how often this process has taken it */
};

struct claims {
    int directory;       /* -1: it can't be used */
    bool warned;         /* of a file that can't be used */
    struct claim *items; /* those that this process has */
    size_t count, capacity;
};

/* --- the directory --- */

/* Everybody may make files in it and nobody remove those of others, or it is ours. */
static bool is_fit(int directory)
{
    struct stat found;
    if (fstat(directory, &found))
        return false;
    bool shared = (found.st_mode & S_ISVTX) && (found.st_mode & S_IWOTH);
    return shared || found.st_uid == geteuid();
}

static int open_directory(const char *path)
{
    enum { ANYBODY = 01777 };
    if (mkdir(path, ANYBODY) == 0 && chmod(path, ANYBODY)) /* mkdir leaves out what the umask forbids */
        return -1;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0 && is_fit(directory)) {
        flock(directory, LOCK_SH | LOCK_NB);
        return directory;
    }
    if (directory >= 0) {
        close(directory);
        errno = EPERM;
    }
    return -1;
}

const char *claims_directory(void)
{
    const char *directory = getenv(CLAIM_VARIABLE);
    if (directory && strcmp(directory, "off") == 0)
        return NULL;
    return directory && *directory ? directory : CLAIM_DIRECTORY;
}

struct claims *claims_create(const char *directory)
{
    struct claims *claims = MEM_NEW(struct claims);
    claims->directory = open_directory(directory);
    if (claims->directory < 0)
        log_warning("other searches on this machine are not seen: %s can't be used (%s)", directory, strerror(errno));
    return claims;
}

static void drop_claim(struct claims *claims, struct claim *claim)
{
    if (claim->fd >= 0)
        close(claim->fd);
    free(claim->name);
    *claim = claims->items[--claims->count];
}

void claims_destroy(struct claims *claims)
{
    if (!claims)
        return;
    while (claims->count)
        drop_claim(claims, claims->items);
    if (claims->directory >= 0)
        close(claims->directory);
    free(claims->items);
    free(claims);
}

/* --- one name --- */

static struct claim *find_claim(struct claims *claims, const char *name)
{
    for (size_t i = 0; i < claims->count; i++)
        if (strcmp(claims->items[i].name, name) == 0)
            return &claims->items[i];
    return NULL;
}

/* Opens the file of a name; -1 when there is none that can be used. It is made readable for everybody, whatever the
 * umask: a lock needs no more. Where it is somebody else's, O_CREAT would be refused (fs.protected_regular). */
static int open_file(const struct claims *claims, const char *name)
{
    enum { READABLE = 0644, FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, TRIES = 3 };
    struct stat found;
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = openat(claims->directory, name, FLAGS);
        if (fd < 0 && errno == ENOENT) {
            fd = openat(claims->directory, name, FLAGS | O_CREAT | O_EXCL, READABLE);
            if (fd >= 0)
                fchmod(fd, READABLE);
        }
    }
    if (fd >= 0 && (fstat(fd, &found) || !S_ISREG(found.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Locks a name. False when another process has it. */
static bool lock_name(struct claims *claims, const char *name, int *fd)
{
    *fd = claims->directory < 0 ? -1 : open_file(claims, name);
    if (*fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (*fd >= 0 && errno == EWOULDBLOCK)
        return false;
    if (*fd >= 0)
        close(*fd);
    if (claims->directory >= 0 && !claims->warned)
        log_warning("other searches on this machine may use the same cores: %s can't be locked", name);
    claims->warned = true;
    *fd = -1;
    return true;
}

/* "core-3" as "core 3". */
static void add_words(const char *name, struct buf *out)
{
    const char *dash = strchr(name, '-');
    buf_format(out, "%.*s %s", dash ? (int)(dash - name) : 0, name, dash ? dash + 1 : name);
}

static bool take_name(struct claims *claims, const char *name, struct buf *why)
{
    struct claim *claim = find_claim(claims, name);
    int fd;
    if (claim) {
        claim->count++;
        return true;
    }
    if (!lock_name(claims, name, &fd)) {
        add_words(name, why);
        buf_text(why, " is in use by ");
        lock_holder_words(fd, why);
        close(fd);
        return false;
    }
    MEM_GROW(claims->items, claims->capacity, claims->count + 1);
    claims->items[claims->count++] = (struct claim){.name = mem_text(name), .fd = fd, .count = 1};
    return true;
}

static void return_name(struct claims *claims, const char *name)
{
    struct claim *claim = find_claim(claims, name);
    if (claim && !--claim->count)
        drop_claim(claims, claim);
}

/* --- several --- */

bool claims_take(struct claims *claims, const struct texts *names, struct buf *why)
{
    for (size_t i = 0; i < names->count; i++) {
        if (take_name(claims, names->items[i], why))
            continue;
        while (i--)
            return_name(claims, names->items[i]);
        return false;
    }
    return true;
}

void claims_return(struct claims *claims, const struct texts *names)
{
    for (size_t i = 0; i < names->count; i++)
        return_name(claims, names->items[i]);
}

/* --- the names of a slot --- */

static void name_core(const struct topology *topology, uint32_t pu, struct texts *names)
{
    for (uint32_t i = 0; i < topology->core_count; i++)
        if (topology->cores[i].pu == pu)
            texts_add(names, mem_format("core-%u", topology->cores[i].first));
}

/* A UUID is made of letters, digits and dashes; what else stands there, from a list that somebody gave, is no path. */
static void name_gpu(const struct topology_gpu *gpu, struct texts *names)
{
    char *name = *gpu->uuid ? mem_format("gpu-%s", gpu->uuid) : mem_format("gpu-%u", gpu->index);
    for (char *at = name; *at; at++)
        *at = isalnum((unsigned char)*at) || *at == '-' ? *at : '_';
    texts_add(names, name);
}

void claims_name_slot(const struct topology *topology, const struct slot_place *place, struct texts *names)
{
    for (size_t i = 0; i < place->cores.count; i++)
        name_core(topology, place->cores.items[i], names);
    for (size_t i = 0; i < place->gpus.count; i++)
        name_gpu(&topology->gpus[place->gpus.items[i]], names);
}

/* --- what others have --- */

/* Who has a name; to try the lock would be in the way of who takes it now. */
static bool find_holder(struct claims *claims, const char *name, struct buf *out)
{
    int fd = claims->directory < 0 || find_claim(claims, name)
                 ? -1
                 : openat(claims->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_held = fd >= 0 && lock_holder_find(fd);
    if (is_held)
        lock_holder_words(fd, out);
    if (fd >= 0)
        close(fd);
    return is_held;
}

json_t *claims_json(struct claims *claims, const struct topology *topology)
{
    json_t *list = json_array();
    struct texts names = {0};
    for (uint32_t i = 0; i < topology->core_count; i++)
        name_core(topology, topology->cores[i].pu, &names);
    for (uint32_t i = 0; i < topology->gpu_count; i++)
        name_gpu(&topology->gpus[i], &names);
    for (size_t i = 0; i < names.count; i++) {
        struct buf what = {0}, by = {0};
        add_words(names.items[i], &what);
        if (find_holder(claims, names.items[i], &by))
            json_array_append_new(list, json_pack("{s:s, s:s}", "what", buf_str(&what), "by", buf_str(&by)));
        buf_fini(&what);
        buf_fini(&by);
    }
    texts_fini(&names);
    return list;
}
