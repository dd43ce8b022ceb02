/* Where a made-up coordinator takes questions; see control.h. */
#include "tests/control.h"
#include "common/node.h"
#include "common/path.h"
#include "tests/claims.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const struct err *err)
{
    if (!good)
        fail_msg("%s", err->text);
}

static void read_key(const struct rundir *dir, const char *who, struct key_pair *out)
{
    struct err err = {0};
    must(rundir_read_key(dir, who, out, &err) == 0, &err);
}

struct link *control_open(struct link_context *links, const struct rundir *dir, uint64_t session, struct discovery *out)
{
    struct err err = {0};
    struct key_pair mine, asked, viewer;
    const char *const allowed[] = {asked.public, viewer.public};
    must(path_make_directory(dir->keys, 0700, &err) == 0 && rundir_make_key(dir, "coordinator", &err) == 0 &&
             rundir_make_key(dir, "operator", &err) == 0 && rundir_make_key(dir, "viewer", &err) == 0,
         &err);
    read_key(dir, "coordinator", &mine);
    read_key(dir, "operator", &asked);
    read_key(dir, "viewer", &viewer);
    *out = (struct discovery){.pid = (int)getpid(), .session = session};
    node_name(out->node);
    node_host(out->host);
    memcpy(out->public_key, mine.public, sizeof mine.public);
    snprintf(out->control, sizeof out->control, "ipc://%s/control", dir->path);
    struct link *link = link_bind(links, out->control, &mine, allowed, 2, &err);
    must(link, &err);
    return link;
}

struct link *control_connect(struct link_context *links, const struct rundir *dir, const char *who,
                             const struct discovery *discovery)
{
    struct err err = {0};
    struct key_pair mine;
    const char *endpoint = strcmp(who, "worker") == 0 ? discovery->workers : discovery->control;
    read_key(dir, who, &mine);
    struct link *link = link_connect(links, endpoint, &mine, discovery->public_key, &err);
    must(link, &err);
    return link;
}
