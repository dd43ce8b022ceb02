/* Where the coordinator is; see meet.h. */
#include "worker/meet.h"
#include "common/keys.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct meet {
    struct link_context *links;
    char *rundir;   /* or NULL */
    char *endpoint; /* given by the person, or NULL */
    char *known;    /* the rendezvous that the link was made from, as text; NULL: there is no link */
    struct link *link;
    struct err why;
};

/* What coordinator.json says. */
struct rendezvous {
    json_t *json;
    const char *endpoint, *public_key;
};

struct meet *meet_create(struct link_context *links, const char *rundir, const char *endpoint, struct err *err)
{
    if (!rundir && (!endpoint || strncmp(endpoint, "tcp:", 4) == 0)) {
        err_write(err,
                  endpoint ? "%s needs keys, which are in the run directory: give --rundir, too"
                           : "nothing says where the coordinator is: give --rundir or --connect",
                  endpoint);
        return NULL;
    }
    struct meet *meet = MEM_NEW(struct meet);
    meet->links = links;
    meet->rundir = mem_text(rundir);
    meet->endpoint = mem_text(endpoint);
    return meet;
}

void meet_destroy(struct meet *meet)
{
    if (!meet)
        return;
    link_close(meet->link);
    free(meet->rundir);
    free(meet->endpoint);
    free(meet->known);
    free(meet);
}

static int read_rendezvous(const struct meet *meet, struct rendezvous *out, struct err *err)
{
    enum { LARGEST = 64 << 10 };
    struct buf text = {0};
    json_error_t why = {.text = "it has no 'workers' and 'public_key'"};
    char *path = path_join(meet->rundir, "coordinator.json");
    int result = path_exists(path) ? path_read(path, &text, LARGEST, err)
                                   : err_set(err, "no coordinator runs on %s", meet->rundir);
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

static struct link *connect_tcp(struct meet *meet, const char *endpoint, const char *public_key, struct err *err)
{
    struct key_pair mine;
    struct link *link = NULL;
    char *path = path_join(meet->rundir, "keys/worker.key");
    if (keys_read(path, &mine, err) == 0) {
        link = link_connect(meet->links, endpoint, &mine, public_key, err);
        keys_wipe(&mine);
    }
    free(path);
    return link;
}

/* Closes the old link and makes a new one. */
static void connect_to(struct meet *meet, const char *endpoint, const char *public_key, char *known)
{
    link_close(meet->link);
    free(meet->known);
    meet->known = known;
    if (strncmp(endpoint, "tcp:", 4) == 0)
        meet->link = connect_tcp(meet, endpoint, public_key, &meet->why);
    else
        meet->link = link_connect(meet->links, endpoint, NULL, NULL, &meet->why);
    if (!meet->link) {
        free(meet->known);
        meet->known = NULL;
    }
}

bool meet_look(struct meet *meet, bool anew)
{
    struct rendezvous found = {.public_key = ""};
    struct link *before = meet->link;
    if (meet->rundir && (!meet->endpoint || strncmp(meet->endpoint, "tcp:", 4) == 0) &&
        read_rendezvous(meet, &found, &meet->why)) {
        json_decref(found.json); /* the old link stays: the coordinator may be starting again */
        return false;
    }
    const char *endpoint = meet->endpoint ? meet->endpoint : found.endpoint;
    char *known = found.json ? json_dumps(found.json, JSON_SORT_KEYS) : mem_text(endpoint);
    bool changed = anew || !meet->known || strcmp(known, meet->known) != 0;
    if (changed)
        connect_to(meet, endpoint, found.public_key, known);
    else
        free(known);
    json_decref(found.json);
    return changed && (meet->link || before);
}

struct link *meet_link(const struct meet *meet)
{
    return meet->link;
}

const char *meet_why(const struct meet *meet)
{
    return meet->why.text;
}
