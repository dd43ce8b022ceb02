/* The asking side of the coordinator's service; see service.h. */
#include "scheduler/coordinator/service.h"

#include "common/clock.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/path.h"
#include "scheduler/rundir/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct service_client {
    struct link_context *context;
    struct rundir dir;
    struct discovery discovery;
    enum service_role role; /* whose key we have */
    struct link *link;
    bool stale; /* an answer may still come that nobody waits for any more: connect anew before the next question */
    const atomic_bool *stop; /* NULL: nothing breaks its questions off */
    struct buf bytes;
};

static bool is_stopped(const struct service_client *client)
{
    return client->stop && atomic_load(client->stop);
}

/* Root finds anybody's coordinator, and has nobody's keys: the person who has them is meant to give commands. */
static int check_user(const struct service_client *client, struct err *err)
{
    struct stat at;
    if (pass_is(&client->dir) || stat(client->dir.path, &at) || at.st_uid == geteuid())
        return 0;
    return err_set(err, "the coordinator in %s is user %u's: give this command as that user", client->dir.path,
                   (unsigned)at.st_uid);
}

/* Commands need the operator's key; from another host they go over TCP. */
static struct link *make_link(const struct service_client *client, struct err *err)
{
    const struct discovery *there = &client->discovery;
    const char *local = pass_is(&client->dir) ? "tcp://127." : "ipc:";
    struct key_pair mine = {0};
    struct link *link = NULL;
    if (strncmp(there->control, local, strlen(local)) == 0 && !discovery_is_here(there))
        err_write(err, "the coordinator runs on node %s and listens there alone; give this command there", there->node);
    else if (rundir_read_key(&client->dir, service_role_name(client->role), &mine, err) == 0)
        link = link_connect_watched(client->context, there->control, &mine, there->public_key, err);
    keys_wipe(&mine);
    return link;
}

/* Each coordinator has its own place, so the discovery is read anew. */
static int open_link(struct service_client *client, struct err *err)
{
    link_close(client->link);
    client->link = discovery_read(&client->dir, &client->discovery, err) || check_user(client, err)
                       ? NULL
                       : make_link(client, err);
    client->stale = false;
    return client->link ? 0 : -1;
}

/* Coordinators of earlier versions made no viewer's key. */
static bool has_key(const struct rundir *dir, enum service_role role)
{
    char *file = rundir_key(dir, service_role_name(role));
    bool has = path_exists(file);
    free(file);
    return has;
}

struct service_client *service_connect(struct link_context *context, const struct rundir *dir, enum service_role role,
                                       struct err *err)
{
    struct service_client *client = MEM_NEW(struct service_client);
    client->context = context;
    client->role = pass_is(dir) || has_key(dir, role) ? role : SERVICE_OPERATOR;
    rundir_name(dir->path, &client->dir);
    if (open_link(client, err) == 0)
        return client;
    service_disconnect(client);
    return NULL;
}

void service_stop_at(struct service_client *client, const atomic_bool *stop)
{
    client->stop = stop;
}

void service_disconnect(struct service_client *client)
{
    if (!client)
        return;
    link_close(client->link);
    rundir_fini(&client->dir);
    buf_fini(&client->bytes);
    free(client);
}

/* Whether the coordinator that was connected to still lives. */
static bool coordinator_lives(const struct service_client *client)
{
    struct discovery now;
    return discovery_read(&client->dir, &now, NULL) == 0 && now.session == client->discovery.session;
}

static int say_refused(const struct service_client *client, struct err *err)
{
    if (pass_is(&client->dir))
        return err_set(err, "the coordinator refused the pass %s: its owner has withdrawn it, or given another one",
                       client->dir.path);
    char *file = rundir_key(&client->dir, service_role_name(client->role));
    int failed = discovery_say_refused(&client->discovery, file, err);
    free(file);
    return failed;
}

/* Waits until the link can be written or read; -1 with a sentence when the time is over or nobody is there. */
static int await_link(struct service_client *client, bool write, double deadline, struct err *err)
{
    static const double look_every = 0.25; /* seconds; a coordinator that died shall not be waited for */
    for (bool lived = true;;) {
        struct link_poll item = {.link = client->link, .want_read = !write, .want_write = write};
        double left = deadline - clock_monotonic();
        if (is_stopped(client))
            return err_set(err, "the question to the coordinator was broken off");
        if (left <= 0)
            return err_set(err, "the coordinator (process %d on %s) does not answer", client->discovery.pid,
                           client->discovery.node);
        if (link_wait(&item, 1, left < look_every ? left : look_every, err))
            return -1;
        if (item.can_read || item.can_write)
            return 0;
        if (link_is_refused(client->link) && coordinator_lives(client))
            return say_refused(client, err);
        /* What it said last may have come after that wait, and before its end. */
        if (!lived)
            return err_set(err, "the coordinator (process %d) has ended", client->discovery.pid);
        lived = coordinator_lives(client);
    }
}

/* Nothing can be sent before somebody is connected, after handshakes that take milliseconds. */
static int send_once(struct service_client *client, double deadline, struct err *err)
{
    while (link_send(client->link, 0, client->bytes.data, client->bytes.length) != LINK_OK)
        if (await_link(client, true, deadline, err))
            return -1;
    return 0;
}

/* On this host a handshake that comes to nothing is one that a busy machine was too slow for: it is tried again. So is
 * a key that was refused once, since a coordinator that is just ending refuses every one. */
static int send_ask(struct service_client *client, double deadline, struct err *err)
{
    static const double connecting = 3; /* seconds */
    for (int refusals = 0;;) {
        double until = fmin(deadline, clock_monotonic() + connecting);
        if (send_once(client, until, err) == 0)
            return 0;
        refusals += link_is_refused(client->link);
        if (refusals > 1 || until >= deadline || is_stopped(client) || !discovery_is_here(&client->discovery) ||
            !coordinator_lives(client) || open_link(client, err))
            return -1;
    }
}

static int receive_answer(struct service_client *client, double deadline, struct msg *msg, struct err *err)
{
    uint64_t peer;
    while (link_receive(client->link, &peer, &client->bytes) != LINK_OK)
        if (await_link(client, false, deadline, err))
            return -1;
    if (msg_decode(msg, client->bytes.data, client->bytes.length, err))
        return err_prefix(err, "the coordinator's answer is broken");
    return 0;
}

/* Takes the answer apart: 0 or an exit status. */
static int read_answer(const struct msg *msg, json_t **answer, struct err *err)
{
    if (msg->kind != MSG_ANSWER) {
        err_write(err, "the coordinator answered by %s", msg_kind_name(msg->kind));
        return SERVICE_FAILED;
    }
    if (msg->answer.status) {
        err_write(err, "%s", msg->answer.text);
        return (int)(msg->answer.status & 0x7f);
    }
    *answer = json_loads(msg->answer.text, JSON_DECODE_ANY, NULL);
    if (*answer)
        return 0;
    err_write(err, "the coordinator's answer is no JSON");
    return SERVICE_FAILED;
}

static void encode_ask(struct service_client *client, const char *what, const json_t *arguments)
{
    char *text = arguments ? json_dumps(arguments, JSON_COMPACT) : NULL;
    struct msg ask = {.kind = MSG_ASK, .ask = {.what = what, .arguments = text}};
    buf_clear(&client->bytes);
    msg_encode(&ask, &client->bytes);
    free(text);
}

int service_ask(struct service_client *client, const char *what, const json_t *arguments, double seconds,
                json_t **answer, struct err *err)
{
    struct msg msg = {0};
    double deadline = clock_monotonic() + seconds;
    *answer = NULL;
    if ((client->stale || !client->link) && open_link(client, err)) {
        client->stale = true;
        return SERVICE_UNREACHABLE;
    }
    encode_ask(client, what, arguments);
    if (send_ask(client, deadline, err) || receive_answer(client, deadline, &msg, err)) {
        client->stale = true;
        return SERVICE_UNREACHABLE;
    }
    int status = read_answer(&msg, answer, err);
    msg_fini(&msg);
    return status;
}
