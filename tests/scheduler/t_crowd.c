/* A crowd at the port where people look: it takes no more connections than are meant for it. */
#include "scheduler/coordinator/descriptors.h"
#include "tests/pair.h"
#include "tests/until.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CROWD = LINK_CONNECTIONS * 2, DESCRIPTORS = 20 * LINK_CONNECTIONS };

/* Connects so often, and anew where it was put out, which its end shows. */
static void crowd(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fds[CROWD];
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(3, ~0u, 0); /* among them the listener */
    for (int i = 0; i < CROWD; i++)
        fds[i] = -1;
    for (int i = 0;; i = (i + 1) % CROWD) {
        if (fds[i] >= 0 && recv(fds[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0)
            continue;
        close(fds[i]);
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(fds[i], (struct sockaddr *)&to, sizeof to);
        usleep(100);
    }
}

struct stage {
    struct pair pair;
    struct loop *loop;
    uint64_t pauses;
};

static bool has_paused(void *context)
{
    return ((struct stage *)context)->pauses > 0;
}

static bool is_heard(void *context)
{
    struct stage *stage = context;
    struct buf bytes = {0};
    uint64_t peer;
    bool read, write;
    (void)link_send(stage->pair.connected, 0, "status", 6);
    link_ready(stage->pair.bound, &read, &write);
    bool heard = link_receive(stage->pair.bound, &peer, &bytes) == LINK_OK;
    buf_fini(&bytes);
    return heard;
}

static void a_crowd_is_kept_out_long_before_descriptors_are_short(void **state)
{
    struct stage stage = {.loop = loop_create()};
    struct err err = {""};
    struct rlimit limit;
    (void)state;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < DESCRIPTORS)
        skip();             /* few descriptors would keep it out, too */
    pair_open(&stage.pair); /* which takes as many as it may */
    const char *allowed = stage.pair.client.public;
    stage.pair.bound = link_bind_narrow(stage.pair.context, "tcp://127.0.0.1:*", &stage.pair.server, &allowed, 1, &err);
    struct descriptors *descriptors =
        descriptors_watch(stage.loop, &stage.pair.bound, 1, DESCRIPTORS_VIEWERS, &stage.pauses);
    uint16_t port = (uint16_t)atoi(strrchr(link_endpoint(stage.pair.bound), ':') + 1);
    pid_t child = fork();
    if (child == 0)
        crowd(port);
    until(stage.loop, has_paused, &stage);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    stage.pair.connected = link_connect(stage.pair.context, link_endpoint(stage.pair.bound), &stage.pair.client,
                                        stage.pair.server.public, &err);
    until(stage.loop, is_heard, &stage); /* who belongs there gets in when they have left */
    descriptors_leave(descriptors);
    loop_destroy(stage.loop);
    pair_close(&stage.pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crowd_is_kept_out_long_before_descriptors_are_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
