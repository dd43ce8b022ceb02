/* The conversation with the coordinator, the worker's side.
 *
 *     GREETING   looks for the coordinator (connector.c), says HELLO again and again until WELCOME comes
 *     WORKING    after OFFER: takes LEASES, tells samples and results (reporter.c), HEARTBEAT every so often
 *     LEAVING    begins nothing; when all is told and acknowledged, or time is up, says GOODBYE
 *
 *     WELCOME    brings the task: makes the slots, answers with OFFER: the slots, and the runs held from before
 *     WHO        the coordinator does not know us (it was started again, or gave us up): back to GREETING; what was not
 *                acknowledged is told again after the next OFFER
 *     STOP_RUN   ends a run, or drops a lease; one that we don't have is no error
 *     DRAIN      nothing new: what has not begun goes back; `now`: what runs is ended as cancelled. Then GOODBYE
 *     REFUSED    ends the worker
 *
 * Anything may come twice, late, or never. A lease that is here already is the same lease. When the connection
 * is lost, or the coordinator is silent for `silence` seconds, the worker goes back to GREETING, its runs go on; silent
 * for `give_up` seconds, it ends.
 */
#include "worker/agent/talk.h"
#include "common/clock.h"
#include "common/log.h"

#include <math.h>
#include <unistd.h>

#define HEARTBEAT_LEAST 0.01
#define HELLO_SECONDS   1.0 /* between two HELLOs */
#define LOOK_SECONDS    1.0 /* between two looks for the coordinator, while it is silent */
#define LOOK_EAGERLY    2.0 /* a coordinator that never answered is looked for at every tick: both start now */
#define RENEW_SECONDS   5.0 /* of silence, after which the connection itself is made anew */

bool talk_send(const struct talk *talk, const struct msg *msg)
{
    struct link *link = connector_link(talk->connector);
    if (!link)
        return false;
    struct buf bytes = {0};
    msg_encode(msg, &bytes);
    enum link_result result = link_send(link, 0, bytes.data, bytes.length);
    buf_fini(&bytes);
    return result == LINK_OK || result == LINK_LARGE; /* a message too large would never go: it is logged and dropped */
}

/* --- out --- */

static void say_hello(struct talk *talk, double now)
{
    struct msg msg = {.kind = MSG_HELLO, .hello = talk->hello};
    talk->joined = talk->welcomed = false;
    talk->greeted = talk_send(talk, &msg) ? now : 0;
}

/* --- in --- */

static void note_welcome(struct talk *talk, const struct msg_welcome *welcome)
{
    if (talk->session != welcome->session)
        log_info("joined the coordinator, its start %llu on this run directory", (unsigned long long)welcome->session);
    talk->session = welcome->session;
    talk->welcomed = true;
    if (welcome->heartbeat > 0)
        talk->heartbeat = fmax(welcome->heartbeat, HEARTBEAT_LEAST);
    if (welcome->silence > 0)
        talk->silence = welcome->silence;
}

static void take_msg(struct talk *talk, const struct msg *msg)
{
    talk->heard = clock_monotonic();
    if (msg->kind == MSG_WELCOME)
        note_welcome(talk, &msg->welcome);
    if (msg->kind != MSG_WHO)
        talk->take(talk->context, msg);
    else if (talk->joined) /* one HELLO under way is enough: a dozen messages of ours may each have been answered so */
        say_hello(talk, talk->heard);
}

static void receive_messages(void *context)
{
    enum { MESSAGES_A_TURN = 64 };
    struct talk *talk = context;
    struct buf bytes = {0};
    for (int i = 0; i < MESSAGES_A_TURN && talk->connector; i++) {
        struct msg msg;
        struct err err;
        uint64_t peer;
        if (link_receive(connector_link(talk->connector), &peer, &bytes) != LINK_OK)
            break;
        if (msg_decode(&msg, bytes.data, bytes.length, &err)) {
            log_warning("a message that can't be read: %s", err.text);
            continue;
        }
        take_msg(talk, &msg);
        msg_fini(&msg);
    }
    buf_fini(&bytes);
}

/* --- time passes --- */

/* Looks where the coordinator is; `anew`: and connects again in any case. */
static void look_for_coordinator(struct talk *talk, double now, bool anew)
{
    talk->looked = now;
    if (!connector_look(talk->connector, anew))
        return;
    loop_remove(talk->link_in);
    talk->link_in = connector_link(talk->connector)
                        ? loop_link(talk->loop, connector_link(talk->connector), receive_messages, talk)
                        : NULL;
    talk->joined = talk->welcomed = false;
    talk->greeted = 0;
}

static void seek_coordinator(struct talk *talk, double now)
{
    double silent = now - talk->heard;
    bool eager = !connector_link(talk->connector) && silent < LOOK_EAGERLY;
    bool refused = connector_is_refused(talk->connector);
    if (eager || refused || now - talk->looked >= LOOK_SECONDS) {
        bool renew = refused || (silent > RENEW_SECONDS && now - talk->renewed > RENEW_SECONDS);
        if (renew)
            talk->renewed = now;
        look_for_coordinator(talk, now, renew);
    }
    if (talk->greeted <= 0 || now - talk->greeted >= HELLO_SECONDS)
        say_hello(talk, now);
}

bool talk_tick(struct talk *talk, double now)
{
    if (!talk->joined || now - talk->heard > talk->silence || connector_is_lost(talk->connector)) {
        seek_coordinator(talk, now);
        return false;
    }
    bool due = now - talk->beaten >= talk->heartbeat;
    if (due)
        talk->beaten = now;
    return due;
}

int talk_open(struct talk *talk, struct link_context *links, const char *rundir, const char *connect, struct err *err)
{
    talk->connector = connector_create(links, rundir, connect, err);
    if (!talk->connector)
        return -1;
    talk->heartbeat = 2;
    talk->silence = 10;
    talk->heard = clock_monotonic();
    look_for_coordinator(talk, talk->heard, false);
    return 0;
}

void talk_close(struct talk *talk, const char *why, bool idle)
{
    struct msg msg = {.kind = MSG_GOODBYE, .goodbye = {.why = why, .idle = idle}};
    if (talk->joined || talk->welcomed) /* one that can't offer anything says why */
        talk_send(talk, &msg);
    talk->joined = talk->welcomed = false;
    loop_remove(talk->link_in);
    talk->link_in = NULL;
    connector_destroy(talk->connector);
    talk->connector = NULL;
}
