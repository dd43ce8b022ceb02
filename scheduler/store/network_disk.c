/* Network filesystems by their numbers; see network_disk.h. */
#include "scheduler/store/network_disk.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

/* From linux/magic.h and, for those outside of the kernel's tree, from their own sources. FUSE is sshfs and its
 * like: some of what it carries is local, but nobody can tell. */
static const unsigned long types[] = {
    0x6969,     /* NFS */
    0x517b,     /* SMB */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB 2 and later */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS, Storage Scale */
    0x19830326, /* BeeGFS */
    0x65735546, /* FUSE */
    0x00c36400, /* Ceph */
    0x5346414f, /* AFS */
    0x6b414653, /* kAFS */
    0xaad7aaea, /* PanFS */
    0x20030528, /* OrangeFS */
    0x7461636f, /* OCFS2 */
    0x01161970, /* GFS2 */
    0x01021997, /* 9P */
    0x73757245, /* Coda */
    0x786f4256, /* VirtualBox shared folders */
};

bool network_disk_is(unsigned long type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == (type & 0xffffffff))
            return true;
    return false;
}

int network_disk_check(const char *path, bool *is_network, struct err *err)
{
    const char *wish = getenv("GANNET_STORE_LOCKING");
    struct statfs fs;
    if (wish && *wish && strcmp(wish, "exclusive") != 0 && strcmp(wish, "shared") != 0)
        return err_set(err, "GANNET_STORE_LOCKING is '%s'; it can be exclusive or shared", wish);
    if (wish && *wish)
        *is_network = strcmp(wish, "exclusive") == 0;
    else
        *is_network = statfs(path, &fs) == 0 && network_disk_is((unsigned long)fs.f_type);
    return 0;
}
