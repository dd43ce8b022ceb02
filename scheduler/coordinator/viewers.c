/* Where people come who were given a pass; see viewers.h. */
#include "scheduler/coordinator/viewers.h"

#include "common/log.h"
#include "common/mem.h"
#include "scheduler/coordinator/address.h"
#include "scheduler/coordinator/descriptors.h"
#include "scheduler/coordinator/endpoint.h"
#include "scheduler/rundir/pass.h"

#include <stdlib.h>
#include <string.h>

struct viewers {
    struct viewers_setup setup;
    struct service_setup answers; /* what the service is opened with */
    struct link *link;            /* NULL: there is no pass */
    struct service *service;
    struct descriptors *descriptors;
    struct discovery at; /* what the pass says */
};

/* At the address of the command line's port where that is on the network. */
static char *choose_endpoint(const struct viewers *viewers)
{
    const char *control = link_endpoint(listener_control(viewers->setup.listener));
    return strncmp(control, "tcp://", 6) ? mem_text("tcp://127.0.0.1:*") : endpoint_beside(control);
}

static int bind_viewers(struct viewers *viewers, struct err *err)
{
    const struct rundir *dir = viewers->setup.dir;
    struct key_pair mine = {0}, pass = {0};
    const char *allowed = pass.public;
    char *endpoint = choose_endpoint(viewers);
    if (rundir_read_key(dir, "coordinator", &mine, err) == 0 && rundir_read_key(dir, PASS_KEY, &pass, err) == 0)
        viewers->link = endpoint_bind(viewers->setup.links, viewers->setup.network, endpoint, 0,
                                      &(struct endpoint_keys){&mine, &allowed, 1, true}, err);
    keys_wipe(&mine);
    keys_wipe(&pass);
    free(endpoint);
    return viewers->link ? 0 : -1;
}

static void stop_listening(struct viewers *viewers)
{
    descriptors_leave(viewers->descriptors);
    service_close(viewers->service);
    link_close(viewers->link);
    viewers->descriptors = NULL;
    viewers->service = NULL;
    viewers->link = NULL;
}

static int listen_to_viewers(struct viewers *viewers, struct err *err)
{
    if (bind_viewers(viewers, err))
        return -1;
    viewers->answers.link = viewers->link;
    viewers->service = service_open(&viewers->answers);
    viewers->descriptors =
        descriptors_watch(viewers->answers.loop, &viewers->link, 1, DESCRIPTORS_VIEWERS, viewers->setup.pauses);
    viewers->at = *listener_discovery(viewers->setup.listener);
    address_write(link_endpoint(viewers->link), viewers->at.host, viewers->at.control, sizeof viewers->at.control);
    log_info("people with a pass connect to %s", viewers->at.control);
    return pass_write(viewers->setup.dir, &viewers->at, err);
}

int viewers_renew(struct viewers *viewers, struct err *err)
{
    gid_t group;
    stop_listening(viewers);
    if (!pass_group(viewers->setup.dir, &group))
        return 0;
    if (listen_to_viewers(viewers, err) == 0)
        return 0;
    stop_listening(viewers);
    return -1;
}

struct viewers *viewers_open(const struct viewers_setup *setup, const struct service_setup *service)
{
    struct viewers *viewers = MEM_NEW(struct viewers);
    viewers->setup = *setup;
    viewers->answers = *service;
    viewers->answers.viewers_only = true;
    return viewers;
}

void viewers_begin(struct viewers *viewers)
{
    struct err err = {""};
    if (viewers_renew(viewers, &err))
        log_warning("nobody can look by a pass: %s", err.text);
}

const char *viewers_address(const struct viewers *viewers)
{
    return viewers->link ? viewers->at.control : NULL;
}

void viewers_close(struct viewers *viewers)
{
    if (!viewers)
        return;
    if (viewers->link)
        (void)pass_write(viewers->setup.dir, NULL, NULL); /* a pass that says otherwise leads nowhere */
    stop_listening(viewers);
    free(viewers);
}
