/* coordinator.json, as its coordinator writes it; see rundir.h. common/discovery.c reads it. */
#include "scheduler/rundir/rundir.h"

#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int discovery_write(const struct rundir *dir, const struct discovery *discovery, struct err *err)
{
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:I, s:s, s:s, s:s, s:b}", "node", discovery->node, "host", discovery->host, "pid",
                  discovery->pid, "session", (json_int_t)discovery->session, "workers", discovery->workers, "control",
                  discovery->control, "public_key", discovery->public_key, "exclusive", (int)discovery->exclusive);
    if (!json)
        return err_set(err, "the coordinator's address is not UTF-8: %s", discovery->control);
    char *text = json_dumps(json, JSON_INDENT(2));
    int failed = path_write(dir->discovery, text, strlen(text), 0600, err);
    free(text);
    json_decref(json);
    return failed;
}

int discovery_read(const struct rundir *dir, struct discovery *out, struct err *err)
{
    return pass_is(dir) ? pass_read(dir, out, NULL, err) : discovery_find(dir->path, out, err);
}

void discovery_remove(const struct rundir *dir)
{
    unlink(dir->discovery);
}
