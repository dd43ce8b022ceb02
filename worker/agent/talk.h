/* The conversation with the coordinator: finding it, saying HELLO until it answers, hearing what it says. */
#ifndef GANNET_WORKER_AGENT_TALK_H
#define GANNET_WORKER_AGENT_TALK_H

#include "common/loop.h"
#include "common/msg.h"
#include "worker/agent/connector.h"

struct talk {
    struct loop *loop;
    struct msg_hello hello; /* what is said of this worker; the texts are the owner's */
    /* Called with each message but WHO, from the loop; may close the conversation. */
    void (*take)(void *context, const struct msg *msg);
    void *context;
    struct connector *connector; /* NULL: closed */
    struct loop_watch *link_in;
    bool welcomed;    /* WELCOME came since the last HELLO */
    bool joined;      /* OFFER was sent since the last HELLO: the coordinator knows us. Set by the owner */
    uint64_t session; /* of the coordinator */
    double heartbeat, silence;
    double heard;   /* when its last word came */
    double greeted; /* when HELLO was last sent; 0: it could not be */
    double beaten;  /* when HEARTBEAT was last due */
    double renewed; /* when the connection was last made anew */
    double looked;  /* when the coordinator's whereabouts were last looked at */
};

/* Begins to look for the coordinator in `rundir`, or at `connect` when that is not NULL. loop, hello, take and context
 * are set before. -1 with a sentence. */
int talk_open(struct talk *talk, struct link_context *links, const char *rundir, const char *connect, struct err *err);

/* Says GOODBYE when there is somebody to hear it; `idle`: no run is left here. A zeroed struct is fine. */
void talk_close(struct talk *talk, const char *why, bool idle);

bool talk_send(const struct talk *talk, const struct msg *msg); /* false: not now */

/* Looks for a coordinator that is not there; true: it is there, and HEARTBEAT is due. */
bool talk_tick(struct talk *talk, double now);

#endif
