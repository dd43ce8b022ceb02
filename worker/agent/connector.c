/* Where the coordinator is; see connector.h. */
#include "worker/agent/connector.h"
#include "common/keys.h"
#include "common/mem.h"
#include "common/path.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct connector {
    struct link_context *links;
    char *rundir;   /* or NULL */
    char *endpoint; /* given by the person, or NULL */
    char *known;    /* the discovery that the link was made from, as text; NULL: there is no link */
    struct link *link;
    struct err why;
};

/* What coordinator.json says. */
struct coordinator_json {
    json_t *json;
    const char *endpoint, *public_key;
};

struct connector *connector_create(struct link_context *links, const char *rundir, const char *endpoint,
                                   struct err *err)
{
    if (!rundir && (!endpoint || strncmp(endpoint, "tcp:", 4) == 0)) {
        err_write(err,
                  endpoint ? "%s needs keys, which are in the run directory: give --rundir, too"
                           : "nothing says where the coordinator is: give --rundir or --connect",
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
    free(connector->known);
    free(connector);
}

static int read_discovery(const struct connector *connector, struct coordinator_json *out, struct err *err)
{
    enum { LARGEST = 64 << 10 };
    struct buf text = {0};
    json_error_t why = {.text = "it has no 'workers' and 'public_key'"};
    char *path = path_join(connector->rundir, "coordinator.json");
    int result = path_exists(path) ? path_read(path, &text, LARGEST, err)
                                   : err_set(err, "no coordinator runs on %s", connector->rundir);
    if (result == 0) {
        out->json = json_loads(buf_str(&text), 0, &why);
        out->endpoint = json_string_value(json_object_get(out->json, "workers"));
        out->public_key = json_string_value(json_object_get(out->json, "public_key"));
        if (!out->endpoint || !out->public_key)
            result = err_set(err, "%s says nothing of use: %s", path, why.text);
    }
    buf_fini(&text);
    free(path);
    return result;
}

static struct link *connect_tcp(struct connector *connector, const char *endpoint, const char *public_key,
                                struct err *err)
{
    struct key_pair mine;
    struct link *link = NULL;
    char *path = path_join(connector->rundir, "keys/worker.key");
    if (keys_read(path, &mine, err) == 0) {
        link = link_connect(connector->links, endpoint, &mine, public_key, err);
        keys_wipe(&mine);
    }
    free(path);
    return link;
}

/* Closes the old link and makes a new one. */
static void connect_to(struct connector *connector, const char *endpoint, const char *public_key, char *known)
{
    link_close(connector->link);
    free(connector->known);
    connector->known = known;
    if (strncmp(endpoint, "tcp:", 4) == 0)
        connector->link = connect_tcp(connector, endpoint, public_key, &connector->why);
    else
        connector->link = link_connect(connector->links, endpoint, NULL, NULL, &connector->why);
    if (!connector->link) {
        free(connector->known);
        connector->known = NULL;
    }
}

bool connector_look(struct connector *connector, bool anew)
{
    struct coordinator_json found = {.public_key = ""};
    struct link *before = connector->link;
    if (connector->rundir && (!connector->endpoint || strncmp(connector->endpoint, "tcp:", 4) == 0) &&
        read_discovery(connector, &found, &connector->why)) {
        json_decref(found.json); /* the old link stays: the coordinator may be starting again */
        return false;
    }
    const char *endpoint = connector->endpoint ? connector->endpoint : found.endpoint;
    char *known = found.json ? json_dumps(found.json, JSON_SORT_KEYS) : mem_text(endpoint);
    bool changed = anew || !connector->known || strcmp(known, connector->known) != 0;
    if (changed)
        connect_to(connector, endpoint, found.public_key, known);
    else
        free(known);
    json_decref(found.json);
    return changed && (connector->link || before);
}

struct link *connector_link(const struct connector *connector)
{
    return connector->link;
}

const char *connector_why(const struct connector *connector)
{
    return connector->why.text;
}
