/* Where the coordinator is; see connector.h. */
#include "worker/agent/connector.h"
#include "common/discovery.h"
#include "common/keys.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

struct connector {
    struct link_context *links;
    char *rundir;
    char *endpoint;         /* given by the person, or NULL */
    struct discovery known; /* what the link was made from */
    struct link *link;
    bool connected;    /* the link was, once */
    bool heard;        /* that the link was refused */
    unsigned refusals; /* of one link after the other, since a connection or another coordinator */
    struct err why;
    struct err said; /* the reason that the log has already */
};

struct connector *connector_create(struct link_context *links, const char *rundir, const char *endpoint,
                                   struct err *err)
{
    if (!rundir) {
        err_write(err,
                  endpoint ? "%s needs keys, which are in the run directory: give --rundir, too"
                           : "nothing says where the coordinator is: give --rundir",
                  endpoint);
        return NULL;
    }
    struct connector *connector = MEM_NEW(struct connector);
    connector->links = links;
    connector->rundir = mem_text(rundir);
    connector->endpoint = mem_text(endpoint);
    return connector;
}

void connector_destroy(struct connector *connector)
{
    if (!connector)
        return;
    link_close(connector->link);
    free(connector->rundir);
    free(connector->endpoint);
    free(connector);
}

static char *key_path(const struct connector *connector)
{
    return path_join(connector->rundir, "keys/worker.key");
}

static struct link *make_link(struct connector *connector, const struct discovery *found)
{
    struct key_pair mine;
    struct link *link = NULL;
    const char *endpoint = connector->endpoint ? connector->endpoint : found->workers;
    char *path = key_path(connector);
    if (keys_read(path, &mine, &connector->why) == 0) {
        link = link_connect_watched(connector->links, endpoint, &mine, found->public_key, &connector->why);
        keys_wipe(&mine);
    }
    free(path);
    return link;
}

/* A key that can't be read stays so until somebody does something about it. */
static void log_reason(struct connector *connector)
{
    if (strcmp(connector->why.text, connector->said.text))
        log_warning("can't connect to the coordinator: %s", connector->why.text);
    connector->said = connector->why;
}

/* What was said of what came before holds no longer. */
static void forget_reason(struct connector *connector)
{
    connector->why = connector->said = (struct err){0};
    connector->refusals = 0;
}

bool connector_is_lost(struct connector *connector)
{
    bool can_read = false, can_write = false;
    if (connector->link)
        link_ready(connector->link, &can_read, &can_write);
    if (can_write && !connector->connected)
        forget_reason(connector);
    connector->connected |= can_write;
    return connector->connected && !can_write;
}

/* A coordinator that is just closing its link refuses every key: the second refusal counts. */
bool connector_is_refused(struct connector *connector)
{
    if (!connector->link || connector->heard || !link_is_refused(connector->link))
        return false;
    connector->heard = true;
    if (++connector->refusals == 1)
        return true;
    char *path = key_path(connector);
    discovery_say_refused(&connector->known, path, &connector->why);
    log_reason(connector);
    free(path);
    return false;
}

static bool is_same(const struct discovery *a, const struct discovery *b)
{
    return a->session == b->session && a->pid == b->pid && strcmp(a->workers, b->workers) == 0 &&
           strcmp(a->public_key, b->public_key) == 0;
}

bool connector_look(struct connector *connector, bool anew)
{
    struct discovery found;
    struct link *before = connector->link;
    if (discovery_find(connector->rundir, &found, &connector->why))
        return false;                                    /* the old link stays: the coordinator may be starting again */
    bool local = strncmp(found.workers, "ipc:", 4) == 0; /* those are not connected again by themselves */
    bool broken = anew || (local && connector_is_lost(connector));
    if (before && !broken && is_same(&found, &connector->known))
        return false;
    link_close(before);
    if (!is_same(&found, &connector->known))
        connector->refusals = 0;
    connector->known = found;
    connector->connected = connector->heard = false;
    connector->link = make_link(connector, &found);
    if (!connector->link)
        log_reason(connector);
    return connector->link || before;
}

struct link *connector_link(const struct connector *connector)
{
    return connector->link;
}

const char *connector_endpoint(const struct connector *connector)
{
    return connector->endpoint ? connector->endpoint : connector->known.workers;
}

const char *connector_why(const struct connector *connector)
{
    return connector->why.text;
}
