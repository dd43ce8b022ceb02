/* Run directories that a group may read; see share.h. */
#include "common/share.h"
#include "common/mem.h"
#include "common/path.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARED = S_ISGID | S_IRGRP | S_IXGRP };

/* Whether a directory of ours is one, or within one. */
static bool is_shared(const char *directory)
{
    struct stat at;
    return stat(directory, &at) == 0 && S_ISDIR(at.st_mode) && (at.st_mode & SHARED) == SHARED &&
           !(at.st_mode & S_IWGRP) && at.st_uid == geteuid();
}

static bool lies_in_shared(const char *path)
{
    char *directory = path_directory(path);
    bool shared = is_shared(directory);
    free(directory);
    return shared;
}

unsigned share_mode(const char *path)
{
    return lies_in_shared(path) ? 0640 : 0600;
}

void share_file(int fd, const char *path)
{
    struct stat at;
    bool shared = lies_in_shared(path);
    if (shared && fstat(fd, &at) == 0 && at.st_uid == geteuid() && !(at.st_mode & S_IRGRP))
        (void)fchmod(fd, (at.st_mode & 0700) | S_IRGRP);
}

int share_make_directory(const char *path, struct err *err)
{
    if (path_make_directory(path, 0700, err))
        return -1;
    if (!lies_in_shared(path) || is_shared(path))
        return 0;
    return chmod(path, SHARED | 0700) ? err_errno(err, "can't open the directory '%s' to its group", path) : 0;
}

/* --- groups --- */

static bool is_member(gid_t group)
{
    int count = getgroups(0, NULL);
    gid_t *groups = MEM_ARRAY(gid_t, (size_t)(count > 0 ? count : 0) + 1);
    bool member = geteuid() == 0 || group == getegid();
    count = getgroups(count, groups);
    for (int i = 0; i < count; i++)
        member |= groups[i] == group;
    free(groups);
    return member;
}

int share_find_group(const char *name, gid_t *out, struct err *err)
{
    char *end;
    errno = 0;
    const struct group *group = getgrnam(name);
    unsigned long number = strtoul(name, &end, 10);
    if (!group && (!*name || *end || number >= (gid_t)-1))
        return err_set(err, "there is no group '%s' on this machine; `id` lists yours", name);
    *out = group ? group->gr_gid : (gid_t)number;
    return is_member(*out) ? 0 : err_set(err, "you are not in the group '%s'; `id` lists yours", name);
}

char *share_group_name(gid_t number)
{
    const struct group *group = getgrgid(number);
    return group ? mem_text(group->gr_name) : mem_format("%lu", (unsigned long)number);
}

int share_open(const char *path, gid_t group, struct err *err)
{
    struct stat at;
    if (stat(path, &at) || chown(path, (uid_t)-1, group) ||
        chmod(path, S_ISDIR(at.st_mode) ? SHARED | 0700 : 0600 | S_IRGRP) || stat(path, &at))
        return err_errno(err, "can't open '%s' to the group", path);
    if (at.st_gid != group || !(at.st_mode & S_IRGRP))
        return err_set(err, "'%s' does not keep its group and mode; share needs another file system", path);
    return 0;
}
